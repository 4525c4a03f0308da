"""The step of the mean from mirrored pairs: ranks of differences instead of ranks of values.

Half the difference D of the values at m + z and m - z does not contain whatever is symmetric in
the loss, its curvature above all. Steps of ranked differences stay as precise as the noise allows
however wide the population is, and a wide population sees the slope best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]

FEWEST_PAIRS = 3


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


def mirrored_step(steps: Array, values: Array, gain: float) -> MirroredStep | None:
    """Move against the differences, weighted by the ranks of their sizes; None from few pairs.

    The weights a_i = -sign(D_i) f c_w s_i/sum(s²), s the half-normal scores by the size of D_i,
    move the mean by f c_w standard deviations along the slope of a linear loss. The factor
    f = min(1, sqrt(2 share)) shortens the step where curvature dominates: near a minimum the full
    length would overshoot.

    Args:
        steps: Mirrored steps, the last half the negatives of the first, shape (lambda, d).
        values: Their values; a pair with one failed value counts as the largest difference.
        gain: c_w.

    Example:
        >>> z = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]])
        >>> values = np.array([1.0, 0.0, 0.5, -1.0, 0.0, -0.5])
        >>> found = mirrored_step(np.concatenate([z, -z]), values, gain=1.0)
        >>> bool(found.recombination.step[0] < 0), found.share
        (True, 1.0)
    """
    pairs = len(values) // 2
    above, below = values[:pairs], values[-pairs:]
    finite = np.isfinite(above) & np.isfinite(below)
    if np.sum(finite) < FEWEST_PAIRS:
        return None
    with np.errstate(invalid="ignore"):
        halves = np.nan_to_num((above - below) / 2, nan=0.0, posinf=math.inf, neginf=-math.inf)
    odd = float(np.mean(halves[finite] ** 2))
    even = float(np.var((above[finite] + below[finite]) / 2, ddof=1))
    if not 0 < odd < math.inf or not even < math.inf:
        return None
    share = odd / (odd + even)
    scores = np.empty(pairs)
    scores[np.abs(halves).argsort()] = half_normal_scores(pairs)
    length = gain * min(1.0, math.sqrt(2 * share))
    weights = -np.sign(halves) * scores * (length / float(scores @ scores))
    mass = 1 / float(weights @ weights)
    directions = (steps[:pairs] - steps[-pairs:]) / 2
    return MirroredStep(cma.Recombination(weights @ directions, mass), share)
