"""Functions of this project with one basin: warps, plateaus, kinks, flat and steep regions."""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.bench.testbed.classical import placed
from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import positions, rotation
from qiskit_arcmaes.functions import Array

_STAIR = 0.5  # height of a step


def _stairs(y: Array) -> Array:
    return np.asarray(_STAIR * np.floor(np.sum(y**2, axis=-1) / _STAIR))


def stairs(dim: int, rng: np.random.Generator) -> Sketch:
    """A bowl rounded down to steps of 0.5: plateaus, and no slope anywhere."""
    return placed(_stairs, np.zeros(dim), 5.0, rng)


def coordinate_stairs(dim: int, rng: np.random.Generator) -> Sketch:
    """Every rotated coordinate rounded to whole numbers, condition 100."""
    weights = 100 ** positions(dim)
    return placed(lambda y: np.rint(y) ** 2 @ weights, np.zeros(dim), 10.0, rng, rotated=True)


def banana(dim: int, rng: np.random.Generator) -> Sketch:
    """One long rotated valley that bends by a parabola in every other direction."""
    bends = rng.uniform(-1, 1, dim - 1)

    def formula(y: Array) -> Array:
        along = y[..., :1]
        walls = np.sum((y[..., 1:] - bends * along**2) ** 2, axis=-1)
        return np.asarray(0.1 * along[..., 0] ** 2 + 20 * walls)

    return placed(formula, np.zeros(dim), 3.0, rng, rotated=True)


def exponential_walls(dim: int, rng: np.random.Generator) -> Sketch:
    """exp(2y) - 2y - 1: linear on one side, exploding on the other; rotated."""

    def formula(y: Array) -> Array:
        steep = np.minimum(2 * y, 50.0)
        return np.asarray(np.sum(np.expm1(steep) - 2 * y + (2 * y - steep) * 2, axis=-1))

    return placed(formula, np.zeros(dim), 3.0, rng, rotated=True)


def saturating_bowl(dim: int, rng: np.random.Generator) -> Sketch:
    """1 - exp(-|y|²/(2d)): flat far out; rotated, condition 10."""
    weights = 10 ** positions(dim)

    def formula(y: Array) -> Array:
        return -np.expm1(-(y**2 @ weights) / (2 * dim))

    return placed(formula, np.zeros(dim), 2.0, rng, rotated=True)


def rippled_quadratic(dim: int, rng: np.random.Generator) -> Sketch:
    """A rotated quadratic with small fast ripples, which no smooth model fits."""
    weights = 100 ** positions(dim)

    def formula(y: Array) -> Array:
        ripples = np.sum(1 - np.cos(40 * y), axis=-1)
        return np.asarray(y**2 @ weights + 0.2 * ripples)

    return placed(formula, np.zeros(dim), 5.0, rng, rotated=True)


def few_active_directions(dim: int, rng: np.random.Generator) -> Sketch:
    """Only a fifth of the rotated directions matter, at least two; condition 100."""
    active = max(dim // 5, 2)
    weights = np.zeros(dim)
    weights[:active] = 100 ** positions(active)
    return placed(lambda y: y**2 @ weights, np.zeros(dim), 5.0, rng, rotated=True)


def wide_spectrum(dim: int, rng: np.random.Generator) -> Sketch:
    """A rotated quadratic with eigenvalues log-uniform from 10^-3 to 10^3."""
    weights = 10 ** rng.uniform(-3, 3, dim)
    return placed(lambda y: y**2 @ weights, np.zeros(dim), 5.0, rng, rotated=True)


def quartic_bowl(dim: int, rng: np.random.Generator) -> Sketch:
    """Fourth powers: the curvature vanishes at the minimum; rotated."""
    return placed(lambda y: np.sum(y**4, axis=-1), np.zeros(dim), 3.0, rng, rotated=True)


def cusps(dim: int, rng: np.random.Generator) -> Sketch:
    """Square roots of the rotated coordinates: steepest at the minimum, concave elsewhere."""
    return placed(
        lambda y: np.sum(np.sqrt(np.abs(y)), axis=-1), np.zeros(dim), 5.0, rng, rotated=True
    )


def cut_bowl(dim: int, rng: np.random.Generator) -> Sketch:
    """A bowl with kinks: the largest of 2d random planes is added."""
    slopes = rng.standard_normal((dim, 2 * dim)) / np.sqrt(dim)

    def formula(y: Array) -> Array:
        return np.asarray(0.1 * np.sum(y**2, axis=-1) + np.max(np.abs(y @ slopes), axis=-1))

    return placed(formula, np.zeros(dim), 5.0, rng)


def coupled_blocks(dim: int, rng: np.random.Generator) -> Sketch:
    """Rotated pairs of coordinates, each a quadratic of condition 1000; blocks are separable."""
    blocks = np.zeros((dim, dim))
    for first in range(0, dim, 2):
        size = min(2, dim - first)
        blocks[first : first + size, first : first + size] = rotation(size, rng)
    weights = np.where(np.arange(dim) % 2 == 0, 1.0, 1000.0)
    return placed(lambda y: (y @ blocks) ** 2 @ weights, np.zeros(dim), 5.0, rng)


def warped_axes(dim: int, rng: np.random.Generator) -> Sketch:
    """A quadratic of sinh(y) and a rotation after it: curvature grows with the distance."""
    turn = rotation(dim, rng)
    weights = 10 ** positions(dim)

    def formula(y: Array) -> Array:
        return (np.sinh(np.clip(y, -50, 50)) @ turn) ** 2 @ weights

    return placed(formula, np.zeros(dim), 2.0, rng)
