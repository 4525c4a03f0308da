"""Angles scaled by known frequencies, and how they are wrapped into the bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import Spectrum

Array = NDArray[np.float64]

_SAME = 1e-9  # relative difference by which a width may fall short of a period


def fits(domain: Domain, spectra: tuple[Spectrum, ...]) -> bool:
    """Whether bounds leave a whole period free in every coordinate that the loss depends on.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> from qiskit_arcmaes.rotations import listed
        >>> [fits(make_domain(1, [(-3.5, 3.5)]), (listed([w]),)) for w in (1.0, 0.5)]
        [True, False]
    """
    free = np.isneginf(domain.lower) & np.isposinf(domain.upper)
    periods = np.array([spectrum.period for spectrum in spectra])
    idle = np.array([spectrum.maximum == 0 for spectrum in spectra])
    wide = domain.upper - domain.lower >= periods * (1 - _SAME)
    return bool(np.all(idle | free | (wide & np.isfinite(periods))))


@dataclass(frozen=True, eq=False)
class SpectralCoordinates:
    """Angles of the coordinates that the loss depends on, with a largest frequency of 1.

    Attributes:
        start: The first point, whose other coordinates are left alone, shape (d,).
        live: Indices of these coordinates, shape (n,).
        scale: Units of x per radian, shape (n,).
        low: Lowest value of each, -inf where there is none, shape (n,).
        high: Highest value of each, shape (n,).
        periods: The period of the loss in units of x, shape (n,); infinite where it has none.
    """

    start: Array
    live: NDArray[np.int_]
    scale: Array
    low: Array
    high: Array
    periods: Array

    @classmethod
    def of(cls, setup: Setup, spectra: tuple[Spectrum, ...]) -> SpectralCoordinates:
        """The coordinates of a problem with known spectra."""
        live = np.flatnonzero([spectrum.maximum > 0 for spectrum in spectra])
        maximum = np.array([spectra[index].maximum for index in live])
        periods = np.array([spectra[index].period for index in live])
        low, high = setup.domain.lower[live], setup.domain.upper[live]
        wrap = setup.domain.periods[live]  # honoured where the loss has that period
        turns = wrap / periods
        whole = (np.abs(turns - np.rint(turns)) < 1e-6) & (np.rint(turns) > 0)
        boxed = whole & np.isneginf(low) & np.isposinf(high)
        low, high = np.where(boxed, -wrap / 2, low), np.where(boxed, wrap / 2, high)
        return cls(setup.start, live, 1 / maximum, low, high, periods)

    def to_angles(self, x: Array) -> Array:
        """Scaled angles of a point or of points, shape (..., n)."""
        return np.asarray(x[..., self.live] / self.scale)

    def to_x(self, angles: Array) -> Array:
        """Points for evaluation, shape (..., d): inside the bounds, wrapped where periodic."""
        x = angles * self.scale
        outside = (x < self.low) | (x > self.high)
        period = np.where(outside, self.periods, 1.0)
        origin = np.where(np.isfinite(self.low), self.low, self.high - period)
        origin = np.where(outside, origin, 0.0)
        wrapped = np.where(outside, origin + np.mod(x - origin, period), x)
        points = np.broadcast_to(self.start, (*x.shape[:-1], len(self.start))).copy()
        points[..., self.live] = np.clip(wrapped, self.low, self.high)
        return points

    @property
    def turn(self) -> Array:
        """The period in scaled radians, shape (n,); 2π where the loss has none."""
        turn = self.periods / self.scale
        return np.where(np.isfinite(turn), turn, 2 * math.pi)
