"""The basis of a quadratic: its coefficients, and how they enter the values of mirrored pairs.

In coordinates u in which the sampling distribution is standard normal the loss is
c + g.u + u'Hu/2. For a pair with middle a and offset z

    antisymmetric component:  z.(g + H a)
    symmetric component:      c + g.a + a'Ha/2 + z'Hz/2.

The coefficients are c, g, h and the entries of H - h I, h the mean curvature.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class QuadraticBasis:
    """The coefficients of a quadratic, with a full or a diagonal Hessian.

    Args:
        dim: Number of coordinates d.
        full_dimension: The Hessian is full up to this dimension, diagonal above it.

    Attributes:
        full: Whether the Hessian is full.
        rows: Row of each entry of the Hessian, k <= l.
        columns: Column of each entry.
        diagonal: Which entries lie on the diagonal.
        products: Number of entries.
        count: Number of coefficients.

    Example:
        >>> QuadraticBasis(3, full_dimension=40).count, QuadraticBasis(3, full_dimension=2).count
        (11, 8)
    """

    def __init__(self, dim: int, full_dimension: int) -> None:
        self.dim = dim
        self.full = dim <= full_dimension
        self.rows, self.columns = np.triu_indices(dim) if self.full else (np.arange(dim),) * 2
        self.diagonal = self.rows == self.columns
        self.products = len(self.rows)
        self.count = 2 + dim + self.products
        self._mixed = np.flatnonzero(~self.diagonal)

    @property
    def gradient(self) -> slice:
        """Where the coefficients g are."""
        return slice(1, 1 + self.dim)

    @property
    def curvature(self) -> slice:
        """Where h and the entries of H - h I are."""
        return slice(1 + self.dim, self.count)

    @property
    def entries(self) -> slice:
        """Where the entries of H - h I are."""
        return slice(2 + self.dim, self.count)

    def bilinear(self, left: Array, right: Array) -> Array:
        """Factors of the entries of H in left' H right, one row per row: shape (n, products)."""
        # one long row for each product: five times as fast as by columns
        one, other = np.ascontiguousarray(left.T), np.ascontiguousarray(right.T)
        products = one[self.rows] * other[self.columns]
        if self.full:
            rows, columns = self.rows[self._mixed], self.columns[self._mixed]
            products[self._mixed] += one[columns] * other[rows]
        return np.asarray(products.T)

    def antisymmetric(self, middles: Array, offsets: Array) -> Array:
        """Features of the antisymmetric component, shape (n, count)."""
        features = np.zeros((self.count, len(offsets)))
        features[self.gradient] = offsets.T
        features[1 + self.dim] = np.sum(middles * offsets, axis=1)
        features[self.entries] = self.bilinear(middles, offsets).T
        return features.T

    def symmetric(self, middles: Array, offsets: Array) -> Array:
        """Features of the symmetric component, shape (n, count)."""
        features = np.zeros((self.count, len(offsets)))
        features[0] = 1
        features[self.gradient] = middles.T
        features[1 + self.dim] = np.sum(middles**2 + offsets**2, axis=1) / 2
        squares = features[self.entries]
        for points in (middles, offsets):
            one = np.ascontiguousarray(points.T)
            squares += one[self.rows] * one[self.columns]
        squares[self.diagonal] /= 2
        return features.T

    def value(self, point: Array) -> Array:
        """Features of the loss at one point, shape (count,)."""
        return np.asarray(self.symmetric(point[None], np.zeros((1, self.dim)))[0])

    def hessian(self, coefficients: Array) -> Array:
        """The matrix H, shape (d, d)."""
        matrix = np.zeros((self.dim, self.dim))
        matrix[self.rows, self.columns] = coefficients[self.entries]
        matrix[self.columns, self.rows] = coefficients[self.entries]
        return np.asarray(matrix + coefficients[1 + self.dim] * np.eye(self.dim))

    def monomials(self, points: Array) -> Array:
        """u_k u_l, k <= l, of every row: shape (n, products)."""
        one = np.ascontiguousarray(points.T)
        return np.asarray((one[self.rows] * one[self.columns]).T)

    def change_of_monomials(self, matrix: Array) -> Array:
        """The matrix T with monomials(R u) = monomials(u) T, for R = ``matrix``.

        For a diagonal Hessian R must be diagonal.
        """
        first, second = matrix[self.rows], matrix[self.columns]
        mixed = first[:, self.rows] * second[:, self.columns]
        mixed += first[:, self.columns] * second[:, self.rows]
        mixed[:, self.diagonal] /= 2
        return np.asarray(mixed.T)

    def change_of_antisymmetric(self, middle: Array, matrix: Array) -> Array:
        """The matrix B whose product u' B is the antisymmetric features of middle ± R u."""
        return self.antisymmetric(middle[None], matrix.T)  # features of the unit vectors u

    def change_of_symmetric(self, middle: Array, matrix: Array) -> Array:
        """The matrix B whose product [1, monomials(u)] B is the symmetric features of middle ± R u.

        Args:
            middle: In the new coordinates, shape (d,).
            matrix: R, shape (d, d).
        """
        changed = np.zeros((1 + self.products, self.count))
        changed[0] = self.value(middle)
        share = np.where(self.diagonal, 0.5, 1.0)  # of z_k z_l in z'Hz/2
        monomials = self.change_of_monomials(matrix)
        changed[1:, self.entries] = monomials * share
        changed[1:, 1 + self.dim] = monomials[:, self.diagonal].sum(axis=1) / 2
        return changed
