"""A local quadratic, fitted to all rounds near the present cloud by generalised least squares.

In coordinates where the cloud is standard normal the loss is c + g.u + u'Hu/2 plus noise plus
misfit. For a pair with middle a and offset z

    odd half:   z.(g + H a)
    even half:  c + g.a + a'Ha/2 + z'Hz/2.

What the quadratic does not explain counts as further noise, separately for every round and for its
odd and even half, so that a round that fits badly loses weight by itself. The Hessian has the prior
H ~ N(h I, omega²) with h free, which lets a round be smaller than the number of coefficients. All
variances are found by a few steps of expectation maximisation. The last solution takes up to 2.4
of that omega: Hessians with a few steep axes have heavier tails than normal ones, and their flat
axes would be pulled up to h (Rosenbrock, d = 10, 10⁵ shots: 2.7 with omega, 0.8 with more of it).
Where misfit rules over noise it takes omega, more would only let the misfit in (Rastrigin).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from qiskit_arcmaes.methods.rounds import Round

Array = NDArray[np.float64]

FULL_DIMENSION = 40  # up to here the Hessian is full, above it is diagonal: d⁶/24 is too much there
NEAR = 3.0  # a pair is used while the mean squared coordinate of its points is below this
_ROWS = 8.0  # rows of data used, at the most, in units of the number of coefficients
WIDENED = 6.0  # factor on omega² in the last solution, where noise rules
_STEPS = 5  # of expectation maximisation


class Terms:
    """Which products of coordinates the quadratic has.

    Args:
        dim: Number of coordinates.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.full = dim <= FULL_DIMENSION
        self.rows, self.columns = np.triu_indices(dim) if self.full else (np.arange(dim),) * 2
        self.diagonal = self.rows == self.columns
        self.mixed = np.flatnonzero(~self.diagonal)
        self.products = len(self.rows)
        self.count = 2 + dim + self.products  # c, g, h, H - h I

    def quadratic(self, left: Array, right: Array) -> Array:
        """Coefficients of H in left' H right, by row."""
        # one long row for each product: five times as fast as by columns
        one, other = np.ascontiguousarray(left.T), np.ascontiguousarray(right.T)
        products = one[self.rows] * other[self.columns]
        if self.full:
            products[self.mixed] += one[self.columns[self.mixed]] * other[self.rows[self.mixed]]
        return np.asarray(products.T)

    def odd(self, middles: Array, offsets: Array) -> Array:
        """Coefficients of the odd halves."""
        features = np.zeros((self.count, len(offsets)))
        features[1 : 1 + self.dim] = offsets.T
        features[1 + self.dim] = np.sum(middles * offsets, axis=1)
        features[2 + self.dim :] = self.quadratic(middles, offsets).T
        return features.T

    def even(self, middles: Array, offsets: Array) -> Array:
        """Coefficients of the even halves."""
        features = np.zeros((self.count, len(offsets)))
        features[0] = 1
        features[1 : 1 + self.dim] = middles.T
        features[1 + self.dim] = np.sum(middles**2 + offsets**2, axis=1) / 2
        squares = features[2 + self.dim :]
        for points in (middles, offsets):
            one = np.ascontiguousarray(points.T)
            squares += one[self.rows] * one[self.columns]
        squares[self.diagonal] /= 2
        return features.T

    def hessian(self, coefficients: Array) -> Array:
        """The matrix H."""
        matrix = np.zeros((self.dim, self.dim))
        matrix[self.rows, self.columns] = coefficients[2 + self.dim :]
        matrix[self.columns, self.rows] = coefficients[2 + self.dim :]
        return np.asarray(matrix + coefficients[1 + self.dim] * np.eye(self.dim))


@dataclass
class Half:
    """The odd or even half of a round, with its place in the fit."""

    index: int
    even: bool
    features: Array
    values: Array
    variance: float
    gram: Array
    moment: Array
    misfit: float = 0.0
    freedom: float = 0.0
    residual: float = 0.0


@dataclass(frozen=True)
class Quadratic:
    """The fitted model, in the coordinates of the cloud.

    Attributes:
        coefficients: c (relative to ``origin``), g, h and H - h I.
        covariance: Of the coefficients.
        origin: Added to c.
        hessian: H.
        halves: The data, with what was left unexplained.
        spread: omega², the prior variance of the entries of H.
    """

    coefficients: Array
    covariance: Array
    origin: float
    hessian: Array
    halves: list[Half]
    spread: float

    @property
    def gradient(self) -> Array:
        """The slope g at the centre."""
        return self.coefficients[1 : 1 + len(self.hessian)]

    def excess(self, even: bool, newest: int, noise_freedom: float) -> float:
        """Misfit of the last two rounds beyond the noise, in standard errors."""
        recent = [h for h in self.halves if h.even == even and h.index >= newest - 1]
        freedom = sum(half.freedom for half in recent)
        ratio = sum(h.freedom * h.residual / max(h.variance, 1e-300) for h in recent) / freedom
        return float((ratio - 1) / np.sqrt(2 / max(freedom, 1.0) + 2 / noise_freedom))

    def predict(self, terms: Terms, at: Array) -> tuple[float, float]:
        """Value at a point of the cloud's coordinates, and its standard error."""
        features = terms.even(at[None], np.zeros((1, len(at))))[0]
        variance = float(features @ self.covariance @ features)
        value = self.origin + float(features @ self.coefficients)
        return value, float(np.sqrt(max(variance, 0.0)))


