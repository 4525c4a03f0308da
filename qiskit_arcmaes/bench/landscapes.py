"""The test functions of the benchmarks: the paper's, harder relatives, the test-bed; noise.

A name may end in ``~relative`` (the noise multiplies the loss) or ``~growing`` (it grows with the
distance from the optimum).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.testbed import TESTBED, draw_function
from qiskit_arcmaes.functions import FUNCTIONS, TestFunction, get_function
from qiskit_arcmaes.oracles import GaussianOracle

Array = NDArray[np.float64]

_CONDITION = 1e4  # of the random quadratic
_WARP = 1.2  # exponent of the warped ellipsoid


def landscape(name: str, dim: int, instance: int) -> TestFunction:
    """Get a test function.

    Args:
        name: One of ``LANDSCAPES``.
        dim: Number of coordinates.
        instance: Seed of what is random in it; the paper's functions have nothing random.

    Example:
        >>> function = landscape("random_quadratic", 4, instance=7)
        >>> float(function(function.optimum))
        0.0
    """
    if name in FUNCTIONS:
        return get_function(name, dim)
    if name in TESTBED:
        return draw_function(name, dim, instance)
    if name not in _MADE:
        raise ValueError(
            f"name = {name!r} is no test function; take one of {', '.join(LANDSCAPES)}."
        )
    return replace(_MADE[name](dim, np.random.default_rng(instance)), name=name)


def noisy(name: str, dim: int, tau: float, instance: int, seed: int) -> GaussianOracle:
    """An oracle of a test function with noise.

    Args:
        name: One of ``LANDSCAPES``, with ``~relative`` or ``~growing`` or neither.
        dim: Number of coordinates.
        tau: Standard deviation of one shot; times the loss where ``~relative``, times
            1 + (root mean square distance from the optimum) where ``~growing``.
        instance: Seed of the function.
        seed: Seed of the noise.

    Example:
        >>> noisy("sphere~relative", 3, 0.5, instance=1, seed=1).evaluate([[0.0] * 3], 1).values
        array([0.])
    """
    base, _, kind = name.partition("~")
    function = landscape(base, dim, instance)
    if kind == "relative":
        return GaussianOracle(function, tau=tau, seed=seed, relative=True)
    if kind == "growing":
        return GaussianOracle(function, tau=_Growing(tau, function.optimum), seed=seed)
    if kind:
        raise ValueError(f"name = {name!r}: the noise is ~relative or ~growing, not ~{kind}.")
    return GaussianOracle(function, tau=tau, seed=seed)


class _Growing:
    """A standard deviation that grows with the distance from a point."""

    def __init__(self, tau: float, centre: Array) -> None:
        self.tau = tau
        self.centre = centre

    def __call__(self, points: Array) -> Array:
        distance = np.sqrt(np.mean((points - self.centre) ** 2, axis=-1))
        return np.asarray(self.tau * (1 + distance))


def _plain(
    dim: int, half_range: float, optimum: Array, value: Callable[[Array], Array]
) -> TestFunction:
    return TestFunction("", dim, -half_range, half_range, optimum, 0.0, True, value, None)


def _rosenbrock(dim: int, rng: np.random.Generator) -> TestFunction:
    def value(x: Array) -> Array:
        valley = 100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2
        return np.asarray(np.sum(valley + (1 - x[..., :-1]) ** 2, axis=-1))

    return _plain(dim, 2.0, np.ones(dim), value)


def _turned_ellipsoid(dim: int, rng: np.random.Generator) -> TestFunction:
    return _turned(dim, rng, 100.0 ** (np.arange(dim) / max(dim - 1, 1)))


def _random_quadratic(dim: int, rng: np.random.Generator) -> TestFunction:
    return _turned(dim, rng, _CONDITION ** rng.uniform(0, 1, dim))


def _turned(dim: int, rng: np.random.Generator, spectrum: Array) -> TestFunction:
    """A quadratic whose axes point anywhere: Q of a Gaussian matrix, signs made uniform."""
    q, r = np.linalg.qr(rng.standard_normal((dim, dim)))
    rotation = q * np.sign(np.diag(r))
    return _plain(dim, 5.0, np.zeros(dim), lambda x: np.square(x @ rotation) @ spectrum)


def _warped_ellipsoid(dim: int, rng: np.random.Generator) -> TestFunction:
    spectrum = 100.0 ** (np.arange(dim) / max(dim - 1, 1))
    return _plain(dim, 5.0, np.zeros(dim), lambda x: np.abs(x) ** (2 * _WARP) @ spectrum)


_MADE: dict[str, Callable[[int, np.random.Generator], TestFunction]] = {
    "rosenbrock": _rosenbrock,
    "turned_ellipsoid": _turned_ellipsoid,
    "random_quadratic": _random_quadratic,
    "warped_ellipsoid": _warped_ellipsoid,
}

LANDSCAPES = (*FUNCTIONS, *_MADE, *TESTBED)
"""The names that ``landscape`` knows."""
