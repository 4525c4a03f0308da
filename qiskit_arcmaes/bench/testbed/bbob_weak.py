"""The bbob functions f20 to f24: many minima, weak global structure.

References:
    N. Hansen and others, INRIA RR-6829 (2009), section 5.
"""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.bench.testbed.bbob_separable import bbob, drawn_optimum
from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import (
    oscillated,
    penalty,
    positions,
    rotation,
    scales,
    signs,
)
from qiskit_arcmaes.functions import Array

_SCHWEFEL = 4.2096874633  # the minimiser of -x sin(sqrt|100 x|) in [-5, 5]
_KATSUURA = 2.0 ** np.arange(1, 33)


def schwefel(dim: int, rng: np.random.Generator) -> Sketch:
    """f20: the best minima are in corners of the box, far from the next best."""
    sign = signs(dim, rng)
    level = 4.189828872724339

    def value(x: Array) -> Array:
        y = 2 * sign * x
        shifted = y.copy()
        shifted[..., 1:] += 0.25 * (y[..., :-1] - _SCHWEFEL)
        z = 100 * (scales(10.0, dim) * (shifted - _SCHWEFEL) + _SCHWEFEL)
        waves = np.mean(z * np.sin(np.sqrt(np.abs(z))), axis=-1)
        return np.asarray(level - waves / 100 + 100 * penalty(z / 100))

    return bbob(value, sign * _SCHWEFEL / 2)


def _gallagher(
    peaks: int, best_condition: float, spread: float, dim: int, rng: np.random.Generator
) -> Sketch:
    turn = rotation(dim, rng)
    centres = rng.uniform(-spread, spread, (peaks, dim))
    centres[0] *= 0.8
    conditions = 1000.0 ** (2 * rng.permutation(peaks - 1) / (peaks - 2))
    conditions = np.concatenate([[best_condition], conditions])
    heights = np.concatenate([[10.0], np.linspace(1.1, 9.1, peaks - 1)])
    orders = rng.permuted(np.tile(positions(dim), (peaks, 1)), axis=1)
    weights = conditions[:, None] ** (0.5 * orders - 0.25)
    turned = centres @ turn

    def value(x: Array) -> Array:
        y = x @ turn
        # the square of a difference, multiplied out, would lose digits close to a peak
        exponents = np.stack(
            [(y - centre) ** 2 @ weight for centre, weight in zip(turned, weights, strict=True)], -1
        )
        best = np.max(heights * np.exp(-exponents / (2 * dim)), axis=-1)
        return oscillated(10 - best) ** 2 + penalty(x)

    return bbob(value, centres[0])


def gallagher_101(dim: int, rng: np.random.Generator) -> Sketch:
    """f21: 101 peaks without order, condition of the best about 30."""
    return _gallagher(101, 1000.0, 5.0, dim, rng)


def gallagher_21(dim: int, rng: np.random.Generator) -> Sketch:
    """f22: 21 peaks, condition of the best about 1000."""
    return _gallagher(21, 1000.0**2, 4.9, dim, rng)


def katsuura(dim: int, rng: np.random.Generator) -> Sketch:
    """f23: more than 10^d minima, nowhere differentiable."""
    optimum = drawn_optimum(dim, rng)
    matrix = rotation(dim, rng) * scales(100.0, dim) @ rotation(dim, rng)
    orders = np.arange(1, dim + 1)

    def value(x: Array) -> Array:
        z = (x - optimum) @ matrix
        ripples = sum(np.abs(power * z - np.rint(power * z)) / power for power in _KATSUURA)
        logs = np.sum(np.log1p(orders * ripples), axis=-1)
        return np.asarray(10 / dim**2 * np.expm1(10 / dim**1.2 * logs) + penalty(x))

    return bbob(value, optimum)


def lunacek(dim: int, rng: np.random.Generator) -> Sketch:
    """f24: two funnels, the wider one with the worse bottom, and Rastrigin's waves."""
    sign = signs(dim, rng)
    matrix = rotation(dim, rng) * scales(100.0, dim) @ rotation(dim, rng)
    best = 2.5
    width = 1 - 1 / (2 * math.sqrt(dim + 20) - 8.2)
    other = -math.sqrt((best**2 - 1) / width)

    def value(x: Array) -> Array:
        y = 2 * sign * x
        near = np.sum((y - best) ** 2, axis=-1)
        far = dim + width * np.sum((y - other) ** 2, axis=-1)
        waves = 10 * np.sum(1 - np.cos(2 * np.pi * ((y - best) @ matrix)), axis=-1)
        return np.asarray(np.minimum(near, far) + waves + 1e4 * penalty(x))

    return bbob(value, sign * best / 2)
