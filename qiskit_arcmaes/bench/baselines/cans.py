"""iCANS and gCANS: gradient descent whose shots follow signal and noise of every slope."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent

Array = NDArray[np.float64]


@dataclass
class Averages:
    """Moving averages of slopes and of their single-shot variances, freed of their start at zero.

    Attributes:
        slopes: Average slopes, shape (d,).
        spreads: Average of what ``CoupledShots.spread`` makes of the variances, shape (d,).
        step: Steps so far.
    """

    slopes: Array
    spreads: Array
    step: int = 0

    def add(self, slopes: Array, spreads: Array, memory: float) -> None:
        """Take in one step's slopes and spreads; ``memory`` is the papers' mu."""
        self.slopes = memory * self.slopes + (1 - memory) * slopes
        self.spreads = memory * self.spreads + (1 - memory) * spreads
        self.step += 1


@dataclass(frozen=True)
class CoupledShots(ABC):
    """What iCANS and gCANS share.

    Slopes come from pairs at ±π/2. L is the sum of the sizes of the observable's coefficients,
    as both papers take it, and the rate 1/L, for which gCANS is proven to converge.

    Attributes:
        name: Name in tables.
        least: Fewest shots of a pair's points, at least 2.
        memory: The papers' mu, of the moving averages.
        bias: The papers' b, which keeps the first shots finite.
        rate: Learning rate in units of 1/L, below 2.
    """

    name: str
    least: int = 2
    memory: float = 0.99
    bias: float = 1e-6
    rate: float = 1.0

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        if oracle.ansatz is None or not oracle.reports_variances:
            raise TypeError(f"{self.name} needs an observable and variances of its estimates.")
        lipschitz = oracle.ansatz.coefficient_sum
        x = np.array(start.x0)
        averages = Averages(np.zeros_like(x), np.zeros_like(x))
        shots = np.full(len(x), self.least)
        try:
            while True:
                slopes, variances = measure_slopes(oracle, x, shots)
                x = x - self.rate / lipschitz * slopes
                oracle.note(start.inside(x))
                averages.add(slopes, self.spread(variances), self.memory)
                shots = self.next_shots(averages, lipschitz)
        except BudgetSpent:
            if averages.step == 0:
                raise CouldNotStart(f"{oracle.budget} shots do not pay one step.") from None
            return Recommendation(
                start.inside(x), message=f"{averages.step} steps; the budget is used."
            )

    def next_shots(self, averages: Averages, lipschitz: float) -> NDArray[np.int64]:
        """Shots of every coordinate in the next step."""
        full = 1 - self.memory**averages.step
        slopes, spreads = averages.slopes / full, averages.spreads / full
        floor = self.bias * self.memory ** (averages.step - 1)
        return self.allocate(slopes, spreads, floor, lipschitz)

    @abstractmethod
    def spread(self, variances: Array) -> Array:
        """What of the single-shot variances of the slopes is averaged."""

    @abstractmethod
    def allocate(
        self, slopes: Array, spreads: Array, floor: float, lipschitz: float
    ) -> NDArray[np.int64]:
        """Shots of every coordinate from average slopes and spreads."""


class ICANS(CoupledShots):
    """iCANS1: every coordinate for itself, none above the one with the largest gain per shot.

    References:
        J. M. Kübler, A. Arrasmith, L. Cincio, P. J. Coles, "An Adaptive Optimizer for
        Measurement-Frugal Variational Algorithms", Quantum 4, 263 (2020), Algorithm 1.
    """

    def spread(self, variances: Array) -> Array:
        """The variances."""
        return variances

    def allocate(
        self, slopes: Array, spreads: Array, floor: float, lipschitz: float
    ) -> NDArray[np.int64]:
        """Eq. (17), clipped at the shots of the largest expected gain per shot, eq. (13)."""
        rate = self.rate / lipschitz
        factor = 2 * lipschitz * rate / (2 - lipschitz * rate)
        shots = np.maximum(np.ceil(factor * spreads / (slopes**2 + floor)), 1)
        gain = (rate - lipschitz * rate**2 / 2) * slopes**2
        loss = lipschitz * rate**2 / (2 * shots) * spreads
        most = max(shots[np.argmax((gain - loss) / shots)], self.least)
        return np.clip(shots, self.least, most).astype(np.int64)


class GCANS(CoupledShots):
    """gCANS: shots that maximise the gain per shot of all coordinates together.

    References:
        A. Gu, A. Lowe, P. A. Dub, P. J. Coles, A. Arrasmith, "Adaptive shot allocation for fast
        convergence in variational quantum algorithms", arXiv:2108.10434 (2021).
    """

    def spread(self, variances: Array) -> Array:
        """The standard deviations."""
        return np.sqrt(variances)

    def allocate(
        self, slopes: Array, spreads: Array, floor: float, lipschitz: float
    ) -> NDArray[np.int64]:
        """s_i = 2Lα/(2 - Lα) · σ_i Σ_j σ_j / ‖g‖²."""
        factor = 2 * self.rate / (2 - self.rate)
        shots = np.ceil(factor * spreads * spreads.sum() / (slopes @ slopes + floor))
        return np.asarray(np.maximum(shots, self.least), dtype=np.int64)


def measure_slopes(oracle: BudgetOracle, x: Array, shots: NDArray[np.int64]) -> tuple[Array, Array]:
    """Slopes from pairs at ±π/2, and their variances at one shot per point.

    Args:
        oracle: What is measured; it reports variances.
        x: The point, shape (d,).
        shots: Shots of each of the two points of every coordinate, shape (d,).
    """
    steps = np.pi / 2 * np.eye(len(x))
    estimate = oracle.evaluate_each(
        np.concatenate([x + steps, x - steps]), np.tile(shots, 2).tolist()
    )
    assert estimate.variances is not None
    above, below = estimate.values.reshape(2, -1)
    variances = estimate.variances.reshape(2, -1).sum(axis=0)
    return (above - below) / 2, variances / 4 * shots
