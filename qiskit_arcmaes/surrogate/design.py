"""Designs of mirrored samples: where the surrogate evaluates the loss, and the values there.

A mirrored pair is two points middle ± offset. The antisymmetric component of its values, half their
difference, contains no curvature and no symmetric ruggedness, so that it gives the slope without
bias from them. The symmetric component, half their sum, gives the curvature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-15  # by this part of the largest coordinate middles of pairs differ by rounding


@dataclass(frozen=True)
class SamplingDistribution:
    """Where a design is drawn: x = centre + D u, u standard normal.

    Attributes:
        centre: Shape (d,).
        scale: The symmetric, positive definite matrix D, shape (d, d).
    """

    centre: Array
    scale: Array

    @property
    def radius(self) -> float:
        """The largest standard deviation along any direction."""
        return float(np.linalg.eigvalsh(self.scale)[-1])

    @property
    def typical_radius(self) -> float:
        """Geometric mean of the standard deviations along the axes."""
        return math.exp(np.linalg.slogdet(self.scale)[1] / len(self.centre))

    def standardised(self, points: Array) -> Array:
        """The coordinates u of points, shape (n, d)."""
        return np.asarray(np.linalg.solve(self.scale, (points - self.centre).T).T)


@dataclass(frozen=True)
class Design:
    """The mirrored pairs of one job and their values.

    Attributes:
        middles: Middle of each pair, shape (n, d); shape (1, d) where all pairs share it.
        offsets: Half the difference of the two points of each pair, shape (n, d).
        antisymmetric: Half the difference of the two values of each pair, shape (n,).
        symmetric: Half their sum, shape (n,).
        variance: Variance of each entry of both components that the noise causes.
        noise: Variance of one shot in this design.
        scale: Matrix D of the distribution that it was drawn from, shape (d, d).
        number: Number of the job in the run.
        fits_since_use: Number of fits since one used it.
        lack_of_fit: Variance of the antisymmetric component that the last fit did not explain.
        symmetric_lack_of_fit: The same of the symmetric component.
    """

    middles: Array
    offsets: Array
    antisymmetric: Array
    symmetric: Array
    variance: float
    noise: float
    scale: Array
    number: int
    fits_since_use: int = 0
    lack_of_fit: float = 0.0
    symmetric_lack_of_fit: float = 0.0

    @property
    def common_middle(self) -> bool:
        """Whether all pairs have the same middle: no bound has moved a point."""
        return len(self.middles) == 1


def draw_points(
    rng: np.random.Generator, distribution: SamplingDistribution, pairs: int, repeats: int
) -> Array:
    """Draw mirrored pairs; the first ones a second time, to measure the noise.

    Args:
        rng: The generator to draw from.
        distribution: Where to draw.
        pairs: Number of different pairs, >= 1.
        repeats: Number of pairs that are repeated, <= ``pairs``.

    Returns:
        The first points of all pairs, then the second ones: shape (2 (pairs + repeats), d).
    """
    normals = directions(rng, pairs, len(distribution.centre))
    offsets = np.concatenate([normals, normals[:repeats]]) @ distribution.scale
    return np.concatenate([distribution.centre + offsets, distribution.centre - offsets])


def make_design(
    points: Array, values: Array, noise: float, shots: int, scale: Array, number: int
) -> Design:
    """Combine points and values to pairs; pairs with a failed value are left out.

    Args:
        points: First points of all pairs, then the second ones, shape (2n, d).
        values: Values of these points, NaN where they failed, shape (2n,).
        noise: Variance of one shot, >= 0.
        shots: Shots behind each value, >= 1.
        scale: Matrix D of the distribution that the points were drawn from.
        number: Number of the job in the run.

    Example:
        >>> points = np.array([[1.0], [2.0], [-1.0], [-2.0]])
        >>> design = make_design(points, np.array([3.0, 6.0, 1.0, 2.0]), 1.0, 10, np.eye(1), 0)
        >>> design.antisymmetric, design.symmetric, design.variance
        (array([1., 2.]), array([2., 4.]), 0.05)
    """
    above, below = np.split(points, 2)
    first, second = np.split(values, 2)
    valid = np.isfinite(first) & np.isfinite(second)
    above, below, first, second = above[valid], below[valid], first[valid], second[valid]
    middles = (above + below) / 2
    if len(middles) > 1 and np.ptp(middles, axis=0).max() <= _ROUNDING * np.abs(above).max():
        middles = middles[:1]
    return Design(
        middles=middles,
        offsets=(above - below) / 2,
        antisymmetric=(first - second) / 2,
        symmetric=(first + second) / 2,
        variance=noise / shots / 2,
        noise=noise,
        scale=scale,
        number=number,
    )


def directions(rng: np.random.Generator, count: int, dim: int) -> Array:
    """Draw directions that are standard normal one by one, but evenly spread.

    They come in orthogonal blocks with chi-distributed lengths, so that their second moments are
    close to those of a normal distribution already for ``count`` = ``dim``.

    Returns:
        Shape (count, dim).
    """
    blocks = -(-count // dim)
    rotations = np.linalg.qr(rng.standard_normal((blocks, dim, dim)))[0]
    lengths = np.sqrt(rng.chisquare(dim, (blocks, dim, 1)))
    return np.asarray((rotations * lengths).reshape(-1, dim)[:count])
