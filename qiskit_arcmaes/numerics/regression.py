"""Normal equations of least squares, solved after their diagonal was scaled to one.

The scaling makes the solution independent of the units of the coefficients; a ridge of 1e-13 on the
scaled diagonal keeps nearly singular systems solvable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lapack

Array = NDArray[np.float64]

RIDGE = 1e-13  # on the scaled diagonal: a thousand times the rounding of double precision


def solve(matrix: Array, right: Array) -> tuple[Array, Array]:
    """Solve one system of normal equations by Cholesky's factorisation.

    Args:
        matrix: Symmetric, positive semidefinite, shape (k, k): the sum of weighted products of
            features, plus the prior's precision.
        right: The sum of weighted features times values, shape (k,).

    Returns:
        Coefficients, shape (k,), and the lower triangle of their covariance, the inverse of the
        matrix, with zeros above it, shape (k, k). ``symmetrised`` gives the whole.

    Raises:
        LinAlgError: When the matrix is not positive semidefinite, or has entries that are not
            finite.

    Example:
        >>> features = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> coefficients, lower = solve(features.T @ features, features.T @ [1.0, 3.0, 5.0])
        >>> coefficients.round(6), lower.round(3)
        (array([1., 2.]), array([[ 0.833,  0.   ],
               [-0.5  ,  0.5  ]]))
    """
    scale = np.sqrt(np.diag(matrix) + 1e-300)
    scaled = matrix / scale
    scaled /= scale[:, None]
    scaled[np.diag_indices(len(matrix))] += RIDGE
    factor, failed = lapack.dpotrf(scaled.T, lower=1, clean=1, overwrite_a=1)
    if failed or not np.isfinite(factor[-1, -1]):
        raise LinAlgError("the normal equations are not positive definite.")
    solution, _ = lapack.dpotrs(factor, right / scale, lower=1)
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)  # a third of a solution's time
    inverse /= scale
    inverse /= scale[:, None]
    return solution / scale, np.asarray(inverse)


def symmetrised(lower: Array) -> Array:
    """The symmetric matrix with this lower triangle; above the diagonal stand zeros.

    Example:
        >>> symmetrised(np.array([[1.0, 0.0], [2.0, 3.0]]))
        array([[1., 2.],
               [2., 3.]])
    """
    matrix = lower + lower.T
    np.fill_diagonal(matrix, np.diag(lower))
    return np.asarray(matrix)


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
