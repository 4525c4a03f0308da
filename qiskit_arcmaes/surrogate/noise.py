"""The noise of the loss: its level, and how it changes with the radius.

The minimiser's error in a distribution of radius r goes as v/r², v the variance of the noise in it.
Where v falls faster than r² a smaller radius is better: noise that multiplies a loss whose minimum
is zero falls as r⁴, and then the error falls without end. The power p in v ~ r^(2p) is estimated
twice: from the centre of each distribution outwards, and from one distribution to the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.noise import NoiseLevel, reported_variance
from qiskit_arcmaes.surrogate.heavy_tails import far_off
from qiskit_arcmaes.surrogate.params import NoiseParams, OutlierParams

Array = NDArray[np.float64]


class PointVariances(NamedTuple):
    """Estimates of the variance of one shot at single points.

    Attributes:
        rows: Rows of the points in their batch, shape (k,).
        variances: The estimates, each as uncertain as a squared normal variable, shape (k,).
    """

    rows: NDArray[np.int_]
    variances: Array


_NOWHERE = PointVariances(np.empty(0, dtype=int), np.empty(0))


def measure_noise(
    earlier: NoiseLevel,
    values: Array,
    variances: Array | None,
    shots: int,
    repeats: int,
    given: float | None,
    params: NoiseParams,
) -> tuple[NoiseLevel, PointVariances]:
    """Estimate the variance of one shot from a design.

    Args:
        earlier: The level that earlier designs gave.
        values: Values of the first points of all pairs, then of the second ones, shape (2n,).
        variances: Their variances as the oracle reports them, or None.
        shots: Shots behind each value.
        repeats: Number of pairs, the last ones, that repeat the first ones.
        given: Standard deviation of one shot where the user knows it, else None.
        params: Parameters of the estimate.

    Returns:
        The level, and where it was estimated point by point.
    """
    if given is not None:
        return NoiseLevel.known(given**2), _NOWHERE
    reported = reported_variance(variances, shots)
    if variances is not None and not math.isnan(reported):
        rows = np.flatnonzero(np.isfinite(variances))
        return NoiseLevel.known(reported), PointVariances(rows, shots * variances[rows])
    level, at_points = _compare_repeats(values, shots, repeats, params.outliers)
    if level.degrees_of_freedom == 0:
        return earlier, at_points
    if earlier.degrees_of_freedom > 0 and level.agrees_with(earlier, params.agreement):
        level = level.pooled(earlier, params.memory)
    return level, at_points


def _compare_repeats(
    values: Array, shots: int, repeats: int, params: OutlierParams
) -> tuple[NoiseLevel, PointVariances]:
    """The level from the pairs that were evaluated twice, without outliers."""
    half = len(values) // 2
    originals = np.concatenate([np.arange(repeats), half + np.arange(repeats)])
    differences = values[originals + half - repeats] - values[originals]
    usable = np.isfinite(differences)
    usable[usable] = ~far_off(differences[usable], math.inf, params)
    differences = differences[usable]
    at_points = PointVariances(originals[usable], shots * differences**2 / 2)
    return NoiseLevel.from_repeats(differences, shots), at_points


def rounding_variance(values: Array, params: NoiseParams) -> float:
    """Variance of a value below which noise cannot be told from rounding, or need not be."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return 0.0
    rounding = (params.rounding * np.abs(finite).max()) ** 2
    return float(params.precision * np.var(finite) + rounding)


@dataclass(frozen=True)
class NoiseTrend:
    """How the noise changes around a place: sums of two regressions with a common slope.

    Attributes:
        product: Within distributions, sum of (squared distance) x (variance), relative, centred.
        square: Within distributions, sum of the squared centred squared distances.
        weight: Between distributions, sum of the weights.
        radii: Weighted sum of the logarithms of r².
        levels: Weighted sum of the logarithms of v.
        radii_square: Weighted sum of the squared logarithms of r².
        cross: Weighted sum of the products of both logarithms.
    """

    product: float = 0.0
    square: float = 0.0
    weight: float = 0.0
    radii: float = 0.0
    levels: float = 0.0
    radii_square: float = 0.0
    cross: float = 0.0

    def power(self, significance: float) -> float:
        """The power p of r² with which the noise falls; 0 unless that is significant."""
        spread = self.radii_square - self.radii**2 / max(self.weight, 1e-300)
        shared = self.cross - self.radii * self.levels / max(self.weight, 1e-300)
        information = self.square / 2 + max(spread, 0.0)
        if information <= 0:
            return 0.0
        power = (self.product / 2 + shared) / information
        return power if power > significance / math.sqrt(information) else 0.0

    def updated(
        self, radius: float, distances: Array, variances: Array, memory: float
    ) -> NoiseTrend:
        """The trend with a further design.

        Args:
            radius: Typical radius r of the distribution, > 0.
            distances: Mean squared coordinate of some points, in units of r², shape (n,).
            variances: Estimates of one shot's variance there, each as uncertain as a squared
                normal variable, shape (n,).
            memory: Weight of all designs before, in [0, 1].

        Example:
            >>> rng = np.random.default_rng(1)
            >>> trend = NoiseTrend()
            >>> for radius in (1.0, 0.7, 0.5):
            ...     distances = rng.chisquare(5, 200) / 5
            ...     noise = (radius**2 * distances) ** 2 * rng.chisquare(1, 200)  # relative noise
            ...     trend = trend.updated(radius, distances, noise, memory=0.9)
            >>> trend.power(significance=2.0) > 1
            True
        """
        if len(distances) < 3 or not variances.sum() > 0:
            return self
        away, level = distances - distances.mean(), float(variances.mean())
        weight, size = len(distances) / 2, 2 * math.log(radius)
        return NoiseTrend(
            product=memory * self.product + float(away @ variances) / level,
            square=memory * self.square + float(away @ away),
            weight=memory * self.weight + weight,
            radii=memory * self.radii + weight * size,
            levels=memory * self.levels + weight * math.log(level),
            radii_square=memory * self.radii_square + weight * size**2,
            cross=memory * self.cross + weight * size * math.log(level),
        )
