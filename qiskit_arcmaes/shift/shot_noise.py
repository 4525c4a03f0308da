"""Variance of one shot: as the oracle reports it, or from repeated values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.noise import NoiseLevel, reported_variance

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ShotNoise:
    """What is known of the variance of one shot.

    Attributes:
        variance: The variance near the present point, which the last jobs show.
        pooled: The mean over all repeated pairs of the run.
    """

    variance: float = 0.0
    pooled: NoiseLevel = field(default_factory=NoiseLevel)


def take_reported(noise: ShotNoise, variances: Array | None, shots: int) -> ShotNoise:
    """Take the variances that came with the values of a job, where any did.

    Args:
        noise: What was known before.
        variances: Of the values, shape (n,), NaN where one failed; or None.
        shots: Shots per value.

    Example:
        >>> take_reported(ShotNoise(), np.array([0.2, np.nan]), 10).variance
        2.0
    """
    variance = reported_variance(variances, shots)
    return noise if math.isnan(variance) else replace(noise, variance=variance)


def take_repeats(noise: ShotNoise, differences: Array, shots: int, weight: float) -> ShotNoise:
    """Take half differences of pairs that were measured twice.

    Args:
        noise: What was known before.
        differences: First minus second half difference of each pair, shape (d,).
        shots: Shots per point.
        weight: Weight of these repeats in the variance near the present point, in [0, 1]: 1 at the
            first step of a start, 0 where variances are reported.

    Example:
        >>> take_repeats(ShotNoise(variance=6.0), np.ones(2), 10, weight=0.5).variance
        8.0
    """
    squares = shots * float(np.sum(differences**2))
    repeats = NoiseLevel(squares, float(len(differences)))
    variance = (1 - weight) * noise.variance + weight * repeats.variance
    return ShotNoise(variance, repeats.pooled(noise.pooled))


def take_twins(noise: ShotNoise, values: Array, shots: int, weight: float) -> ShotNoise:
    """Take two values of one point into the variance there; nothing if one of them failed.

    Args:
        noise: What was known before.
        values: Shape (2,).
        shots: Shots per value.
        weight: Weight of these two, in [0, 1].

    Example:
        >>> take_twins(ShotNoise(), np.array([1.0, 3.0]), 10, weight=0.05).variance
        1.0
    """
    if not np.isfinite(values).all():
        return noise
    shown = NoiseLevel.from_repeats(values[:1] - values[1:], shots).variance
    return replace(noise, variance=noise.variance + weight * (shown - noise.variance))
