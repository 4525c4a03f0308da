"""The bbob functions f6 to f14: one funnel, moderate and high conditioning.

References:
    N. Hansen and others, INRIA RR-6829 (2009), sections 2 and 3.
"""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.bench.testbed.bbob_separable import bbob, drawn_optimum
from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import (
    asymmetric,
    oscillated,
    penalty,
    positions,
    rotation,
    scales,
)
from qiskit_arcmaes.functions import Array


def valley(z: Array) -> Array:
    """Rosenbrock's terms, shape (..., d - 1); all are 0 at ones.

    Example:
        >>> valley(np.ones(3))
        array([0., 0.])
    """
    return np.asarray(100 * (z[..., :-1] ** 2 - z[..., 1:]) ** 2 + (z[..., :-1] - 1) ** 2)


def attractive_sector(dim: int, rng: np.random.Generator) -> Sketch:
    """f6: steep except in one hypersector of 2^-d of the volume."""
    optimum = drawn_optimum(dim, rng)
    matrix = rotation(dim, rng) * scales(10.0, dim) @ rotation(dim, rng)

    def value(x: Array) -> Array:
        z = (x - optimum) @ matrix
        weights = np.where(z * optimum > 0, 100.0, 1.0)
        return oscillated(np.sum((weights * z) ** 2, axis=-1)) ** 0.9

    return bbob(value, optimum)


def step_ellipsoid(dim: int, rng: np.random.Generator) -> Sketch:
    """f7: plateaus of several sizes, condition 100."""
    optimum = drawn_optimum(dim, rng)
    matrix, second = rotation(dim, rng) * scales(10.0, dim), rotation(dim, rng)
    weights = 100 ** positions(dim)

    def value(x: Array) -> Array:
        y = (x - optimum) @ matrix
        steps = np.where(np.abs(y) > 0.5, np.floor(0.5 + y), np.floor(0.5 + 10 * y) / 10)
        level = (steps @ second) ** 2 @ weights
        return 0.1 * np.maximum(np.abs(y[..., 0]) / 1e4, level) + penalty(x)

    return bbob(value, optimum)


def rosenbrock(dim: int, rng: np.random.Generator) -> Sketch:
    """f8: a curved valley along the coordinates."""
    optimum = 0.75 * drawn_optimum(dim, rng)
    factor = max(1.0, math.sqrt(dim) / 8)
    return bbob(lambda x: np.sum(valley(factor * (x - optimum) + 1), axis=-1), optimum)


def rosenbrock_rotated(dim: int, rng: np.random.Generator) -> Sketch:
    """f9: the same, rotated."""
    turn, factor = rotation(dim, rng), max(1.0, math.sqrt(dim) / 8)
    optimum = np.full(dim, 0.5 / factor) @ turn.T
    return bbob(lambda x: np.sum(valley(factor * x @ turn + 0.5), axis=-1), optimum)


def ellipsoid_rotated(dim: int, rng: np.random.Generator) -> Sketch:
    """f10: condition 10^6."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    weights = 1e6 ** positions(dim)
    return bbob(lambda x: oscillated((x - optimum) @ turn) ** 2 @ weights, optimum)


def discus(dim: int, rng: np.random.Generator) -> Sketch:
    """f11: one direction a thousand times shorter than all others."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    weights = np.where(np.arange(dim) == 0, 1e6, 1.0)
    return bbob(lambda x: oscillated((x - optimum) @ turn) ** 2 @ weights, optimum)


def bent_cigar(dim: int, rng: np.random.Generator) -> Sketch:
    """f12: one direction a thousand times longer than all others, and bent."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    weights = np.where(np.arange(dim) == 0, 1.0, 1e6)

    def value(x: Array) -> Array:
        return (asymmetric((x - optimum) @ turn, 0.5) @ turn) ** 2 @ weights

    return bbob(value, optimum)


def sharp_ridge(dim: int, rng: np.random.Generator) -> Sketch:
    """f13: a valley with a sharp bottom, on which the slope is not seen from the sides."""
    optimum = drawn_optimum(dim, rng)
    matrix = rotation(dim, rng) * scales(10.0, dim) @ rotation(dim, rng)

    def value(x: Array) -> Array:
        z = (x - optimum) @ matrix
        return np.asarray(z[..., 0] ** 2 + 100 * np.sqrt(np.sum(z[..., 1:] ** 2, axis=-1)))

    return bbob(value, optimum)


def different_powers(dim: int, rng: np.random.Generator) -> Sketch:
    """f14: powers from 2 to 6."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    powers = 2 + 4 * positions(dim)

    def value(x: Array) -> Array:
        return np.asarray(np.sqrt(np.sum(np.abs((x - optimum) @ turn) ** powers, axis=-1)))

    return bbob(value, optimum)
