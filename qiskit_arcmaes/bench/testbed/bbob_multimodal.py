"""The bbob functions f15 to f19: many minima on a global structure.

References:
    N. Hansen and others, INRIA RR-6829 (2009), section 4.
"""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.bench.testbed.bbob_separable import bbob, drawn_optimum, rippled
from qiskit_arcmaes.bench.testbed.bbob_unimodal import valley
from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import (
    asymmetric,
    oscillated,
    penalty,
    rotation,
    scales,
)
from qiskit_arcmaes.functions import Array

_OCTAVES = np.arange(12)


def rastrigin_rotated(dim: int, rng: np.random.Generator) -> Sketch:
    """f15."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    matrix = rotation(dim, rng) * scales(10.0, dim) @ turn

    def value(x: Array) -> Array:
        return rippled(asymmetric(oscillated((x - optimum) @ turn), 0.2) @ matrix)

    return bbob(value, optimum)


def weierstrass(dim: int, rng: np.random.Generator) -> Sketch:
    """f16: rugged on all scales; the minimum is not unique without the penalty."""
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    matrix = rotation(dim, rng) * scales(0.01, dim) @ turn
    lowest = np.sum(0.5**_OCTAVES * np.cos(np.pi * 3.0**_OCTAVES))

    def value(x: Array) -> Array:
        z = oscillated((x - optimum) @ turn) @ matrix
        total = sum(
            0.5**octave * np.cos(2 * np.pi * 3.0**octave * (z + 0.5)) for octave in _OCTAVES
        )
        return np.asarray(10 * (np.mean(total, axis=-1) - lowest) ** 3 + 10 / dim * penalty(x))

    return bbob(value, optimum)


def _schaffers(condition: float, dim: int, rng: np.random.Generator) -> Sketch:
    optimum, turn = drawn_optimum(dim, rng), rotation(dim, rng)
    matrix = rotation(dim, rng) * scales(condition, dim)

    def value(x: Array) -> Array:
        z = asymmetric((x - optimum) @ turn, 0.5) @ matrix
        lengths = np.hypot(z[..., :-1], z[..., 1:])
        terms = np.sqrt(lengths) * (1 + np.sin(50 * lengths**0.2) ** 2)
        return np.asarray(np.mean(terms, axis=-1) ** 2 + 10 * penalty(x))

    return bbob(value, optimum)


def schaffers(dim: int, rng: np.random.Generator) -> Sketch:
    """f17: Schaffer's F7, frequency and height of the waves vary."""
    return _schaffers(10.0, dim, rng)


def schaffers_conditioned(dim: int, rng: np.random.Generator) -> Sketch:
    """f18: the same with condition 1000."""
    return _schaffers(1000.0, dim, rng)


def griewank_rosenbrock(dim: int, rng: np.random.Generator) -> Sketch:
    """f19: Griewank's waves of Rosenbrock's terms."""
    turn, factor = rotation(dim, rng), max(1.0, math.sqrt(dim) / 8)
    optimum = np.full(dim, 0.5 / factor) @ turn.T

    def value(x: Array) -> Array:
        terms = valley(factor * x @ turn + 0.5)
        return np.asarray(10 * np.mean(terms / 4000 - np.cos(terms) + 1, axis=-1))

    return bbob(value, optimum)
