"""Parameter-shift pairs: their points, slopes and curvatures.

For a parameter that rotates by a Pauli matrix the loss is a sinusoid of that parameter, and

    slope = (f(x + s e_i) - f(x - s e_i)) / (2 sin s)

holds for every shift s (Mitarai et al., arXiv:1803.00745, at s = π/2; Mari et al.,
arXiv:2008.06517, for any s). The mean of a pair tells the curvature:

    curvature = ((f(x + s e_i) + f(x - s e_i)) / 2 - f(x)) / (1 - cos s).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def pair_points(centre: Array, shifts: list[float]) -> Array:
    """Points of one pair per angle and shift, shape (2 d k, d): above, below, above, ...

    Args:
        centre: Shape (d,).
        shifts: k shifts in radians.

    Example:
        >>> pair_points(np.zeros(2), [1.0]).tolist()
        [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    """
    dim = len(centre)
    steps = np.concatenate([shift * np.eye(dim) for shift in shifts])
    points: Array = np.stack([centre + steps, centre - steps], axis=1).reshape(-1, dim)
    return points


@dataclass(frozen=True)
class Pairs:
    """Values of pairs.

    Attributes:
        above: f(x + s e_i), shape (n,).
        below: f(x - s e_i), shape (n,).
    """

    above: Array
    below: Array

    @property
    def half_differences(self) -> Array:
        """The antisymmetric component, shape (n,)."""
        return (self.above - self.below) / 2

    @property
    def means(self) -> Array:
        """The symmetric component, shape (n,)."""
        return (self.above + self.below) / 2


def read_pairs(values: Array) -> Pairs:
    """Pairs from the values at ``pair_points``; a failed value counts as the worst one.

    Example:
        >>> read_pairs(np.array([1.0, 0.0, np.nan, 3.0])).half_differences
        array([0.5, 0. ])
    """
    failed = np.isnan(values)
    worst = 0.0 if failed.all() else float(np.nanmax(values))
    above, below = np.where(failed, worst, values).reshape(-1, 2).T
    return Pairs(above, below)


def slopes(half_differences: Array, shift: float) -> Array:
    """Slopes at the centre.

    Example:
        >>> pairs = read_pairs(np.sin([0.3 + 1.2, 0.3 - 1.2]))
        >>> bool(np.isclose(slopes(pairs.half_differences, 1.2)[0], np.cos(0.3)))
        True
    """
    return half_differences / math.sin(shift)


def slope_variance(noise: float, pairs: int, shots: int, shift: float) -> float:
    """Variance of a slope.

    Args:
        noise: Variance of one shot.
        pairs: Pairs that were averaged.
        shots: Shots per point.
        shift: In radians.
    """
    return noise / (2 * pairs * shots * math.sin(shift) ** 2)


def curvatures(means: Array, value: float, shift: float) -> Array:
    """Curvatures along the axes, from the symmetric component and the value at the centre.

    Example:
        >>> pairs = read_pairs(np.cos([0.3 + 1.2, 0.3 - 1.2]))
        >>> bool(np.isclose(curvatures(pairs.means, np.cos(0.3), 1.2)[0], -np.cos(0.3)))
        True
    """
    return (means - value) / (1 - math.cos(shift))
