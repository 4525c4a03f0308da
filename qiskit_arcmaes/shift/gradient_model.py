"""Gradients as a function of the angles: all entries of the Hessian from slopes alone.

All gradients that were kept are fitted together, in both forms of ``forms.py``; the one with the
larger likelihood is taken. The Hessian has a prior: on its diagonal the curvatures along the axes,
from the symmetric component of the pairs, and a variance that the gradients themselves show.
Gradients far away have less weight, because neither form holds there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.newton import PrincipalAxes
from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.gradient_regression import Regression, assemble, iterate
from qiskit_arcmaes.shift.params import ModelParams
from qiskit_arcmaes.shift.record import Gradients

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prior:
    """What is assumed before the fit.

    Attributes:
        curvatures: Diagonal of the Hessian, shape (d,).
        variance: First guess of the variance of the Hessian's entries about it, > 0.
        lack_of_fit: First guess of the variance of a slope beyond the noise at one radian.
    """

    curvatures: Array
    variance: float
    lack_of_fit: float


@dataclass(frozen=True)
class GradientFit:
    """Gradient and Hessian at a centre, with their errors.

    Attributes:
        quadratic: Slopes and curvatures along the eigenvectors of the Hessian.
        prior_variance: Variance of the Hessian's entries about the prior.
        lack_of_fit: Variance of a slope beyond the noise at a distance of one radian.
        disagreement: Mean square of the residuals in units of what noise and lack of fit explain.
        log_likelihood: Up to a constant that both forms share.
        form: Which form was fitted.
    """

    quadratic: PrincipalAxes
    prior_variance: float
    lack_of_fit: float
    disagreement: float
    log_likelihood: float
    form: Form

    @property
    def gradient(self) -> Array:
        """The gradient at the centre, shape (d,)."""
        gradient: Array = self.quadratic.axes @ self.quadratic.slopes
        return gradient

    def gradient_at(self, step: Array) -> Array:
        """The gradient that the quadratic form expects at a distance from the centre."""
        axes, curvatures = self.quadratic.axes, self.quadratic.curvatures
        expected: Array = axes @ (self.quadratic.slopes + curvatures * (axes.T @ step))
        return expected


def fit_gradients(data: Gradients, centre: Array, prior: Prior, params: ModelParams) -> GradientFit:
    """Fit gradient and Hessian at a centre, in the form with the larger likelihood.

    Args:
        data: What was measured.
        centre: Where, shape (d,).
        prior: What is assumed of the Hessian.
        params: Iterations and limits.

    Example:
        >>> import numpy as np
        >>> points = np.random.default_rng(1).normal(size=(50, 2))
        >>> data = Gradients(points, points @ np.diag([1.0, 3.0]) + 0.5, np.full(50, 1e-6))
        >>> fit = fit_gradients(data, np.zeros(2), Prior(np.ones(2), 1.0, 0.0), ModelParams())
        >>> fit.quadratic.curvatures.round(3), fit.form.value
        (array([1., 3.]), 'quadratic')
    """
    away = data.centres - centre
    fits = [
        _fit(assemble(data, away, form, prior.curvatures, params), form, prior, params)
        for form in Form
    ]
    return max(fits, key=lambda fit: fit.log_likelihood)


def _fit(data: Regression, form: Form, prior: Prior, params: ModelParams) -> GradientFit:
    """Fit one form: its regressions share noise, lack of fit and prior variance."""
    solution = iterate(data, prior.variance, prior.lack_of_fit, params)
    for _ in range(params.iterations - 1):
        solution = iterate(data, solution.prior_variance, solution.lack_of_fit, params)
    dim, row = len(data.design), slice(1, len(data.design) + 1)
    hessian = (solution.coefficients[:, row] + solution.coefficients[:, row].T) / 2
    curvatures, axes = np.linalg.eigh(hessian)
    along = np.einsum("ja,ijk,ka->ia", axes, solution.covariance[:, row, row], axes)
    weights = data.weights(solution.lack_of_fit)
    return GradientFit(
        quadratic=PrincipalAxes(
            axes=axes,
            slopes=axes.T @ solution.coefficients[:, 0],
            variances=solution.covariance[:, 0, 0] @ axes**2,
            curvatures=curvatures,
            errors=np.sqrt(np.sum(axes**2 * along, axis=0)),
        ),
        prior_variance=solution.prior_variance,
        lack_of_fit=solution.lack_of_fit,
        disagreement=float(np.mean(solution.squares * weights)),
        log_likelihood=dim * float(np.sum(np.log(weights) - weights * solution.squares)) / 2,
        form=form,
    )
