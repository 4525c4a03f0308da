"""Weighted regressions of slopes with a prior, and the variances that they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.regression import inverses
from qiskit_arcmaes.shift.forms import Form, factors
from qiskit_arcmaes.shift.params import ModelParams
from qiskit_arcmaes.shift.record import Gradients

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Regression:
    """Data of the d regressions of one form, in which slope i has the coefficients g_i and H_i.

    Attributes:
        design: Factors of these coefficients and of the bias, shape (d, k, d + 2).
        values: Measured slopes, shape (k, d).
        noise: Their variances, shape (k,).
        fourth: Fourth powers of the distances from the centre, shape (k,).
        expected: Expectation of the coefficients by the prior, shape (d, d + 2).
        bias_variance: Prior variance of the bias.
    """

    design: Array
    values: Array
    noise: Array
    fourth: Array
    expected: Array
    bias_variance: float

    def weights(self, lack_of_fit: float) -> Array:
        """Inverse variances of the slopes, shape (k,)."""
        return 1 / (self.noise + lack_of_fit * self.fourth)


@dataclass(frozen=True)
class Solution:
    """Coefficients and variances after one iteration.

    Attributes:
        coefficients: Shape (d, d + 2).
        covariance: Shape (d, d + 2, d + 2).
        squares: Mean square of each gradient's residuals, as if it had not been fitted, shape (k,).
        prior_variance: Variance of the Hessian's entries about the prior.
        lack_of_fit: Variance of a slope beyond the noise at a distance of one radian.
    """

    coefficients: Array
    covariance: Array
    squares: Array
    prior_variance: float
    lack_of_fit: float


def assemble(
    data: Gradients, away: Array, form: Form, curvatures: Array, params: ModelParams
) -> Regression:
    """Put together the data of one form; the last column of the design is the bias."""
    count, dim = away.shape
    biased = (np.arange(count) < data.biased).astype(float)
    bias = np.broadcast_to(biased[:, None], (dim, count, 1))
    least = params.relative_variance * float(np.mean(data.values**2))
    return Regression(
        design=np.concatenate([factors(form, away), bias], axis=2),
        values=data.values,
        noise=data.variances + least + 1e-100,
        fourth=np.sum(away**2, axis=1) ** 2,
        expected=np.column_stack([np.zeros(dim), np.diag(curvatures), np.zeros(dim)]),
        bias_variance=data.bias_variance,
    )


def iterate(
    data: Regression, prior_variance: float, lack_of_fit: float, params: ModelParams
) -> Solution:
    """Solve for the coefficients at given variances, then estimate the variances anew."""
    design, dim = data.design, len(data.design)
    weights = data.weights(lack_of_fit)
    precision = np.concatenate([[0.0], np.full(dim, 1 / prior_variance), [1 / data.bias_variance]])
    weighted = np.swapaxes(design * weights[:, None], 1, 2)
    covariance = inverses(weighted @ design + np.diag(precision))
    moments = np.einsum("ipt,ti->ip", weighted, data.values) + precision * data.expected
    coefficients = np.einsum("ipq,iq->ip", covariance, moments)
    residuals = data.values - np.einsum("itp,ip->ti", design, coefficients)
    leverage = weights[:, None] * np.sum((design @ covariance) * design, axis=2).T
    squares = np.mean(residuals**2 / np.maximum(1 - leverage, params.least_residual), axis=1)
    information = weights**2 * data.fourth
    excess = float(np.sum((squares - data.noise) * information))
    row = slice(1, dim + 1)  # a row of the Hessian
    found = np.mean((coefficients[:, row] - data.expected[:, row]) ** 2)
    own = np.diagonal(covariance, axis1=1, axis2=2)[:, row]
    return Solution(
        coefficients,
        covariance,
        squares,
        max(float(found + np.mean(own)), params.least_prior_variance),
        max(excess / max(float(np.sum(information * data.fourth)), 1e-300), 0.0),
    )
