"""Adam on parameter-shift pairs: our own baseline for rotation angles, of no other package.

References:
    D. P. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.
    M. Schuld, V. Bergholm, C. Gogolin, J. Izaac, N. Killoran, "Evaluating analytic gradients on
    quantum hardware", Physical Review A 99, 032331 (2019): the parameter-shift rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent

Array = NDArray[np.float64]

_RATE, _LAST_RATE = 0.15, 0.01  # first step in radians; the last one in units of it
_MOMENTUM, _SQUARES = 0.9, 0.99
_STEPS = (250, 500)
_TEST_SHARE = 0.04  # of the budget, for one test of the shift
_FALSE_ALARM = 0.02  # probability that a test lowers a shift that is right: a small harm
_TEST_SHOTS = 100  # of a point in a test, at the most: more would reject any shift
_MOST_TESTS = 5
_TEST_POINTS = 4
_COMPARISON_SHARE = 0.02  # share of the budget that compares the ends of several starts


@dataclass(frozen=True)
class AdamPairs:
    """One start: 250 to 500 steps of Adam, shots constant, the last point returned.

    Attributes:
        name: Name in tables.
    """

    name: str

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        x = np.array(start.x0)
        shift = choose_shift(oracle, x, np.random.default_rng(seed))
        x = descend(oracle, start, x, shift, oracle.left)
        _check_started(oracle)
        return Recommendation(
            start.inside(x), message=f"All steps were made at a shift of {shift:.3g}."
        )


@dataclass(frozen=True)
class AdamPairsStarts:
    """Several starts, for losses with many minima, share half of the budget; the best goes on.

    The first is the given one, the others are drawn from all angles.

    Attributes:
        name: Name in tables.
        starts: How many.
    """

    name: str
    starts: int = 4

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        rng = np.random.default_rng(seed)
        drawn = rng.uniform(-np.pi, np.pi, (self.starts - 1, len(start.x0)))
        shift = choose_shift(oracle, np.array(start.x0), rng)
        share = oracle.left // (2 * self.starts)
        begins = [np.array(start.x0), *drawn]
        ends = np.array([descend(oracle, start, x, shift, share) for x in begins])
        best = ends[lowest_end(oracle, start, ends)]
        x = descend(oracle, start, best, shift, oracle.left)
        _check_started(oracle)
        return Recommendation(
            start.inside(x), message=f"The best of {self.starts} starts was followed."
        )


def lowest_end(oracle: BudgetOracle, start: Start, ends: Array) -> int:
    """Index of the end that measures lowest; the first where there are no shots left for it.

    Args:
        oracle: What is measured, with a small share of its budget.
        start: Gives the bounds.
        ends: Shape (k, d).
    """
    share = int(_COMPARISON_SHARE * oracle.budget) // oracle.price(len(ends)).at(1)
    shots = min(max(share, 1), oracle.affordable(len(ends)))
    if shots == 0:
        return 0
    return int(np.argmin(oracle.evaluate(start.inside(ends), shots).values))


def _check_started(oracle: BudgetOracle) -> None:
    if not oracle.notes:
        raise CouldNotStart(f"{oracle.budget} shots do not pay one step.")


def choose_shift(oracle: BudgetOracle, x: Array, rng: np.random.Generator) -> float:
    """Halve the shift, from π/2, while slopes at it and at half of it differ beyond noise.

    Args:
        oracle: What is measured; it reports variances.
        x: The start, shape (d,); it is tested there and at other points, lest one be unlucky.
        rng: Draws these.
    """
    dim = len(x)
    centres = [x, *rng.uniform(-np.pi, np.pi, (_TEST_POINTS - 1, dim))]
    points = 4 * dim * len(centres)
    shots = min(int(_TEST_SHARE * oracle.budget) // oracle.price(points).at(1), _TEST_SHOTS)
    shift = math.pi / 2
    for _ in range(_MOST_TESTS):
        if not 0 < shots <= oracle.affordable(points):
            break
        lack_of_fit = sum(_disagreement(oracle, centre, shift, shots) for centre in centres)
        if stats.chi2.sf(lack_of_fit, dim * len(centres)) > _FALSE_ALARM:
            break
        shift /= 2
    return shift


def _disagreement(oracle: BudgetOracle, x: Array, shift: float, shots: int) -> float:
    """Squared differences of slopes at a shift and at half of it, in units of their variances."""
    wide, wide_variance = measure_pairs(oracle, x, shift, shots)
    narrow, narrow_variance = measure_pairs(oracle, x, shift / 2, shots)
    variance = np.maximum(wide_variance + narrow_variance, 1e-300)
    return float(np.sum((wide - narrow) ** 2 / variance))


def descend(oracle: BudgetOracle, start: Start, x: Array, shift: float, budget: int) -> Array:
    """Adam with a step that falls by a cosine; the last point.

    Args:
        oracle: What is measured.
        start: Brings notes into the bounds.
        x: Where to begin, shape (d,).
        shift: Of the pairs, in radians.
        budget: Shots that may be taken.
    """
    step_cost = oracle.price(2 * len(x)).at(1)
    pairs = budget / step_cost
    steps = int(min(max(4 * math.sqrt(pairs), min(_STEPS[0], pairs)), _STEPS[1]))
    average, square = np.zeros((2, len(x)))
    for step in range(1, steps + 1):
        try:
            slopes, _ = measure_pairs(oracle, x, shift, max(int(pairs / steps), 1))
        except BudgetSpent:
            break
        average = _MOMENTUM * average + (1 - _MOMENTUM) * slopes
        square = _SQUARES * square + (1 - _SQUARES) * slopes**2
        fall = _LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * step / steps)) / 2
        slope = average / (1 - _MOMENTUM**step)
        x = x - _RATE * fall * slope / (np.sqrt(square / (1 - _SQUARES**step)) + 1e-12)
        oracle.note(start.inside(x))
    return x


def measure_pairs(oracle: BudgetOracle, x: Array, shift: float, shots: int) -> tuple[Array, Array]:
    """Slopes (f(x + s e_i) - f(x - s e_i))/(2 sin s), and their variances (NaN if unknown)."""
    steps = shift * np.eye(len(x))
    estimate = oracle.evaluate(np.concatenate([x + steps, x - steps]), shots)
    above, below = estimate.values.reshape(2, -1)
    variances = np.full(len(x), np.nan)
    if estimate.variances is not None:
        variances = estimate.variances.reshape(2, -1).sum(axis=0)
    return (above - below) / (2 * math.sin(shift)), variances / (2 * math.sin(shift)) ** 2
