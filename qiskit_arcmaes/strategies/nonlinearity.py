"""Is the loss linear at the population's scale? What mirrored samples tell about it.

Half the difference of the values at m + z and m - z is the antisymmetric component of the loss: its
slope, and whatever is odd and nonlinear. Where the slope of the loss vanishes on average over a
wide population the mean stops, off the minimum by what the nonlinear component shifts it: the step
size has to fall. A quadratic loss has no such component, and there a wide population measures the
slope best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.strategies.learning_rate import SMOOTHING_MEAN, Signal

Array = NDArray[np.float64]

_FEWEST_PAIRS = 3


@dataclass
class Antisymmetric:
    """Variance of half the differences of mirrored values, smoothed; NaN before the first.

    Attributes:
        total: Noise included.
        nonlinear: What neither the noise nor the slope causes; an estimate without bias, which may
            be negative.
    """

    total: float = math.nan
    nonlinear: float = math.nan

    @property
    def share(self) -> float:
        """The share of the nonlinear component; zero where nothing is known."""
        return self.nonlinear / self.total if self.total > 0 else 0.0

    def learn(self, normals: Array, values: Array, noise: float, smoothing: float) -> None:
        """Take in one generation.

        Args:
            normals: Mirrored standard normal samples: the last half are the negatives of the first.
            values: Their values.
            noise: tau²/M, variance of one value.
            smoothing: Share of this generation in the result.
        """
        pairs = len(values) // 2
        halves = (values[:pairs] - values[-pairs:]) / 2
        known = np.isfinite(halves)
        if np.sum(known) < _FEWEST_PAIRS or math.isnan(noise):
            return
        steps = (normals[:pairs] - normals[-pairs:]) / 2
        total = float(np.mean(halves[known] ** 2))
        nonlinear = total - noise / 2 - slope_square(steps[known], halves[known])
        if math.isnan(self.total):
            self.total, self.nonlinear = total, nonlinear
        self.total += smoothing * (total - self.total)
        self.nonlinear += smoothing * (nonlinear - self.nonlinear)


def slope_square(normals: Array, halves: Array) -> float:
    """‖E[D z]‖², without bias: the mean of D_i D_j z_i·z_j over all i ≠ j.

    By Stein's lemma E[D z] is the gradient, in units of sigma C^1/2, of the loss averaged over the
    sampling distribution.

    Args:
        normals: Standard normal rows z, shape (n, d), n >= 2.
        halves: The antisymmetric component D at each of them.
    """
    count, total = len(halves), halves @ normals
    same = (halves**2) @ np.sum(normals**2, axis=1)
    return float(total @ total - same) / (count * (count - 1))


def standard_error(
    pairs: int, smoothing: float, noise_share: float, noise_smoothing: float
) -> float:
    """Standard error of ``Antisymmetric.share`` where the loss is linear.

    The mean of n squares of normal numbers has the relative variance 2/n, a moving average of
    weight s that of one term times s/(2 - s), here taken as s/2. Where tau² is followed by pairs of
    evaluations, one per generation at the most, its error adds to it.

    Args:
        pairs: Mirrored pairs per generation.
        smoothing: Weight of a generation in the moving average.
        noise_share: Share of the noise in the variance of the differences.
        noise_smoothing: Weight of a pair of evaluations in tau²; zero where it is known.

    Example:
        >>> standard_error(pairs=10, smoothing=0.1, noise_share=1.0, noise_smoothing=0.0)
        0.1
    """
    return math.sqrt(smoothing / pairs + noise_smoothing * min(noise_share, 1.0) ** 2)


def stall(signal: Signal) -> float:
    """How far the mean has stopped, from 0 to 1: one half is expected of steps without direction.

    Such steps make ‖E‖² = beta/(2 - beta) V on average; from twice that on it counts as moving.
    """
    if not signal.square > 0:
        return 0.0
    moved = float(signal.average @ signal.average) / signal.square
    undirected = SMOOTHING_MEAN / (2 - SMOOTHING_MEAN)
    return min(max(1 - moved / (2 * undirected), 0.0), 1.0)
