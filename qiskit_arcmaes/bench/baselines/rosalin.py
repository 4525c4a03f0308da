"""Rosalin of qoro-divi: iCANS or gCANS with measurement groups drawn at random by weight.

References:
    A. Arrasmith, L. Cincio, R. D. Somma, P. J. Coles, "Operator Sampling for Shot-frugal
    Optimization in Variational Algorithms", arXiv:2004.06252 (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from divi.qprog.optimizers import RosalinOptimizer
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.baselines.shift_slopes import ShiftTable, shift_table
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.oracles import GroupEstimate, MeasuredCircuit, MeasurementPlan

Array = NDArray[np.float64]

_LEAST = 2  # shots of an estimate, the package's own default
_STEPS = 10**6  # more than any budget pays


class SampledCost:
    """Estimates from single shots in groups drawn at random, as the optimizer calls them.

    A shot of group g has the outcome h_g / p_g, where p_g is the group's share of the sum of the
    sizes of all coefficients.

    Args:
        oracle: What is measured, with its circuit.
        seed: Of the draws.
    """

    supports_variance = True

    def __init__(self, oracle: BudgetOracle, seed: int) -> None:
        assert oracle.circuit is not None
        self._oracle = oracle
        self._circuit: MeasuredCircuit = oracle.circuit
        sizes = np.bincount(
            self._circuit.groups,
            np.abs(self._circuit.coefficients),
            minlength=self._circuit.num_groups,
        )
        self._chances = sizes / sizes.sum()
        self._rng = np.random.default_rng(seed)

    def __call__(
        self, points: Array, estimator_samples: Sequence[int], return_variance: bool = True
    ) -> tuple[Array, Array]:
        """Values at the points, and the variances of these means."""
        samples = np.array(estimator_samples)
        shots = self._rng.multinomial(samples, self._chances)
        terms = len(self._circuit.groups)
        nothing = np.zeros(len(points), dtype=int)
        plan = MeasurementPlan(points, shots, nothing, np.zeros((1, terms), dtype=int))
        return self._combine(self._oracle.measure(plan), shots, samples)

    def _combine(
        self, measured: GroupEstimate, shots: NDArray[np.int64], samples: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        means = np.nan_to_num(measured.means[..., 0]) / self._chances
        inner = np.nan_to_num(measured.variances[..., 0]) * np.maximum(shots - 1, 0)
        values = (shots * means).sum(axis=1) / samples
        squares = (inner / self._chances**2 + shots * means**2).sum(axis=1)
        spread = np.maximum(squares - samples * values**2, 0) / np.maximum(samples - 1, 1)
        return values + self._circuit.constant, spread / samples


@dataclass(frozen=True)
class Rosalin:
    """The optimizer at its authors' settings: rate 1/L, L the sum of the coefficients' sizes.

    That L is for single rotations; the curvature grows with the square of the largest frequency.

    Attributes:
        name: Name in tables.
        allocation: Which rule chooses the shots.
    """

    name: str
    allocation: Literal["icans", "gcans"]

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        if oracle.ansatz is None or oracle.spectra is None:
            raise TypeError(f"{self.name} needs a circuit that can be measured by group.")
        table = shift_table(oracle.spectra)
        fastest = max(1.0, *(spectrum.maximum for spectrum in oracle.spectra))
        lipschitz = oracle.ansatz.coefficient_sum * fastest**2
        if oracle.budget < _LEAST * (1 + 2 * len(table.owners)):
            raise CouldNotStart(f"{oracle.budget} shots do not pay one step.")
        optimizer = RosalinOptimizer(
            1 / lipschitz, oracle.left, lipschitz, min_shots=_LEAST, allocation=self.allocation
        )
        found = optimizer.optimize(
            SampledCost(oracle, seed),
            np.array(start.x0),
            callback_fn=lambda step: oracle.note(start.inside(step.x[0])),
            max_iterations=_STEPS,
            shift_rule=lambda: _as_rule(table, len(start.x0)),
        )
        x = start.inside(found.x)
        oracle.note(x)
        return Recommendation(x, message=str(found.message))


def _as_rule(table: ShiftTable, dim: int) -> tuple[Array, Any]:
    """Shifts, shape (points, d), and the weight of each point in each slope, shape (d, points)."""
    count = len(table.owners)
    shifts = table.points(np.zeros(dim), np.arange(count))
    weights = np.zeros((dim, 2 * count))
    weights[table.owners, np.arange(count)] = table.weights
    weights[table.owners, count + np.arange(count)] = -table.weights
    return shifts, weights
