"""Transformations of the search space, those of the bbob functions among them.

References:
    N. Hansen, S. Finck, R. Ros, A. Auger, "Real-parameter black-box optimization benchmarking
    2009: noiseless functions definitions", INRIA RR-6829 (2009), section 0.2.
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.functions import Array

_LARGEST_LOG = 100.0  # values beyond exp(100) are cut, so that squares of them stay finite


def positions(dim: int) -> Array:
    """The exponents (i - 1)/(d - 1), from 0 to 1.

    Example:
        >>> positions(3)
        array([0. , 0.5, 1. ])
    """
    return np.arange(dim) / max(dim - 1, 1)


def rotation(dim: int, rng: np.random.Generator) -> Array:
    """A rotation or reflection drawn uniformly, to multiply rows from the right."""
    q, r = np.linalg.qr(rng.standard_normal((dim, dim)))
    return np.asarray(q * np.sign(np.diag(r)))


def scales(condition: float, dim: int) -> Array:
    """The diagonal of Λ^condition: square roots, so that a square has the condition number.

    Example:
        >>> scales(100.0, 3).round(3)
        array([ 1.   ,  3.162, 10.   ])
    """
    return np.asarray(condition ** (0.5 * positions(dim)))


def oscillated(x: Array) -> Array:
    """T_osz: smooth small oscillations on all scales, zero and signs kept.

    Example:
        >>> oscillated(np.array([0.0, 1.0, -1.0]))
        array([ 0.,  1., -1.])
    """
    logs = np.log(np.where(x == 0, 1.0, np.abs(x)))
    first, second = np.where(x > 0, 10.0, 5.5), np.where(x > 0, 7.9, 3.1)
    waves = np.sin(first * logs) + np.sin(second * logs)
    return np.asarray(np.sign(x) * np.exp(logs + 0.049 * waves))


def asymmetric(x: Array, beta: float) -> Array:
    """T_asy: positive coordinates grow faster, the later ones more.

    Example:
        >>> asymmetric(np.array([4.0, -4.0, 4.0]), 0.5)
        array([ 4., -4., 16.])
    """
    above = np.maximum(x, 0.0)
    exponents = 1 + beta * positions(x.shape[-1]) * np.sqrt(above)
    logs = exponents * np.log(np.where(above > 0, above, 1.0))
    return np.where(x > 0, np.exp(np.minimum(logs, _LARGEST_LOG)), x)


def penalty(x: Array) -> Array:
    """f_pen: the squared distance from the box of half-width 5.

    Example:
        >>> penalty(np.array([6.0, -5.0, -7.0]))
        np.float64(5.0)
    """
    return np.asarray(np.sum(np.maximum(np.abs(x) - 5, 0.0) ** 2, axis=-1))[()]


def signs(dim: int, rng: np.random.Generator) -> Array:
    """Signs drawn at random."""
    return rng.choice([-1.0, 1.0], dim)
