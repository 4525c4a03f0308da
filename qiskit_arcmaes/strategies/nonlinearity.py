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
from qiskit_arcmaes.strategies.mirrored import FEWEST_PAIRS, PairValues

Array = NDArray[np.float64]

_SCALE_SMOOTHING = 0.3  # share of the newest generation in the scale of the differences


@dataclass
class Antisymmetric:
    """Variance of half the differences of mirrored values, smoothed; NaN before the first.

    Each generation is divided by the scale of those before it, so that all count alike while the
    differences fall from one to the next: else the share would be that of a single generation, and
    its error larger than the one that is computed.

    Attributes:
        total: Noise included.
        nonlinear: What neither the noise nor the slope causes; an estimate without bias, which may
            be negative.
        noise: What the noise causes.
        weights_square: Sum of the squared weights of the generations in the three.
        scale: The variance in the units of the loss, over a few generations.
    """

    total: float = math.nan
    nonlinear: float = math.nan
    noise: float = math.nan
    weights_square: float = 1.0
    scale: float = math.nan

    @property
    def share(self) -> float:
        """The share of the nonlinear component; zero where nothing is known."""
        return self.nonlinear / self.total if self.total > 0 else 0.0

    def learn(self, normals: Array, pairs: PairValues, noise: float, smoothing: float) -> None:
        """Take in one generation.

        Args:
            normals: The first standard normal sample of each mirrored pair, shape (n, d).
            pairs: The values of the pairs.
            noise: tau²/M, variance of one value.
            smoothing: Weight of this generation in the result, 1 for the first.
        """
        halves, total = pairs.halves, pairs.power
        if not pairs.finite:
            known = np.isfinite(halves)
            normals, halves = normals[known], halves[known]
            total = float(halves @ halves) / max(len(halves), 1)
        if len(halves) < FEWEST_PAIRS or math.isnan(noise):
            return
        if not 0 < total < math.inf:
            return
        nonlinear = total - noise / 2 - slope_square(normals, halves)
        if math.isnan(self.total):
            self.total = self.nonlinear = self.noise = 0.0
            self.scale, smoothing = total, 1.0
        self.total += smoothing * (total / self.scale - self.total)
        self.nonlinear += smoothing * (nonlinear / self.scale - self.nonlinear)
        self.noise += smoothing * (noise / 2 / self.scale - self.noise)
        self.weights_square = (1 - smoothing) ** 2 * self.weights_square + smoothing**2
        self.scale += _SCALE_SMOOTHING * (total - self.scale)

    def standard_error(self, pairs: int, dim: int, noise_smoothing: float) -> float:
        """Standard error of ``share`` where the loss is linear.

        Of n pairs, the mean of the squares has the relative variance 2/n, and the square of the
        slope 2 d/n² from its d random components. Where tau² is followed by pairs of evaluations,
        its error adds to these.

        Args:
            pairs: Mirrored pairs per generation, n.
            dim: Number of coordinates d.
            noise_smoothing: Weight of a pair of evaluations in tau²; zero where it is known.
        """
        variance = 2 * self.weights_square / pairs * (1 + dim / pairs)
        noise_share = min(self.noise / self.total, 1.0)
        return math.sqrt(variance + noise_smoothing * noise_share**2)


def slope_square(normals: Array, halves: Array) -> float:
    """‖E[D z]‖², without bias: the mean of D_i D_j z_i·z_j over all i ≠ j.

    By Stein's lemma E[D z] is the gradient, in units of sigma C^1/2, of the loss averaged over the
    sampling distribution.

    Args:
        normals: Standard normal rows z, shape (n, d), n >= 2.
        halves: The antisymmetric component D at each of them.
    """
    count, total = len(halves), halves.dot(normals)
    weighted = halves[:, None] * normals
    same = np.vdot(weighted, weighted)
    return float(total.dot(total) - same) / (count * (count - 1))


def stall(signal: Signal) -> float:
    """How far the mean has stopped, from 0 to 1: one half is expected of steps without direction.

    Such steps make ‖E‖² = beta/(2 - beta) V on average; from twice that on it counts as moving.
    """
    if not signal.square > 0:
        return 0.0
    moved = float(signal.average @ signal.average) / signal.square
    undirected = SMOOTHING_MEAN / (2 - SMOOTHING_MEAN)
    return min(max(1 - moved / (2 * undirected), 0.0), 1.0)
