"""Adam on exact parameter shifts, for a few numbers of steps: our own baseline.

References:
    D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.
    D. Wierichs, J. Izaac, C. Wang, C. Y.-Y. Lin, "General parameter-shift rules for quantum
    gradients", Quantum 6, 677 (2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.adam_pairs import lowest_end
from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.baselines.shift_slopes import (
    ShiftTable,
    measure_slopes,
    shift_table,
    step_price,
)
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent

Array = NDArray[np.float64]

_LAST_RATE = 0.01  # in units of the first
_MOMENTUM, _SQUARES = 0.9, 0.99
_STARTS = 4


@dataclass(frozen=True)
class Adam:
    """A number of steps at constant shots, with a step that falls by a cosine.

    Fewer steps where the budget does not pay one shot per point for all of them.

    Attributes:
        name: Name in tables.
        steps: Number of steps.
        rate: First step in radians.
    """

    name: str
    steps: int
    rate: float

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        rng = np.random.default_rng(seed)
        x = self.descend(oracle, start, np.array(start.x0), oracle.left, rng)
        if not oracle.notes:
            raise CouldNotStart(f"{oracle.budget} shots do not pay one step.")
        return Recommendation(start.inside(x), message=f"Up to {self.steps} steps were made.")

    def descend(
        self, oracle: BudgetOracle, start: Start, x: Array, budget: int, rng: np.random.Generator
    ) -> Array:
        """Make the steps; the last point.

        Args:
            oracle: What is measured.
            start: Brings points into the bounds.
            x: Where to begin, shape (d,).
            budget: Shots that may be taken.
            rng: Draws fractions of shots.
        """
        assert oracle.spectra is not None
        table = shift_table(oracle.spectra)
        price = step_price(oracle, table, 1.0)
        steps = int(min(self.steps, budget / max(price, 1)))
        average, square = np.zeros((2, len(x)))
        last = oracle.spent + budget
        for step in range(1, steps + 1):
            left = last - oracle.spent
            if left <= 0:  # drawn fractions took more than their mean
                break
            shots = left / (steps - step + 1) / price
            slopes = self._slopes(oracle, table, x, shots, rng)
            if slopes is None:
                break
            average = _MOMENTUM * average + (1 - _MOMENTUM) * slopes
            square = _SQUARES * square + (1 - _SQUARES) * slopes**2
            fall = _LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * step / steps)) / 2
            slope = average / (1 - _MOMENTUM**step)
            scale = np.sqrt(square / (1 - _SQUARES**step)) + 1e-12
            x = start.inside(x - self.rate * fall * slope / scale)
            oracle.note(x)
        return x

    def _slopes(
        self,
        oracle: BudgetOracle,
        table: ShiftTable,
        x: Array,
        shots: float,
        rng: np.random.Generator,
    ) -> Array | None:
        """The slopes, or None where drawn fractions take more than is left."""
        try:
            return measure_slopes(oracle, table, x, shots, rng)
        except BudgetSpent:
            return None


@dataclass(frozen=True)
class AdamStarts:
    """Four starts, the given one and random ones, share half of the budget; the best goes on.

    Attributes:
        name: Name in tables.
        steps: Steps of each descent.
        rate: First step in radians.
    """

    name: str
    steps: int
    rate: float

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        rng = np.random.default_rng(seed)
        adam = Adam(self.name, self.steps, self.rate)
        drawn = rng.uniform(-np.pi, np.pi, (_STARTS - 1, len(start.x0)))
        share = oracle.left // (2 * _STARTS)
        begins = [np.array(start.x0), *start.inside(drawn)]
        ends = np.array([adam.descend(oracle, start, x, share, rng) for x in begins])
        if not oracle.notes:
            raise CouldNotStart(f"{oracle.budget} shots do not pay one step from each start.")
        best = ends[lowest_end(oracle, start, ends)]
        x = adam.descend(oracle, start, best, oracle.left, rng)
        oracle.note(start.inside(x))
        return Recommendation(
            start.inside(x), message=f"The best of {_STARTS} starts was followed."
        )