def fit(
    rounds: Sequence[Round], centre: Array, shape: Array, terms: Terms, spread: float | None
) -> Quadratic:
    """Fit the quadratic to the newest round and to the best of the others near it.

    Args:
        rounds: All rounds, oldest first; their ``misfit`` is brought up to date.
        centre: Centre of the present cloud.
        shape: Matrix D of the cloud x = centre + D u.
        terms: The quadratic's terms.
        spread: omega² of the last fit, None before the first.
    """
    halves = _gather(rounds, centre, np.asarray(np.linalg.inv(shape)), terms)
    first_even = halves[1].values
    origin = float(np.median(first_even))
    for half in halves:
        half.values = half.values - origin if half.even else half.values
        half.moment = half.features.T @ half.values
    largest = max(float(np.var(half.values)) for half in halves)
    tiny = 1e-300 + 1e-28 * (origin**2 + largest)  # what floating point leaves of a perfect fit
    if spread is None:
        spread = 2 * float(np.var(first_even)) / terms.dim + tiny
    for _ in range(_STEPS):
        coefficients, covariance = _solve(halves, terms, spread, tiny)
        for half in halves:
            _explain(half, coefficients, covariance, tiny)
        entries = slice(terms.count - terms.products, terms.count)
        scale = np.where(terms.diagonal, 2.0, 1.0)  # a diagonal entry varies twice as much
        second = coefficients[entries] ** 2 + np.diag(covariance)[entries]
        spread = max(float(np.mean(second / scale)), tiny)
    newest = halves[0]
    noise_share = newest.variance / max(newest.variance + newest.misfit, 1e-300)
    wide = spread * (1 + (WIDENED - 1) * noise_share)
    coefficients, covariance = _solve(halves, terms, wide, tiny)
    for half in halves:
        if not half.even:
            rounds[half.index].misfit = half.misfit
    hessian = terms.hessian(coefficients)
    return Quadratic(coefficients, covariance, origin, hessian, halves, spread)


def _gather(rounds: Sequence[Round], centre: Array, inverse: Array, terms: Terms) -> list[Half]:
    """Both halves of the newest round, then of the most precise others, while there is room."""
    newest = len(rounds) - 1
    room = max(_ROWS * terms.count, 5 * len(rounds[newest].odd))
    older = sorted(
        range(newest),
        key=lambda i: (rounds[i].variance + rounds[i].misfit) * (1 - 1e-3 * i / len(rounds)),
    )
    halves: list[Half] = []
    for index in [newest, *older]:
        if room < 0:
            break
        each = rounds[index]
        middles, offsets = (each.middles - centre) @ inverse.T, each.offsets @ inverse.T
        far = np.maximum(
            np.mean((middles + offsets) ** 2, axis=1), np.mean((middles - offsets) ** 2, axis=1)
        )
        near = np.full(len(far), True) if index == newest else far < NEAR
        if near.sum() < max(4, 0.1 * len(near)) and index != newest:
            continue
        middles, offsets = middles[near], offsets[near]
        for even in (False, True):
            features = (terms.even if even else terms.odd)(middles, offsets)
            values = (each.even if even else each.odd)[near]
            gram = features.T @ features
            halves.append(Half(index, even, features, values, each.variance, gram, np.empty(0)))
            room -= len(values)
    return halves


def _solve(halves: Sequence[Half], terms: Terms, spread: float, tiny: float) -> tuple[Array, Array]:
    """Generalised least squares with the present variances: coefficients and covariance."""
    normal = np.zeros((terms.count, terms.count))
    right = np.zeros(terms.count)
    for half in halves:
        weight = 1 / (half.variance + half.misfit + tiny)
        normal += weight * half.gram
        right += weight * half.moment
    entries = np.arange(terms.count - terms.products, terms.count)
    normal[entries, entries] += 1 / (np.where(terms.diagonal, 2.0, 1.0) * spread)
    scale = np.sqrt(np.diag(normal) + 1e-300)
    scaled = normal / np.outer(scale, scale)
    scaled[np.diag_indices(terms.count)] += 1e-13
    factor = cho_factor(scaled, lower=True)
    covariance = cho_solve(factor, np.eye(terms.count)) / np.outer(scale, scale)
    return cho_solve(factor, right / scale) / scale, covariance


def _explain(half: Half, coefficients: Array, covariance: Array, tiny: float) -> None:
    """Residual variance of a half, its degrees of freedom, and what of it is misfit."""
    weight = 1 / (half.variance + half.misfit + tiny)
    residual = half.values - half.features @ coefficients
    half.freedom = max(len(residual) - weight * float(np.sum(covariance * half.gram)), 1e-2)
    half.residual = float(residual @ residual) / half.freedom
    if half.freedom > 3:
        half.misfit = max(0.0, half.residual - half.variance)
