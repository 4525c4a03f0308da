"""The paper's fourteen test functions (its tables 3 and 4), with its typos corrected.

Corrections: Schwefel02's inner term is x_j, not x_i; the minimum of the cosine mixture is -0.1 d
and that of Trid -d (d+4) (d-1)/6. The "rotated" ellipsoids are only reversed in the paper: nothing
is rotated, and the names are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Formula = Callable[[Array], Array]


@dataclass(frozen=True)
class TestFunction:
    """A loss with known truth, vectorised over the rows of an (n, d) array.

    Attributes:
        name: The name it is got by.
        dim: Number of coordinates.
        lower: Lower edge of the search space, the same in every coordinate. It only places the
            start and the first step size: the function is defined everywhere.
        upper: Upper edge.
        optimum: The minimiser, shape (d,).
        minimum: The loss there.
        smooth: Whether the gradient is Lipschitz continuous; only then is there a ``gradient``.
        step_share: First step size in units of ``upper - lower``; the paper's is a tenth.
    """

    __test__ = False  # not a test case, whatever pytest makes of the name

    name: str
    dim: int
    lower: float
    upper: float
    optimum: Array
    minimum: float
    smooth: bool
    _value: Formula = field(repr=False)
    _gradient: Formula | None = field(repr=False)
    step_share: float = 0.1

    @property
    def sigma0(self) -> float:
        """The first step size that a user would give, in the units of x."""
        return self.step_share * (self.upper - self.lower)

    def __call__(self, points: ArrayLike) -> Array:
        """Evaluate the rows of an (n, d) array, or one point of shape (d,)."""
        return self._value(self._checked(points))

    def gradient(self, points: ArrayLike) -> Array:
        """Gradients at the rows of an (n, d) array, or at one point; smooth functions only."""
        if self._gradient is None:
            raise ValueError(f"{self.name} is not smooth: it has no gradient.")
        return self._gradient(self._checked(points))

    def _checked(self, points: ArrayLike) -> Array:
        array = np.asarray(points, dtype=float)
        if array.shape[-1:] != (self.dim,):
            raise ValueError(
                f"{self.name} has {self.dim} coordinates, the points have shape {array.shape}."
            )
        return array


def _quadratic(scales: Callable[[int], Array]) -> Callable[[int], tuple[Formula, Formula]]:
    def build(dim: int) -> tuple[Formula, Formula]:
        c = scales(dim)
        return lambda x: np.square(x) @ c, lambda x: 2 * c * x

    return build


def _powers(dim: int) -> Array:
    exponents = np.arange(dim) / max(dim - 1, 1)
    return np.asarray(100.0**exponents)


def _rastrigin(dim: int) -> tuple[Formula, Formula]:
    return (
        lambda x: 10 * dim + np.sum(x**2 - 10 * np.cos(2 * np.pi * x), axis=-1),
        lambda x: 2 * x + 20 * np.pi * np.sin(2 * np.pi * x),
    )


def _trid(dim: int) -> tuple[Formula, Formula]:
    def gradient(x: Array) -> Array:
        g = 2 * (x - 1)
        g[..., 1:] -= x[..., :-1]
        g[..., :-1] -= x[..., 1:]
        return g

    def value(x: Array) -> Array:
        return np.asarray(np.sum((x - 1) ** 2, axis=-1) - np.sum(x[..., 1:] * x[..., :-1], axis=-1))

    return value, gradient


def _cosine_mixture(dim: int) -> tuple[Formula, Formula]:
    return (
        lambda x: np.sum(x**2 - 0.1 * np.cos(5 * np.pi * x), axis=-1),
        lambda x: 2 * x + 0.5 * np.pi * np.sin(5 * np.pi * x),
    )


def _bohachevsky(dim: int) -> tuple[Formula, Formula]:
    first = np.arange(dim) < dim - 1  # coordinates that stand as x_i, and as x_{i+1}
    second = np.arange(dim) > 0

    def value(x: Array) -> Array:
        terms = first * (x**2 - 0.3 * np.cos(3 * np.pi * x) + 0.3)
        terms = terms + second * (2 * x**2 - 0.4 * np.cos(4 * np.pi * x) + 0.4)
        return np.asarray(np.sum(terms, axis=-1))

    def gradient(x: Array) -> Array:
        return np.asarray(
            first * (2 * x + 0.9 * np.pi * np.sin(3 * np.pi * x))
            + second * (4 * x + 1.6 * np.pi * np.sin(4 * np.pi * x))
        )

    return value, gradient


def _schwefel02(dim: int) -> tuple[Formula, Formula]:
    return (
        lambda x: np.sum(np.cumsum(x, axis=-1) ** 2, axis=-1),
        lambda x: 2 * np.cumsum(np.cumsum(x, axis=-1)[..., ::-1], axis=-1)[..., ::-1],
    )


def _sum_absolute(dim: int) -> tuple[Formula, None]:
    return lambda x: np.sum(np.abs(x), axis=-1), None


def _nesterov_f1(dim: int) -> tuple[Formula, None]:
    return (
        lambda x: (
            0.25 * (x[..., 0] - 1) ** 2
            + np.sum(np.abs(x[..., 1:] - 2 * x[..., :-1] ** 2 + 1), axis=-1)
        ),
        None,
    )


def _nesterov_f2(dim: int) -> tuple[Formula, None]:
    return (
        lambda x: (
            0.25 * np.abs(x[..., 0] - 1)
            + np.sum(np.abs(x[..., 1:] - 2 * np.abs(x[..., :-1]) + 1), axis=-1)
        ),
        None,
    )


def _griewank_nonsmooth(dim: int) -> tuple[Formula, None]:
    half_frequency = 0.5 / np.sqrt(np.arange(1, dim + 1))

    def value(x: Array) -> Array:
        angle = x * half_frequency
        product = np.prod(np.abs(np.cos(angle)) - np.abs(np.sin(angle)), axis=-1)
        return np.asarray(1 + np.sum(x**2, axis=-1) / 4000 - product)

    return value, None


@dataclass(frozen=True)
class _Entry:
    build: Callable[[int], tuple[Formula, Formula | None]]
    half_range: Callable[[int], float]
    optimum: Callable[[int], Array] = np.zeros
    minimum: Callable[[int], float] = lambda dim: 0.0


def _entry(build: Callable[[int], tuple[Formula, Formula | None]], half_range: float) -> _Entry:
    return _Entry(build, lambda dim: half_range)


_TABLE: dict[str, _Entry] = {
    "sphere": _entry(_quadratic(np.ones), 5),
    "ellipsoid": _entry(_quadratic(_powers), 5),
    "rotated_ellipsoid": _entry(_quadratic(lambda dim: _powers(dim)[::-1]), 5),
    "hyper_ellipsoid": _entry(_quadratic(lambda dim: np.arange(1.0, dim + 1)), 5),
    "rotated_hyper_ellipsoid": _entry(_quadratic(lambda dim: np.arange(1.0, dim + 1)[::-1]), 5),
    "rastrigin": _entry(_rastrigin, 5),
    "trid": _Entry(
        _trid,
        lambda dim: float(dim**2),
        lambda dim: np.arange(1.0, dim + 1) * np.arange(dim, 0, -1.0),
        lambda dim: -dim * (dim + 4) * (dim - 1) / 6,
    ),
    "cosine_mixture": _Entry(_cosine_mixture, lambda dim: 1.0, np.zeros, lambda dim: -0.1 * dim),
    "bohachevsky": _entry(_bohachevsky, 15),
    "schwefel02": _entry(_schwefel02, 10),
    "sum_absolute": _entry(_sum_absolute, 1),
    "nesterov_f1": _Entry(_nesterov_f1, lambda dim: 1.0, np.ones),
    "nesterov_f2": _Entry(_nesterov_f2, lambda dim: 1.0, np.ones),
    "griewank_nonsmooth": _entry(_griewank_nonsmooth, 1),
}

FUNCTIONS = tuple(_TABLE)
SMOOTH_FUNCTIONS = FUNCTIONS[:10]


def get_function(name: str, dim: int) -> TestFunction:
    """Get one of the paper's test functions.

    Args:
        name: One of ``FUNCTIONS``.
        dim: Number of coordinates, >= 1 (>= 2 for those that couple neighbours).

    Example:
        >>> trid = get_function("trid", 20)
        >>> float(trid(trid.optimum)) == trid.minimum == -1520
        True
    """
    if name not in _TABLE:
        raise ValueError(f"name = {name!r} is no test function; take one of {', '.join(_TABLE)}.")
    least = 2 if name in ("bohachevsky", "nesterov_f1", "nesterov_f2", "trid") else 1
    if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < least:
        raise ValueError(f"dim = {dim!r}: {name} needs an integer >= {least}.")
    entry = _TABLE[name]
    value, gradient = entry.build(dim)
    half_range = entry.half_range(dim)
    return TestFunction(
        name=name,
        dim=dim,
        lower=-half_range,
        upper=half_range,
        optimum=np.asarray(entry.optimum(dim), dtype=float),
        minimum=float(entry.minimum(dim)),
        smooth=gradient is not None,
        _value=value,
        _gradient=gradient,
    )
