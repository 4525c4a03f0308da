"""Test of the shift against a smaller one: do both give the same slopes?

With one frequency per angle every shift gives the slope exactly. Where the slopes at two shifts
differ by more than noise explains, an angle turns several gates (as in QAOA), the slope has a bias
that grows with the square of the shift, and the smaller shift is the better one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from qiskit_arcmaes.shift.params import ShiftTestParams
from qiskit_arcmaes.shift.slopes import slopes

Array = NDArray[np.float64]


class Verdict(Enum):
    """Outcome of a test."""

    KEEP = "the shift is kept"
    REDUCE = "the shift is reduced"


@dataclass(frozen=True)
class ShiftTest:
    """The present shift and all tests of it.

    Attributes:
        shift: In radians.
        square_sum: Sum of squared differences of the slopes, in units of their variance.
        count: How many.
        p_value: Probability of so large a sum where the shift is right.
        excess: Sum of squared differences beyond the noise.
        energy: Sum of squared slopes.
    """

    shift: float
    square_sum: float = 0.0
    count: int = 0
    p_value: float = 1.0
    excess: float = 0.0
    energy: float = 0.0

    @property
    def disagreement(self) -> float:
        """Mean squared difference in units of its variance; 0 before the first test."""
        return self.square_sum / max(self.count, 1)


@dataclass(frozen=True)
class Repeats:
    """Half differences of pairs, shape (d,) each.

    Attributes:
        first: At the present shift.
        second: The same again.
        narrow: At the smaller shift.
        shots: Shots per point.
    """

    first: Array
    second: Array
    narrow: Array
    shots: int


@dataclass(frozen=True)
class ShiftComparison:
    """Result of a test.

    Attributes:
        verdict: What follows for the shift.
        test: The shift from now on, and its tests.
        wide: Slopes at the present shift, shape (d,).
        narrow: Slopes at the smaller shift, shape (d,).
    """

    verdict: Verdict
    test: ShiftTest
    wide: Array
    narrow: Array

    @property
    def slopes(self) -> Array:
        """The slopes to use: those at the shift from now on."""
        return self.wide if self.verdict is Verdict.KEEP else self.narrow


def is_due(test: ShiftTest, step: int, planned_steps: float, params: ShiftTestParams) -> bool:
    """Whether a step tests the shift: the first ones, longer while in doubt, and powers of two.

    Args:
        test: All tests so far.
        step: Steps taken in this start.
        planned_steps: Steps that this start will take, > 0.
        params: How many tests.

    Example:
        >>> [n for n in range(40) if is_due(ShiftTest(1.5), n, 100.0, ShiftTestParams())]
        [0, 1, 2, 4, 8, 16, 32]
    """
    tests = min(params.tests, planned_steps / params.steps_per_test)
    doubtful = test.p_value < params.doubt and step < params.extension * tests
    return step < tests or doubtful or math.log2(step).is_integer()


def compare_shifts(
    test: ShiftTest,
    repeats: Repeats,
    noise: float,
    freedom: float,
    level: float,
    params: ShiftTestParams,
) -> ShiftComparison:
    """Compare slopes at both shifts with what the noise explains, over all tests so far.

    Args:
        test: The present shift and its tests.
        repeats: What was measured.
        noise: Variance of one shot.
        freedom: Degrees of freedom of that variance.
        level: p-value below which the shift is reduced.
        params: Ratio of the shifts, and the tolerance.
    """
    smaller = params.ratio * test.shift
    sine, narrow_sine = math.sin(test.shift), math.sin(smaller)
    wide = slopes((repeats.first + repeats.second) / 2, test.shift)
    narrow = slopes(repeats.narrow, smaller)
    halved = noise / 2  # of half a difference
    variance = halved / repeats.shots * (0.5 / sine**2 + 1 / narrow_sine**2) + 1e-300
    squares = float(np.sum((wide - narrow) ** 2))
    count = test.count + len(wide)
    total = test.square_sum + squares / variance
    updated = replace(
        test,
        square_sum=total,
        count=count,
        p_value=float(fdtrc(count, freedom, total / count)),
        excess=test.excess + (squares - variance * len(wide)),
        energy=test.energy + float(np.sum(wide**2)),
    )
    differs = updated.p_value < level and updated.excess > params.tolerance * updated.energy
    if differs and smaller >= params.least_shift:
        return ShiftComparison(Verdict.REDUCE, ShiftTest(smaller), wide, narrow)
    return ShiftComparison(Verdict.KEEP, updated, wide, narrow)
