"""Angles scaled by known frequencies, and how they are wrapped into the bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import Spectrum

Array = NDArray[np.float64]

_SAME = 1e-9  # relative difference by which a width may fall short of a period


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
        narrow: Where bounds leave less than a period: there nothing is wrapped, and points stay
            between the bounds, shape (n,).
    """

    start: Array
    live: NDArray[np.int_]
    scale: Array
    low: Array
    high: Array
    periods: Array
    narrow: NDArray[np.bool_]

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
        bounded = np.isfinite(low) | np.isfinite(high)
        narrow = bounded & ~(high - low >= periods * (1 - _SAME))
        return cls(setup.start, live, 1 / maximum, low, high, periods, narrow)

    def to_angles(self, x: Array) -> Array:
        """Scaled angles of a point or of points, shape (..., n)."""
        return np.asarray(x[..., self.live] / self.scale)

    def to_x(self, angles: Array) -> Array:
        """Points for evaluation, shape (..., d): inside the bounds, wrapped where periodic."""
        x = angles * self.scale
        outside = ((x < self.low) | (x > self.high)) & ~self.narrow
        period = np.where(outside, self.periods, 1.0)
        origin = np.where(np.isfinite(self.low), self.low, self.high - period)
        origin = np.where(outside, origin, 0.0)
        wrapped = np.where(outside, origin + np.mod(x - origin, period), x)
        points = np.broadcast_to(self.start, (*x.shape[:-1], len(self.start))).copy()
        points[..., self.live] = np.clip(wrapped, self.low, self.high)
        return points

    def anywhere(self, share: Array) -> Array:
        """Scaled angles of shares of their range, in [0, 1): of a period, or between narrow bounds.

        Args:
            share: Shape (..., n).
        """
        low, high = self.low / self.scale, self.high / self.scale
        boxed = self.narrow & np.isfinite(low) & np.isfinite(high)
        width = np.where(boxed, np.where(boxed, high, 0.0) - np.where(boxed, low, 0.0), self.turn)
        return self.inside(np.where(boxed, low, 0.0) + width * share)

    def inside(self, angles: Array) -> Array:
        """Scaled angles with those of narrow bounds projected onto them."""
        projected = np.clip(angles, self.low / self.scale, self.high / self.scale)
        return np.where(self.narrow, projected, angles)

    @property
    def turn(self) -> Array:
        """The period in scaled radians, shape (n,); 2π where the loss has none."""
        turn = self.periods / self.scale
        return np.where(np.isfinite(turn), turn, 2 * math.pi)
