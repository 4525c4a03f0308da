"""Generalised least squares whose variances are estimated by expectation maximisation.

The data are components of designs, each as its normal equations. With 862 coefficients (d = 40)
time matters: sums are made in place, inverses as triangles, and traces as products of vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy

from qiskit_arcmaes.numerics import regression
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.params import RegressionParams
from qiskit_arcmaes.surrogate.selection import Component

Array = NDArray[np.float64]

_LEAST_FREEDOM = 1e-2  # degrees of freedom of residuals at the least, against division by zero


@dataclass(frozen=True)
class Variances:
    """What is estimated beside the coefficients.

    Attributes:
        lack_of_fit: Variance of each component that the quadratic does not explain, shape (m,).
        freedom: Degrees of freedom of the residuals of each, shape (m,).
        residual: Variance of the residuals of each, shape (m,).
        prior: Prior variance omega² of the Hessian's entries.
    """

    lack_of_fit: Array
    freedom: Array
    residual: Array
    prior: float


class WeightedEquations:
    """The normal equations of all components, weighted by the inverse of their variances.

    Args:
        components: At least one.
        basis: The quadratic's basis.
        tiny: Variance that rounding leaves of a perfect fit, > 0.
        params: Parameters of the fit.
    """

    def __init__(
        self,
        components: Sequence[Component],
        basis: QuadraticBasis,
        tiny: float,
        params: RegressionParams,
    ) -> None:
        equations = [each.equations for each in components]
        self.basis, self.tiny, self.params = basis, tiny, params
        self.matrices = [np.ascontiguousarray(each.matrix) for each in equations]
        self.rights = np.stack([each.right for each in equations])
        self.squares = np.array([each.square for each in equations])
        self.counts = np.array([each.count for each in equations], dtype=float)
        self.noise = np.array([each.variance for each in components])
        self.last_lack_of_fit = np.array([each.lack_of_fit for each in components])
        self._scale = np.where(basis.diagonal, 2.0, 1.0)  # a diagonal entry varies twice as much

    def estimate(self, prior: float) -> Variances:
        """Expectation maximisation, until the variances hardly change.

        Args:
            prior: omega² to begin with, > 0.
        """
        unknown = np.zeros(len(self.noise))
        variances = Variances(self.last_lack_of_fit, unknown, unknown, prior)
        for _ in range(self.params.em_steps):
            before, variances = variances, self._improved(variances)
            if self._settled(before, variances):
                break
        return variances

    def solve(self, lack_of_fit: Array, prior: float) -> tuple[Array, Array]:
        """Coefficients, and the lower triangle of their covariance.

        Args:
            lack_of_fit: Unexplained variance of each component, shape (m,).
            prior: Prior variance of the Hessian's entries.
        """
        basis, weights = self.basis, self._weights(lack_of_fit)
        matrix = np.zeros((basis.count, basis.count))
        for weight, each in zip(weights, self.matrices, strict=True):
            daxpy(each.ravel(), matrix.ravel(), a=weight)  # in place
        entries = np.arange(basis.count)[basis.entries]
        matrix[entries, entries] += 1 / (self._scale * prior)
        return regression.solve(matrix, weights @ self.rights)

    def _weights(self, lack_of_fit: Array) -> Array:
        return np.asarray(1 / (self.noise + lack_of_fit + self.tiny))

    def _improved(self, variances: Variances) -> Variances:
        """One step of expectation maximisation."""
        coefficients, lower = self.solve(variances.lack_of_fit, variances.prior)
        diagonal = np.diag(lower)
        fitted = np.stack([each @ coefficients for each in self.matrices])
        squares = self.squares + (fitted - 2 * self.rights) @ coefficients
        traces = np.array([_trace(each, lower) for each in self.matrices])
        freedom = self.counts - self._weights(variances.lack_of_fit) * traces
        freedom = np.maximum(freedom, _LEAST_FREEDOM)
        residual = np.maximum(squares, 0.0) / freedom
        lack = np.where(
            freedom > self.params.fewest_freedom,
            np.maximum(residual - self.noise, 0.0),
            variances.lack_of_fit,
        )
        entries = self.basis.entries
        second = coefficients[entries] ** 2 + diagonal[entries]
        prior = max(float(np.mean(second / self._scale)), self.tiny)
        return Variances(lack, freedom, residual, prior)

    def _settled(self, before: Variances, after: Variances) -> bool:
        """Whether no variance has changed by more than its tolerance."""
        params = self.params
        weights = self._weights(before.lack_of_fit) / self._weights(after.lack_of_fit)
        of_prior = abs(math.log(after.prior / before.prior))
        of_components = float(np.abs(np.log(weights)).max())
        return of_components < params.em_tolerance and of_prior < params.em_prior_tolerance


def _trace(matrix: Array, lower: Array) -> float:
    """Trace of the product of a symmetric matrix with another one, given as its lower triangle."""
    # both in the order of memory: for a symmetric matrix it does not matter which that is
    triangle = np.dot(matrix.ravel(), lower.ravel(order="K"))
    return float(2 * triangle - np.diag(matrix) @ np.diag(lower))


def with_variances(components: Sequence[Component], found: Variances) -> tuple[Component, ...]:
    """The components with what was estimated for each."""
    estimates = zip(found.lack_of_fit, found.freedom, found.residual, strict=True)
    return tuple(
        replace(each, lack_of_fit=float(lack), freedom=float(freedom), residual=float(residual))
        for each, (lack, freedom, residual) in zip(components, estimates, strict=True)
    )
