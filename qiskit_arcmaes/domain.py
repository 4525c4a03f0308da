"""The search domain: bounds, periodic coordinates, and how points get back inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds

Array = NDArray[np.float64]

TWO_PI = 2 * np.pi


@dataclass(frozen=True)
class Domain:
    """Bounds and periods, one of each per coordinate.

    Attributes:
        lower: Lower bounds, -inf where there is none.
        upper: Upper bounds, +inf where there is none.
        periods: The period of a periodic coordinate, else 0. A periodic coordinate is searched
            freely, and points are wrapped into ``lower .. lower + period``, or around zero where
            it has no bounds.
    """

    lower: Array
    upper: Array
    periods: Array

    @cached_property
    def periodic(self) -> NDArray[np.bool_]:
        """Which coordinates are periodic."""
        return self.periods > 0

    @cached_property
    def bounded(self) -> bool:
        """Whether any coordinate that is not periodic has a bound."""
        return bool(np.any((np.isfinite(self.lower) | np.isfinite(self.upper)) & ~self.periodic))

    @cached_property
    def step_limit(self) -> float:
        """The widest useful standard deviation: a quarter of the shortest period."""
        periods = self.periods[self.periodic]
        return float(periods.min() / 4) if len(periods) else float("inf")

    def repair(self, points: Array) -> Array:
        """Put points that left their bounds onto them; periodic coordinates stay unwrapped."""
        lower = np.where(self.periodic, -np.inf, self.lower)
        upper = np.where(self.periodic, np.inf, self.upper)
        return np.clip(points, lower, upper)

    def wrap(self, points: Array) -> Array:
        """Bring periodic coordinates into their bounds, to evaluate or return them."""
        if self.step_limit == np.inf:  # nothing is periodic
            return points
        period = np.where(self.periodic, self.periods, 1.0)
        origin = np.where(np.isfinite(self.lower), self.lower, -period / 2)
        wrapped = origin + np.mod(points - origin, period)
        wrapped = np.minimum(wrapped, np.where(self.periodic, origin + period, np.inf))
        inside = (points >= origin) & (points <= origin + period)  # keeps a point's last digit
        return np.where(self.periodic & ~inside, wrapped, points)

    def widest(self) -> float | None:
        """The widest finite range between bounds, None when there is none."""
        with np.errstate(over="ignore"):
            width = self.upper - self.lower
        width = width[np.isfinite(width)]
        return float(width.max()) if len(width) else None


def make_domain(
    dim: int, bounds: Sequence[Any] | ArrayLike | Bounds | None = None, periodic: Any = None
) -> Domain:
    """Check bounds and periods and put them together.

    Args:
        dim: Number of coordinates.
        bounds: One (lower, upper) pair per coordinate, None in a pair for no bound; or None; or a
            ``scipy.optimize.Bounds``.
        periodic: None makes every coordinate periodic whose bounds are 2π apart; False makes
            none; True makes all (with the width of their bounds as period, else 2π); a sequence
            of ``dim`` booleans chooses; a sequence of numbers gives the periods (0: not periodic).

    Example:
        >>> make_domain(2, [(0, 2 * np.pi), (-1, 1)]).periods.round(2)
        array([6.28, 0.  ])
    """
    lower, upper = _read_bounds(dim, bounds)
    with np.errstate(over="ignore"):  # wider than any number is as good as no bound
        width = upper - lower
    own = np.where(np.isfinite(width), width, TWO_PI)
    if periodic is None:
        periods = np.where(np.isclose(width, TWO_PI, rtol=1e-9), width, 0.0)
    elif isinstance(periodic, bool | np.bool_):
        periods = own if periodic else np.zeros(dim)
    else:
        given = np.asarray(periodic)
        if given.shape != (dim,) or given.dtype.kind not in "biuf":
            raise ValueError(
                f"periodic must be None, a bool or a sequence of {dim} booleans or periods, not "
                f"{periodic!r}."
            )
        periods = np.where(given, own, 0.0) if given.dtype == bool else given.astype(float)
        if not np.all(np.isfinite(periods) & (periods >= 0)):
            raise ValueError(f"periodic must hold finite periods >= 0, not {periodic!r}.")
    mismatch = (periods > 0) & np.isfinite(width) & (width < periods * (1 - 1e-9))
    if mismatch.any():
        index = int(np.flatnonzero(mismatch)[0])
        raise ValueError(
            f"bounds of coordinate {index} are {width[index]:g} wide, less than its period "
            f"{periods[index]:g}: widen the bounds to one period or pass periodic=False."
        )
    return Domain(lower, upper, periods)


def check_start(x0: ArrayLike, domain: Domain) -> Array:
    """Check the starting point: one-dimensional, finite, inside the bounds."""
    start = np.array(x0, dtype=float)
    outside = (start < domain.lower) | (start > domain.upper)
    if outside.any():
        index = int(np.flatnonzero(outside)[0])
        raise ValueError(
            f"x0[{index}] = {start[index]:g} lies outside its bounds "
            f"[{domain.lower[index]:g}, {domain.upper[index]:g}]; "
            "start inside them or widen them."
        )
    return start


def _read_bounds(dim: int, bounds: Any) -> tuple[Array, Array]:
    if bounds is None:
        return np.full(dim, -np.inf), np.full(dim, np.inf)
    try:
        if isinstance(bounds, Bounds):
            bounds = list(_pairs(bounds, dim))
        pairs = [(low, high) for low, high in bounds]
        lower = np.array([-np.inf if low is None else float(low) for low, _ in pairs])
        upper = np.array([np.inf if high is None else float(high) for _, high in pairs])
    except (TypeError, ValueError, OverflowError):
        pairs = []
    if len(pairs) != dim:
        raise ValueError(
            f"bounds must be {dim} (lower, upper) pairs, one for each coordinate of x0, "
            f"not {bounds!r}."
        )
    wrong = ~(lower < upper)  # also catches NaN
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"bounds[{index}] = ({lower[index]:g}, {upper[index]:g}): the lower bound must be "
            "below the upper one; fix a coordinate in the function instead of by equal bounds."
        )
    return lower, upper


def _pairs(bounds: Bounds, dim: int) -> Iterator[tuple[float, float]]:
    """The pairs of scipy's bounds, where one number may stand for all coordinates."""
    low, high = (np.broadcast_to(limit, dim).tolist() for limit in (bounds.lb, bounds.ub))
    return zip(low, high, strict=True)
