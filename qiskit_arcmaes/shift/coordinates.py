"""Angles in radians from coordinates with periods of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import TWO_PI, Domain

Array = NDArray[np.float64]

_SAME = 1e-9  # relative difference by which bounds that are 2π apart may differ from it


def angle_scale(domain: Domain) -> Array:
    """Units of each coordinate per radian, shape (d,): its period / 2π, or 1 without a period.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> angle_scale(make_domain(3, periodic=[360.0, 2 * np.pi, 0.0])).round(3).tolist()
        [57.296, 1.0, 1.0]
    """
    period = np.where(domain.periodic, domain.periods, TWO_PI)
    return np.where(np.isclose(period, TWO_PI, rtol=_SAME, atol=0.0), 1.0, period / TWO_PI)


@dataclass(frozen=True)
class AngleCoordinates:
    """Coordinates x = scale · angle of a domain.

    Attributes:
        domain: Bounds and periods of x.
        scale: Units of x per radian, shape (d,).
    """

    domain: Domain
    scale: Array

    @classmethod
    def of(cls, domain: Domain, frequencies: Array | None = None) -> AngleCoordinates:
        """The coordinates of a domain.

        Args:
            domain: Bounds and periods of x.
            frequencies: The largest frequency of each coordinate, shape (d,), where a circuit tells
                it: a radian is then one of that frequency. 0 leaves a coordinate to its period.

        Example:
            >>> from qiskit_arcmaes.domain import make_domain
            >>> AngleCoordinates.of(make_domain(2), np.array([2.0, 0.0])).scale.tolist()
            [0.5, 1.0]
        """
        scale = angle_scale(domain)
        if frequencies is not None:
            known = frequencies > 0
            scale = np.where(known, 1 / np.where(known, frequencies, 1.0), scale)
        return cls(domain, scale)

    def to_angles(self, x: Array) -> Array:
        """Angles in radians of a point or of points."""
        return x / self.scale

    def to_x(self, angles: Array) -> Array:
        """Points for evaluation: inside the bounds, periodic coordinates wrapped."""
        return self.domain.wrap(self.domain.repair(angles * self.scale))

    def inside(self, angles: Array) -> Array:
        """Angles within the bounds, periodic ones not wrapped."""
        return self.to_angles(self.domain.repair(angles * self.scale))
