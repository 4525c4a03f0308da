"""The paper's estimate of the Lipschitz constant K of the gradient, from a Gaussian process.

Zero-mean process with the kernel exp(-theta ‖x - x'‖²) and white noise, fitted to the population;
K is the largest spectral norm of its posterior mean's Hessian over points in the convex hull.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Array = NDArray[np.float64]


def lipschitz_constant(
    points: Array, values: Array, noise: float, count: int, rng: np.random.Generator
) -> float:
    """Estimate K = max ‖Hessian‖ over random convex combinations of the points.

    K is 0 where floating-point numbers resolve none: the values are equal, their spread vanishes
    beside the noise, or the points lie closer together than the square root of the smallest number.

    Args:
        points: The population, shape (n, d).
        values: Their values, finite, shape (n,).
        noise: Variance of each value. Erratum: the paper prints the standard deviation tau/sqrt(M).
        count: How many convex combinations to try, > 0; the paper takes 100 d, of which a
            hundredth finds the same K, as random combinations all lie near the centre.
        rng: Where they are drawn from.
    """
    centre, scale = values.mean(), values.std()
    if scale == 0:
        return 0.0
    centred = points - points.mean(axis=0)
    distances = squared_distances(centred, centred)
    with np.errstate(all="ignore"):
        # The paper leaves theta open; maximum likelihood makes K tiny, this works.
        theta = 1 / np.median(distances[np.triu_indices(len(points), 1)])
        share = noise / scale**2
    if not np.isfinite(theta + share):
        return 0.0
    kernel = np.exp(-theta * distances)
    kernel[np.diag_indices_from(kernel)] += share + 1e-8
    weights = cho_solve(cho_factor(kernel), (values - centre) / scale)
    shares = rng.standard_exponential((count, len(points)))
    tried = (shares / shares.sum(axis=1, keepdims=True)) @ centred
    with np.errstate(all="ignore"):
        hessians = posterior_hessians(tried, centred, weights, theta)
    if not np.isfinite(hessians).all():
        return 0.0
    return float(scale * np.abs(np.linalg.eigvalsh(hessians)).max())


def posterior_hessians(at: Array, points: Array, weights: Array, theta: float) -> Array:
    """Hessians of sum_i w_i exp(-theta ‖x - x_i‖²) at each row of ``at``, shape (m, d, d)."""
    dim = points.shape[1]
    influence = np.exp(-theta * squared_distances(at, points)) * weights
    total = influence.sum(axis=1)
    first = influence @ points
    outer = (points[:, :, None] * points[:, None, :]).reshape(len(points), -1)
    second = (influence @ outer).reshape(len(at), dim, dim)
    cross = at[:, :, None] * first[:, None, :]
    spread = (
        total[:, None, None] * at[:, :, None] * at[:, None, :]
        - cross
        - cross.transpose(0, 2, 1)
        + second
    )
    return np.asarray(4 * theta**2 * spread - 2 * theta * total[:, None, None] * np.eye(dim))


def squared_distances(left: Array, right: Array) -> Array:
    """‖x - y‖² between all rows of ``left`` and ``right``."""
    squares = np.sum(left**2, axis=1)[:, None] + np.sum(right**2, axis=1) - 2 * left @ right.T
    return np.asarray(np.maximum(squares, 0.0))
