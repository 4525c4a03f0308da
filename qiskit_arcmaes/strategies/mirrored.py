"""The step of the mean from mirrored pairs: ranks of differences instead of ranks of values.

Half the difference D of the values at m + z and m - z does not contain whatever is symmetric in
the loss, its curvature above all. Steps of ranked differences stay as precise as the noise allows
however wide the population is, and a wide population sees the slope best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]

FEWEST_PAIRS = 3
_SAME = 1e-6  # relative differences of squared lengths below it tell no slope


@dataclass(frozen=True)
class MirroredStep:
    """A step of the mean, and how much of the values' variance the differences have.

    Attributes:
        recombination: The step and its mass.
        share: E D²/(E D² + Var E), E the mean of a pair: one half in pure noise, one for a linear
            loss, small where curvature dominates.
    """

    recombination: cma.Recombination
    share: float


def half_normal_scores(count: int) -> Array:
    """Expected sizes of standard normal numbers by rank, ascending: Blom's approximation."""
    return np.asarray(ndtri(0.5 + 0.5 * (np.arange(count) + 0.625) / (count + 0.25)))


def mirror(rows: Array, count: int) -> Array:
    """The rows, then their negatives, ``count`` in all.

    Example:
        >>> mirror(np.array([[1.0], [2.0]]), 3).ravel().tolist()
        [1.0, 2.0, -1.0]
    """
    half = len(rows)
    both = np.empty((count, rows.shape[1]))
    both[:half] = rows
    np.negative(rows[: count - half], out=both[half:])
    return both


class PairValues(NamedTuple):
    """Antisymmetric and symmetric component of mirrored values: half differences and means.

    Attributes:
        halves: Half the difference of each pair, shape (n,).
        means: Mean of each pair, shape (n,).
        finite: Whether all of both are finite.
        level: Mean of the means.
        power: Mean square of the half differences.
    """

    halves: Array
    means: Array
    finite: bool
    level: float
    power: float

    def known(self) -> PairValues:
        """Those of the pairs that are finite."""
        if self.finite:
            return self
        known = np.isfinite(self.halves) & np.isfinite(self.means)
        return _summed(self.halves[known], self.means[known])


def components(values: Array) -> PairValues:
    """Both components of the values of a population.

    Args:
        values: At all m + z, then at all m - z; a point without a mirror image between them is
            left out. NaN where a point failed.

    Example:
        >>> pairs = components(np.array([3.0, np.nan, 1.0, 5.0]))
        >>> pairs.halves.tolist(), pairs.means.tolist()
        ([1.0, nan], [2.0, nan])
    """
    pairs = len(values) // 2
    below = values[-pairs:]
    halves = values[:pairs] - below
    halves *= 0.5
    return _summed(halves, below + halves)


def _summed(halves: Array, means: Array) -> PairValues:
    """With the averages, each pair counting alike; both NaN where there is none."""
    count = len(halves) or math.nan
    total, square = float(np.add.reduce(means)), float(halves.dot(halves))
    return PairValues(halves, means, math.isfinite(total), total / count, square / count)


def all_finite(values: Array) -> bool:
    """Whether the sum of all squares is finite: in one pass, without a warning.

    Example:
        >>> all_finite(np.array([1.0, 2.0])), all_finite(np.array([np.inf, -np.inf]))
        (True, False)
    """
    return math.isfinite(values.dot(values))


class DifferenceWeights:
    """The step of the mean from ranked differences, for one population size.

    The weights a_i = -sign(D_i) f c_w s_i/sum(s²), s the half-normal scores by the size of D_i,
    move the mean by f c_w standard deviations along the slope of a linear loss. The factor
    f = min(1, sqrt(2 share)) shortens the step where curvature dominates: near a minimum the full
    length would overshoot.

    Args:
        popsize: Population size lambda, >= 2.

    Example:
        >>> z = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]])
        >>> values = np.array([1.0, 0.0, 0.5, -1.0, 0.0, -0.5])
        >>> found = DifferenceWeights(6).step(z, components(values))
        >>> bool(found.recombination.step[0] < 0), found.share
        (True, 1.0)
    """

    def __init__(self, popsize: int) -> None:
        self.pairs = popsize // 2
        self.scores = half_normal_scores(self.pairs)
        gain = cma.selection_gain(cma.rank_weights(popsize), popsize)
        self.scale = gain / float(self.scores @ self.scores) if self.pairs else 0.0

    def step(self, steps: Array, values: PairValues) -> MirroredStep | None:
        """Move against the differences, weighted by the ranks of their sizes.

        Args:
            steps: The first step of each pair, shape (lambda/2, d).
            values: Of the pairs; one with one infinite value has the largest difference.

        Returns:
            None where fewer than three pairs are finite, or where no two values differ.
        """
        known = values.known()
        halves = values.halves
        if not values.finite:
            halves = np.where(np.isnan(halves), 0.0, halves)
        count = len(known.halves)
        if count < FEWEST_PAIRS:
            return None
        centred = known.means - known.level
        odd, even = known.power, float(centred.dot(centred)) / (count - 1)
        if not 0 < odd < math.inf or not even < math.inf:
            return None
        share = odd / (odd + even)
        factor = -self.scale * min(1.0, math.sqrt(2 * share))
        weights = np.empty(self.pairs)
        weights[np.abs(halves).argsort()] = self.scores
        weights *= np.sign(halves) * factor
        mass = 1 / float(weights.dot(weights))
        return MirroredStep(cma.Recombination(weights.dot(steps), mass), share)


def value_at_centre(squares: Array, means: Array) -> tuple[float, float]:
    """Loss at the mean of a population, from the means of its pairs, and its variance.

    Of a quadratic loss E = L(m) + z'Hz/2, so that E has the mean L(m) + tr(H)/2 and the covariance
    tr(H) with ‖z‖², which has the mean d and the variance 2 d: L(m) is the value at zero of a
    straight line in ‖z‖², fitted to E.

    Args:
        squares: ‖z‖² of each pair in units of the population's width, shape (n,).
        means: Mean value of each pair; NaN or infinite ones are left out.

    Returns:
        Both NaN from fewer than three pairs, or where all have the same ‖z‖², as in a corner.

    Example:
        >>> value_at_centre(np.array([1.0, 2.0, 3.0]), np.array([7.0, 9.0, 11.0]))
        (5.0, 0.0)
    """
    if not all_finite(means):
        known = np.isfinite(means)
        squares, means = squares[known], means[known]
    count = len(means)
    if count < FEWEST_PAIRS:
        return math.nan, math.nan
    distance, level = float(np.add.reduce(squares)) / count, float(np.add.reduce(means)) / count
    deviations, residuals = squares - distance, means - level
    square, product = float(deviations.dot(deviations)), float(deviations.dot(residuals))
    if square <= (_SAME * distance) ** 2:
        return math.nan, math.nan
    slope = product / square
    variance = max(float(residuals.dot(residuals)) - slope * product, 0.0) / (count - 2)
    return level - slope * distance, variance * (1 / count + distance**2 / square)
