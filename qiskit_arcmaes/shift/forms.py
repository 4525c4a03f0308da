"""The two forms of a loss that gradients are fitted with, as factors of their coefficients.

With coefficients g and H, at a distance delta from the centre, the loss is a quadratic,

    slope_i = g_i + sum_j H_ij delta_j,

or trigonometric, c + sum_i (g_i sin delta_i + H_ii (1 - cos delta_i))
+ sum_{i<j} H_ij sin delta_i sin delta_j, as rotations make it,

    slope_i = cos delta_i (g_i + sum_{j != i} H_ij sin delta_j) + H_ii sin delta_i.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Form(Enum):
    """Form of the loss."""

    QUADRATIC = "quadratic"
    TRIGONOMETRIC = "trigonometric"


def factors(form: Form, away: Array) -> Array:
    """Factors of g_i and of row i of H in slope i, shape (d, k, d + 1).

    Args:
        form: Which form.
        away: Distances from the centre in radians, shape (k, d).

    Example:
        >>> factors(Form.QUADRATIC, np.array([[0.5, 2.0]])).tolist()
        [[[1.0, 0.5, 2.0]], [[1.0, 0.5, 2.0]]]
    """
    return _quadratic(away) if form is Form.QUADRATIC else _trigonometric(away)


def _quadratic(away: Array) -> Array:
    """The same factors for every slope."""
    count, dim = away.shape
    common = np.column_stack([np.ones(count), away])
    return np.broadcast_to(common, (dim, count, dim + 1))


def _trigonometric(away: Array) -> Array:
    """Factors that differ in slope i by the cosine of angle i and by its own curvature."""
    dim = away.shape[1]
    sines, cosines = np.sin(away), np.cos(away)
    design: Array = cosines.T[:, :, None] * np.column_stack([np.ones(len(away)), sines])
    own = np.arange(dim)
    design[own, :, 1 + own] = sines.T
    return design
