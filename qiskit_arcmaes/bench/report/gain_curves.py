"""The curves of the efficiency figure, out of the store's own table for them."""

from __future__ import annotations

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


def efficiency_of(store: Store) -> Efficiency | None:
    """Read the curves of the first problem in the table.

    Args:
        store: A sweep.

    Returns:
        The curves; None where the sweep has none.
    """
    rows = store.table("efficiency")
    if rows.empty:
        return None
    problem, dim, noise = rows.loc[0, ["problem", "dim", "noise"]]
    rows = rows[(rows.problem == problem) & (rows.dim == dim) & (rows.noise == noise)]
    curves = rows.pivot(index="shots", columns=["kind", "simulation"], values="efficiency")
    return Efficiency(
        title=f"{label_of(problem)}, d = {dim}, τ² = {noise:g}",
        shots=curves.index.to_numpy(),
        bound=curves["bound"].to_numpy()[:, 0],
        mean=curves["mean"].to_numpy()[:, 0],
        simulations=curves["simulation"].to_numpy().T,
    )
