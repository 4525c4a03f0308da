"""The bbob functions f1 to f5: separable.

References:
    N. Hansen and others, INRIA RR-6829 (2009), section 1. Minima are 0 here, and random
    transformations are drawn by NumPy, so that values are not those of the COCO platform.
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import (
    asymmetric,
    oscillated,
    penalty,
    positions,
    scales,
    signs,
)
from qiskit_arcmaes.functions import Array, Formula

STEP_SHARE = 0.25


def bbob(value: Formula, optimum: Array) -> Sketch:
    """A bbob function, with a start from [-4, 4] and a first step of 2."""
    return Sketch(value, optimum, lower=-4.0, upper=4.0, step_share=STEP_SHARE)


def drawn_optimum(dim: int, rng: np.random.Generator) -> Array:
    """The minimiser, uniform in [-4, 4] in every coordinate."""
    return rng.uniform(-4, 4, dim)


def rippled(z: Array) -> Array:
    """Rastrigin's sum.

    Example:
        >>> rippled(np.zeros(3))
        np.float64(0.0)
    """
    return np.asarray(np.sum(z**2 + 10 * (1 - np.cos(2 * np.pi * z)), axis=-1))[()]


def sphere(dim: int, rng: np.random.Generator) -> Sketch:
    """f1."""
    optimum = drawn_optimum(dim, rng)
    return bbob(lambda x: np.sum((x - optimum) ** 2, axis=-1), optimum)


def ellipsoid(dim: int, rng: np.random.Generator) -> Sketch:
    """f2: condition 10^6, axes those of the coordinates, oscillations."""
    optimum = drawn_optimum(dim, rng)
    weights = 1e6 ** positions(dim)
    return bbob(lambda x: oscillated(x - optimum) ** 2 @ weights, optimum)


def rastrigin(dim: int, rng: np.random.Generator) -> Sketch:
    """f3: about 10^d local minima."""
    optimum, stretch = drawn_optimum(dim, rng), scales(10.0, dim)

    def value(x: Array) -> Array:
        return rippled(stretch * asymmetric(oscillated(x - optimum), 0.2))

    return bbob(value, optimum)


def bueche_rastrigin(dim: int, rng: np.random.Generator) -> Sketch:
    """f4: ten times steeper on the positive side of every other coordinate."""
    odd = np.arange(dim) % 2 == 0
    optimum = drawn_optimum(dim, rng)
    optimum = np.where(odd, np.abs(optimum), optimum)
    stretch = scales(10.0, dim)

    def value(x: Array) -> Array:
        y = oscillated(x - optimum)
        return rippled(np.where(odd & (y > 0), 10.0, 1.0) * stretch * y) + 100 * penalty(x)

    return bbob(value, optimum)


def linear_slope(dim: int, rng: np.random.Generator) -> Sketch:
    """f5: linear within the box, constant beyond the corner with the minimum."""
    corner = 5 * signs(dim, rng)
    slopes = np.sign(corner) * 10 ** positions(dim)

    def value(x: Array) -> Array:
        z = np.where(corner * x < 25, x, corner)
        return np.asarray(np.sum(slopes * (corner - z), axis=-1))

    return bbob(value, corner)
