"""The noise level of a loss: variance of one shot, as a sum of squares with degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CERTAIN = 1e9  # degrees of freedom of a variance that is given or reported


@dataclass(frozen=True)
class NoiseLevel:
    """An estimate of the variance of one shot.

    Attributes:
        squares: Sum of squares, each scaled to expect the variance of one shot.
        degrees_of_freedom: Number of squares behind it; 0 where nothing is known.

    Example:
        >>> level = NoiseLevel.from_repeats(np.array([0.3, -0.1, 0.2]), shots=10)
        >>> round(level.variance, 4), level.degrees_of_freedom
        (0.2333, 3.0)
    """

    squares: float = 0.0
    degrees_of_freedom: float = 0.0

    @classmethod
    def known(cls, variance: float) -> NoiseLevel:
        """A variance of one shot that is given or reported."""
        return cls(variance * _CERTAIN, _CERTAIN)

    @classmethod
    def from_repeats(cls, differences: Array, shots: int) -> NoiseLevel:
        """Estimate the level from points that were evaluated twice.

        Args:
            differences: Difference of the two values of each point, finite, shape (n,).
            shots: Shots behind each value, >= 1.
        """
        squares = shots * float(differences @ differences) / 2
        return cls(squares, float(len(differences)))

    @property
    def variance(self) -> float:
        """Variance of one shot; 0 where nothing is known."""
        return self.squares / max(self.degrees_of_freedom, 1.0)

    def pooled(self, earlier: NoiseLevel, weight: float = 1.0) -> NoiseLevel:
        """This estimate together with an earlier one, which counts with a weight in [0, 1]."""
        return NoiseLevel(
            self.squares + weight * earlier.squares,
            self.degrees_of_freedom + weight * earlier.degrees_of_freedom,
        )

    def agrees_with(self, other: NoiseLevel, limit: float) -> bool:
        """Whether the logarithms of two levels differ by less than ``limit`` standard errors.

        Both must have degrees of freedom.
        """
        logarithms = [
            math.log(level.squares / level.degrees_of_freedom + 1e-300) for level in (self, other)
        ]
        error = math.sqrt(2 / self.degrees_of_freedom + 2 / other.degrees_of_freedom)
        return abs(logarithms[0] - logarithms[1]) < limit * error


def reported_variance(variances: Array | None, shots: int) -> float:
    """Variance of one shot as an oracle reports it: the mean over a batch.

    Args:
        variances: Variance of each value, shape (n,); NaN or infinite where unknown; or None.
        shots: Shots behind each value, >= 1.

    Returns:
        The variance of one shot; NaN where no variance is reported.

    Example:
        >>> reported_variance(np.array([0.1, np.nan, 0.3]), shots=10)
        2.0
    """
    if variances is None:
        return math.nan
    finite = np.isfinite(variances)
    if not finite.any():
        return math.nan
    return float(np.nanmean(np.where(finite, variances, math.nan))) * shots
