"""Functions of this project with several minima: equal, unequal, deceptive, far away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qiskit_arcmaes.bench.testbed.classical import placed
from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import positions, rotation
from qiskit_arcmaes.functions import Array

_NEEDLE = 0.3  # the hole rises by 1 at this root mean square distance


def _waves(y: Array) -> Array:
    return np.asarray(np.sum(1 - np.cos(y), axis=-1))


def equal_basins(dim: int, rng: np.random.Generator) -> Sketch:
    """Cosines: infinitely many equal minima; separable."""
    return placed(_waves, np.zeros(dim), 10.0, rng)


def equal_basins_rotated(dim: int, rng: np.random.Generator) -> Sketch:
    """The same, rotated."""
    return placed(_waves, np.zeros(dim), 10.0, rng, rotated=True)


def _wells(y: Array) -> Array:
    return np.asarray(np.sum((y**2 - 1) ** 2 + 0.1 * (y - 1) ** 2, axis=-1))


def tilted_wells(dim: int, rng: np.random.Generator) -> Sketch:
    """Double wells, one side a little deeper: 2^d unequal minima; separable."""
    return placed(_wells, np.ones(dim), 2.0, rng)


def tilted_wells_rotated(dim: int, rng: np.random.Generator) -> Sketch:
    """The same, rotated."""
    return placed(_wells, np.ones(dim), 2.0, rng, rotated=True)


def lowest_of_bowls(centres: Array, widths: Sequence[float], floors: Sequence[float]) -> Sketch:
    """The lowest of quadratic bowls, per coordinate; the first one has the minimum 0.

    Args:
        centres: Bottoms of the bowls, shape (k, d).
        widths: A bowl rises by 1 at this root mean square distance from its bottom.
        floors: Values of the bottoms, the first 0, the others above.
    """

    def value(x: Array) -> Array:
        bowls = [
            np.mean(((x - centre) / width) ** 2, axis=-1) + floor
            for centre, width, floor in zip(centres, widths, floors, strict=True)
        ]
        return np.asarray(np.min(bowls, axis=0))

    return Sketch(value, centres[0])


def few_unequal_basins(dim: int, rng: np.random.Generator) -> Sketch:
    """Six bowls of equal width at random places; the best is lower by a fifth of the range."""
    centres = rng.uniform(-4, 4, (6, dim))
    return lowest_of_bowls(centres, [2.0] * 6, [0.0, 0.4, 0.6, 0.8, 1.0, 1.2])


def deceptive_funnel(dim: int, rng: np.random.Generator) -> Sketch:
    """A wide bowl that leads away from a narrower and deeper one."""
    centre = rng.uniform(1.5, 3, dim) * rng.choice([-1, 1], dim)
    return lowest_of_bowls(np.array([centre, -0.5 * centre]), [1.0, 4.0], [0.0, 0.5])


def far_basin(dim: int, rng: np.random.Generator) -> Sketch:
    """The start is in a bowl; the better one is four first steps away in every coordinate."""
    centres = np.array([rng.uniform(2, 4, dim), rng.uniform(-4, -2, dim)])
    bowls = lowest_of_bowls(centres, [1.5, 1.5], [0.0, 2.0])
    return Sketch(bowls.value, bowls.optimum, lower=-4.0, upper=-2.0, step_share=0.75)


def rippled_funnel(dim: int, rng: np.random.Generator) -> Sketch:
    """A bowl with ripples of two wavelengths, all minima on one slope; rotated."""

    def formula(y: Array) -> Array:
        ripples = 2 * (1 - np.cos(3 * y)) + 0.3 * (1 - np.cos(25 * y))
        return np.asarray(np.sum(y**2 + ripples, axis=-1))

    return placed(formula, np.zeros(dim), 5.0, rng, rotated=True)


def planted_phases(dim: int, rng: np.random.Generator) -> Sketch:
    """Angles coupled by cosines of differences, in a ring and at random.

    All terms are least at the planted phases; other minima are twisted along the ring.
    """
    phases = rng.uniform(-np.pi, np.pi, dim)
    friends = rng.exponential(1.0, (dim, dim)) * (rng.uniform(size=(dim, dim)) < 2 / dim)
    total = float(np.sum(friends))

    def value(x: Array) -> Array:
        y = x - phases
        ring = 1 - np.cos(y - np.roll(y, 1, axis=-1))
        cosine, sine = np.cos(y), np.sin(y)
        aligned = np.sum(cosine * (cosine @ friends) + sine * (sine @ friends), axis=-1)
        return np.asarray(np.sum(ring + 0.1 * (1 - cosine), axis=-1) + total - aligned)

    return Sketch(value, phases, lower=-np.pi, upper=np.pi, step_share=0.15)


def barren_cosines(dim: int, rng: np.random.Generator) -> Sketch:
    """1 minus a product of squared cosines: flat nearly everywhere in many dimensions."""
    phases = rng.uniform(-1, 1, dim)

    def value(x: Array) -> Array:
        return np.asarray(1 - np.prod(np.cos((x - phases) / 2) ** 2, axis=-1))

    return Sketch(value, phases, lower=-1.5, upper=1.5, step_share=0.2)


def hidden_needle(dim: int, rng: np.random.Generator) -> Sketch:
    """A rotated ellipsoid of condition 10, and a narrow hole in its wall that is deeper by 1."""
    centre, turn = rng.uniform(-3, 3, dim), rotation(dim, rng)
    needle = centre + 1.5 * np.sqrt(dim) * turn[:, 0]
    weights = 10 ** positions(dim) / dim

    def value(x: Array) -> Array:
        bowl = ((x - centre) @ turn) ** 2 @ weights
        return np.asarray(np.minimum(bowl + 1, np.mean((x - needle) ** 2, axis=-1) / _NEEDLE**2))

    return Sketch(value, needle)
