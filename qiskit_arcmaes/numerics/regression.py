"""Normal equations of least squares, solved after their diagonal was scaled to one.

The scaling makes the solution independent of the units of the coefficients; a ridge of 1e-13 on the
scaled diagonal keeps nearly singular systems solvable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Array = NDArray[np.float64]

RIDGE = 1e-13  # on the scaled diagonal: a thousand times the rounding of double precision


def solve(matrix: Array, right: Array) -> tuple[Array, Array]:
    """Solve one system of normal equations by Cholesky's factorisation.

    Args:
        matrix: Symmetric, positive semidefinite, shape (k, k): the sum of weighted products of
            features, plus the prior's precision.
        right: The sum of weighted features times values, shape (k,).

    Returns:
        Coefficients, shape (k,), and their covariance, shape (k, k), which is the inverse of the
        matrix.

    Example:
        >>> features = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> coefficients, covariance = solve(features.T @ features, features.T @ [1.0, 3.0, 5.0])
        >>> coefficients.round(6)
        array([1., 2.])
    """
    count = len(matrix)
    scale = np.sqrt(np.diag(matrix) + 1e-300)
    scaled = matrix / np.outer(scale, scale)
    scaled[np.diag_indices(count)] += RIDGE
    factor = cho_factor(scaled, lower=True)
    covariance = cho_solve(factor, np.eye(count)) / np.outer(scale, scale)
    return cho_solve(factor, right / scale) / scale, covariance


def inverses(matrices: Array) -> Array:
    """Invert a stack of small systems at once.

    Args:
        matrices: Symmetric, positive definite, shape (..., k, k).

    Example:
        >>> inverses(np.array([[[2.0, 0.0], [0.0, 4.0]]])).round(6)
        array([[[0.5 , 0.  ],
                [0.  , 0.25]]])
    """
    scale = 1 / np.sqrt(np.diagonal(matrices, axis1=-2, axis2=-1))
    products = scale[..., :, None] * scale[..., None, :]
    ridge = RIDGE * np.eye(matrices.shape[-1])
    inverse: Array = np.linalg.inv(matrices * products + ridge) * products
    return inverse
