"""The data behind a local quadratic: both halves of the rounds near the cloud, as sums.

Least squares need a round only by its sums: of the features' products, of features times values, of
squared values. Where all pairs of a round have one middle, the features are a matrix times u for
the odd half, and a matrix times [1, products of u's entries] for the even one, u the offsets in the
round's own cloud. The sums over u are made once in a round's life, and carried into every later
cloud: else rounds of ten thousand pairs are multiplied out at every fit (Rastrigin, d = 20, 10⁷
shots: 8.0 s of processor time without that, 2.8 s with it). Small rounds are multiplied out.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.surrogate.rounds import Round

Array = NDArray[np.float64]

FULL_DIMENSION = 40  # up to here the Hessian is full, above it is diagonal: d⁶/24 is too much there
NEAR = 3.0  # a pair is used while the mean squared coordinate of its points is below this
_ROWS = 8.0  # rows of data used, at the most, in units of the number of coefficients


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

    def carry(self, matrix: Array) -> Array:
        """The matrix T with products(R u) = products(u) T, for R = ``matrix``.

        A product is u_k u_l, k <= l. Where only squares are kept, R must be diagonal.
        """
        first, second = matrix[self.rows], matrix[self.columns]
        mixed = first[:, self.rows] * second[:, self.columns]
        mixed += first[:, self.columns] * second[:, self.rows]
        mixed[:, self.diagonal] /= 2
        return np.asarray(mixed.T)

    def products_of(self, points: Array) -> Array:
        """u_k u_l of every row, k <= l."""
        one = np.ascontiguousarray(points.T)
        return np.asarray((one[self.rows] * one[self.columns]).T)


@dataclass(frozen=True)
class Sums:
    """Over some rows with factors f and values y.

    Attributes:
        products: Of f f', shape (k, k).
        moments: Of f y, shape (k,).
        square: Of y².
        count: Of 1.
    """

    products: Array
    moments: Array
    square: float
    count: int

    def carried(self, matrix: Array) -> Sums:
        """The same for the factors f' M."""
        products = matrix.T @ self.products @ matrix
        return Sums(products, matrix.T @ self.moments, self.square, self.count)

    def shifted(self, shift: float) -> Sums:
        """The same for the values y + shift, where the first factor is 1."""
        square = self.square + 2 * shift * float(self.moments[0]) + self.count * shift**2
        return Sums(self.products, self.moments + shift * self.products[0], square, self.count)


Known = MutableMapping[int, tuple[Sums, Sums]]
"""Sums of whole rounds over their own clouds, odd and even, by the rounds' numbers."""


@dataclass
class Half:
    """The odd or even half of a round, with its place in the fit.

    Attributes:
        index: Which round.
        even: Which half.
        sums: Of its features and values.
        variance: Of a value, that the noise causes.
        misfit: Of a value, that the model leaves unexplained beyond that.
        freedom: Degrees of freedom of the residuals.
        residual: Their variance.
    """

    index: int
    even: bool
    sums: Sums
    variance: float
    misfit: float = 0.0
    freedom: float = 0.0
    residual: float = 0.0


def gather(
    rounds: Sequence[Round], centre: Array, shape: Array, terms: Terms, origin: float, known: Known
) -> list[Half]:
    """Both halves of the newest round, then of the most precise others, while there is room.

    Args:
        rounds: All rounds, oldest first; how long each was of no use is brought up to date.
        centre: Centre of the present cloud.
        shape: Matrix D of the cloud x = centre + D u.
        terms: The quadratic's terms.
        origin: What is taken off the even values.
        known: Sums that were made before; those that are missing are added.
    """
    newest = len(rounds) - 1
    room = max(_ROWS * terms.count, 5 * len(rounds[newest].odd))
    older = sorted(
        range(newest),
        key=lambda i: (rounds[i].variance + rounds[i].misfit) * (1 - 1e-3 * i / len(rounds)),
    )
    inverse = np.asarray(np.linalg.inv(shape))
    halves: list[Half] = []
    for each in rounds:
        each.unused += 1
    for index in [newest, *older]:
        if room < 0:
            break
        each = rounds[index]
        middles, offsets = (each.middles - centre) @ inverse.T, each.offsets @ inverse.T
        near = np.full(len(offsets), True) if index == newest else _near(middles, offsets)
        if near.sum() < max(4, 0.1 * len(near)) and index != newest:
            continue
        each.unused = 0
        if each.whole and near.sum() > 2 * terms.count:
            own = _own_sums(each, near, terms, known)
            odd, even = _carry(own, middles[0], inverse @ each.shape, terms)
        else:
            middles, offsets = middles if each.whole else middles[near], offsets[near]
            odd = _sums(terms.odd(middles, offsets), each.odd[near])
            even = _sums(terms.even(middles, offsets), each.even[near] - np.median(each.even))
        even = even.shifted(float(np.median(each.even)) - origin)
        halves += [Half(index, False, odd, each.variance), Half(index, True, even, each.variance)]
        room -= odd.count + even.count
    return halves


def _near(middles: Array, offsets: Array) -> NDArray[np.bool_]:
    """Which pairs have both points in the cloud."""
    above, below = middles + offsets, middles - offsets
    return np.asarray(np.maximum(np.mean(above**2, axis=1), np.mean(below**2, axis=1)) < NEAR)


def _sums(factors: Array, values: Array) -> Sums:
    return Sums(factors.T @ factors, factors.T @ values, float(values @ values), len(values))


def _own_sums(
    each: Round, near: NDArray[np.bool_], terms: Terms, known: Known
) -> tuple[Sums, Sums]:
    """Of u and the odd values, and of [1, products of u] and the even values about their median."""
    all_near = bool(near.all())
    if all_near and each.number in known:
        return known[each.number]
    own = each.offsets[near] @ np.linalg.inv(each.shape).T
    products = np.column_stack([np.ones(len(own)), terms.products_of(own)])
    sums = _sums(own, each.odd[near]), _sums(products, each.even[near] - np.median(each.even))
    if all_near:
        known[each.number] = sums
    return sums


def _carry(own: tuple[Sums, Sums], middle: Array, matrix: Array, terms: Terms) -> tuple[Sums, Sums]:
    """A round's sums over the features of the present cloud, where its middle and R u now lie."""
    odd = terms.odd(middle[None], matrix.T)  # features of the unit vectors u
    even = np.zeros((1 + terms.products, terms.count))
    even[0] = terms.even(middle[None], np.zeros((1, terms.dim)))[0]
    share = np.where(terms.diagonal, 0.5, 1.0)  # of z_i z_j in z'Hz/2
    carry = terms.carry(matrix)
    even[1:, 2 + terms.dim :] = carry * share
    even[1:, 1 + terms.dim] = carry[:, terms.diagonal].sum(axis=1) / 2
    return own[0].carried(odd), own[1].carried(even)
