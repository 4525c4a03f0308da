"""Classical test functions, their minimisers moved at random; some are rotated.

References:
    M. Jamil, X.-S. Yang, "A literature survey of benchmark functions for global optimization
    problems", Int. J. Mathematical Modelling and Numerical Optimisation 4, 150 (2013).
    H.-G. Beyer, S. Finck, "HappyCat - a simple function class where well-known direct search
    algorithms do fail", PPSN XII (2012).
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.bench.testbed.sketch import Sketch
from qiskit_arcmaes.bench.testbed.transforms import rotation
from qiskit_arcmaes.functions import Array, Formula


def placed(
    formula: Formula,
    known: Array,
    half_range: float,
    rng: np.random.Generator,
    *,
    rotated: bool = False,
    minimum: float = 0.0,
) -> Sketch:
    """A formula with its minimiser moved by up to half the range, and its axes turned.

    Args:
        formula: The loss in its own coordinates.
        known: Its minimiser there, shape (d,).
        half_range: Starts are drawn from the cube of this half-width.
        rng: Draws the move and the rotation.
        rotated: Whether axes are turned.
        minimum: The loss at the minimiser.
    """
    dim = len(known)
    optimum = rng.uniform(-0.5, 0.5, dim) * half_range
    turn = rotation(dim, rng) if rotated else np.eye(dim)

    def value(x: Array) -> Array:
        return formula((x - optimum) @ turn + known)

    return Sketch(value, optimum, minimum, -half_range, half_range)


def ackley(dim: int, rng: np.random.Generator) -> Sketch:
    """A nearly flat outer region with waves, and a steep hole; rotated."""

    def formula(y: Array) -> Array:
        hole = -20 * np.expm1(-0.2 * np.sqrt(np.mean(y**2, axis=-1)))
        return np.asarray(hole - np.expm1(np.mean(np.cos(2 * np.pi * y), axis=-1) - 1) * np.e)

    return placed(formula, np.zeros(dim), 15.0, rng, rotated=True)


def griewank(dim: int, rng: np.random.Generator) -> Sketch:
    """A wide bowl with a product of cosines; rotated."""
    roots = np.sqrt(np.arange(1, dim + 1))

    def formula(y: Array) -> Array:
        return np.asarray(
            np.sum(y**2, axis=-1) / 4000 + 1 - np.prod(np.cos(y / roots), axis=-1),
        )

    return placed(formula, np.zeros(dim), 100.0, rng, rotated=True)


def levy(dim: int, rng: np.random.Generator) -> Sketch:
    """Waves whose height grows with the distance; separable but for neighbours."""

    def formula(y: Array) -> Array:
        w = 1 + (y - 1) / 4
        middle = (w[..., :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[..., :-1] + 1) ** 2)
        last = (w[..., -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[..., -1]) ** 2)
        return np.asarray(np.sin(np.pi * w[..., 0]) ** 2 + np.sum(middle, axis=-1) + last)

    return placed(formula, np.ones(dim), 10.0, rng)


def zakharov(dim: int, rng: np.random.Generator) -> Sketch:
    """A bowl plus powers of a weighted sum: one direction is far steeper than all others."""
    weights = 0.5 * np.arange(1, dim + 1)

    def formula(y: Array) -> Array:
        slope = y @ weights
        return np.asarray(np.sum(y**2, axis=-1) + slope**2 + slope**4)

    return placed(formula, np.zeros(dim), 5.0, rng)


def dixon_price(dim: int, rng: np.random.Generator) -> Sketch:
    """A curved valley with steeper walls for later coordinates."""
    orders = np.arange(2, dim + 1)
    known = np.asarray(2.0 ** (0.5 ** np.arange(dim) - 1), dtype=float)

    def formula(y: Array) -> Array:
        walls = (2 * y[..., 1:] ** 2 - y[..., :-1]) ** 2 @ orders
        return np.asarray((y[..., 0] - 1) ** 2 + walls)

    return placed(formula, known, 5.0, rng)


def styblinski_tang(dim: int, rng: np.random.Generator) -> Sketch:
    """Two unequal minima in each coordinate: 2^d of them, separable."""
    best = float(np.min(np.roots([4.0, 0.0, -32.0, 5.0]).real))

    def formula(y: Array) -> Array:
        return np.asarray(0.5 * np.sum(y**4 - 16 * y**2 + 5 * y, axis=-1))

    known = np.full(dim, best)
    return placed(formula, known, 5.0, rng, minimum=float(formula(known)))


def alpine(dim: int, rng: np.random.Generator) -> Sketch:
    """Kinks and many equal minima; separable."""

    def formula(y: Array) -> Array:
        return np.asarray(np.sum(np.abs(y * np.sin(y) + 0.1 * y), axis=-1))

    return placed(formula, np.zeros(dim), 10.0, rng)


def salomon(dim: int, rng: np.random.Generator) -> Sketch:
    """Rings around the minimum, which must be crossed."""

    def formula(y: Array) -> Array:
        radius = np.sqrt(np.sum(y**2, axis=-1))
        return np.asarray(1 - np.cos(2 * np.pi * radius) + 0.1 * radius)

    return placed(formula, np.zeros(dim), 20.0, rng)


def largest_coordinate(dim: int, rng: np.random.Generator) -> Sketch:
    """Schwefel's 2.21: only the largest coordinate is seen; rotated."""
    return placed(lambda y: np.max(np.abs(y), axis=-1), np.zeros(dim), 10.0, rng, rotated=True)


