"""Numbers in a circuit as linear functions of the point where a loss is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array

Array = NDArray[np.float64]

_STEP = 0.1234  # no multiple of a period that gates have
_FAR = 10.0  # radians, several turns: angles that are reduced to one turn are noticed
_DIGITS = 12  # decimals of a slope that rounding leaves right: 2.0, not 1.9999999999999998
_SAME = 1e-9  # numbers closer than this, relative to the largest, agree


class UnknownLossError(Exception):
    """Raised where nothing can be said of a loss's circuit; the message names the obstacle."""


@dataclass(frozen=True, eq=False)
class LinearMap:
    """The map x -> matrix @ x + offset.

    Attributes:
        matrix: A sparse array of shape (m, d).
        offset: Shape (m,).
    """

    matrix: csr_array
    offset: Array

    def at(self, points: Array) -> Array:
        """The images, shape (n, m), of points of shape (n, d)."""
        return np.asarray(points @ self.matrix.T + self.offset)


def find_linear_map(numbers: Callable[[Array], Array], x0: Array, most: int) -> LinearMap:
    """Find how some numbers depend on the point, by looking at them at a few points.

    Numbers that are the point itself are recognised at two points. Otherwise d more points give
    the slopes, and the second point, which is in general position, proves that there is nothing
    but these.

    Args:
        numbers: Takes points of shape (n, d) and returns numbers of shape (n, m).
        x0: Where to look, shape (d,).
        most: The largest d for which d more points may be looked at.

    Raises:
        UnknownLossError: When the numbers are not linear in the point, or d is too large.

    Example:
        >>> found = find_linear_map(lambda x: x @ [[2.0], [-1.0]] + 0.5, np.zeros(2), most=200)
        >>> found.matrix.toarray(), found.offset
        (array([[ 2., -1.]]), array([0.5]))
    """
    dim = len(x0)
    general = x0 + _FAR * np.sin(1.0 + np.arange(dim))
    points = np.array([x0, general])
    seen = numbers(points)
    if np.array_equal(seen, points):
        return LinearMap(csr_array(eye_array(dim)), np.zeros(dim))
    if dim > most:
        raise UnknownLossError(f"{dim} parameters, more than {most} for circuits of this size")
    moved = numbers(x0 + _STEP * np.eye(dim))
    matrix = csr_array(np.round((moved - seen[0]).T / _STEP, _DIGITS))
    found = LinearMap(matrix, seen[0] - matrix @ x0)
    scale = max(1.0, float(np.abs(seen).max(initial=0.0)))
    if not np.allclose(found.at(points), seen, rtol=0.0, atol=_SAME * scale):
        raise UnknownLossError("angles that are not linear in the point")
    return found
