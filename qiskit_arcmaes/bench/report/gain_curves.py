"""The curves of the efficiency figure, out of the store's own table for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.groups import label_of
from qiskit_arcmaes.bench.store import Store

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Efficiency:
    """Gain per shot over the shots M of an evaluation, at one moment of a run.

    Attributes:
        title: Which function, dimension and noise.
        shots: M, ascending, shape (n,).
        bound: The paper's lower bound, shape (n,).
        mean: Mean of all simulations, shape (n,).
        simulations: Some of them, shape (k, n).
    """

    title: str
    shots: Array
    bound: Array
    mean: Array
    simulations: Array

    @property
    def best_bound(self) -> float:
        """The M of the bound's maximum."""
        return float(self.shots[np.argmax(self.bound)])

    @property
    def best_mean(self) -> float:
        """The M of the simulations' maximum."""
        return float(self.shots[np.argmax(self.mean)])


def efficiency_of(store: Store) -> Efficiency | None:
    """Read the curves of the first problem in the table.

    Args:
        store: A sweep; only a finished one has the table.

    Returns:
        The curves; None where the sweep has none.
    """
    rows = store.table("efficiency")
    if not rows:
        return None
    names = ("problem", "dim", "noise")
    first = [rows[0][name] for name in names]
    rows = [row for row in rows if [row[name] for name in names] == first]
    simulations = list(dict.fromkeys(r["simulation"] for r in rows if r["kind"] == "simulation"))
    problem, dim, noise = first
    return Efficiency(
        title=f"{label_of(problem)}, d = {dim}, τ² = {float(noise):g}",
        shots=_column([row for row in rows if row["kind"] == "bound"], "shots"),
        bound=_column([row for row in rows if row["kind"] == "bound"], "efficiency"),
        mean=_column([row for row in rows if row["kind"] == "mean"], "efficiency"),
        simulations=np.array(
            [
                _column(
                    [r for r in rows if r["kind"] == "simulation" and r["simulation"] == number],
                    "efficiency",
                )
                for number in simulations
            ]
        ),
    )


def _column(rows: Sequence[Mapping[str, str]], name: str) -> Array:
    return np.array([float(row[name]) for row in rows])