def sum_and_product(dim: int, rng: np.random.Generator) -> Sketch:
    """Schwefel's 2.22: kinks, and a product that explodes away from the minimum."""

    def formula(y: Array) -> Array:
        sizes = np.abs(y)
        return np.asarray(np.sum(sizes, axis=-1) + np.prod(sizes, axis=-1))

    return placed(formula, np.zeros(dim), 2.0, rng)


def qing(dim: int, rng: np.random.Generator) -> Sketch:
    """2^d equal minima, whose curvatures grow with the coordinate; separable."""
    orders = np.arange(1.0, dim + 1)

    def formula(y: Array) -> Array:
        return np.asarray(np.sum((y**2 - orders) ** 2, axis=-1))

    return placed(formula, np.sqrt(orders), 10.0, rng)


def brown(dim: int, rng: np.random.Generator) -> Sketch:
    """Powers that depend on the neighbour."""

    def formula(y: Array) -> Array:
        squares = np.minimum(y**2, 25.0)  # the powers overflow further out
        here, there = squares[..., :-1], squares[..., 1:]
        powers = here ** (there + 1) + there ** (here + 1)
        return np.asarray(np.sum(powers, axis=-1) + np.sum(y**2 - squares, axis=-1))

    return placed(formula, np.zeros(dim), 1.5, rng)


def happy_cat(dim: int, rng: np.random.Generator) -> Sketch:
    """A sharp spherical groove whose bottom slopes gently to the minimum."""

    def formula(y: Array) -> Array:
        squares = np.sum(y**2, axis=-1)
        groove = np.abs(squares - dim) ** 0.25
        return np.asarray(groove + (0.5 * squares + np.sum(y, axis=-1)) / dim + 0.5)

    return placed(formula, -np.ones(dim), 2.0, rng)


def sum_of_powers(dim: int, rng: np.random.Generator) -> Sketch:
    """|x_i| to the power 2, 3, ..., at most 12: later coordinates are flat; separable."""
    powers = np.minimum(np.arange(2, dim + 2), 12)
    return placed(lambda y: np.sum(np.abs(y) ** powers, axis=-1), np.zeros(dim), 1.0, rng)


def schaffer_chain(dim: int, rng: np.random.Generator) -> Sketch:
    """Schaffer's F6 of neighbours: rings that fade with the distance; rotated."""

    def formula(y: Array) -> Array:
        squares = y[..., :-1] ** 2 + y[..., 1:] ** 2
        rings = np.sin(np.sqrt(squares)) ** 2 - 0.5
        return np.asarray(np.sum(0.5 + rings / (1 + 0.001 * squares) ** 2, axis=-1))

    return placed(formula, np.zeros(dim), 20.0, rng, rotated=True)
