"""The gradient model as a surrogate of the loss: its minimum, the next design, the best shift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.newton import NewtonStep, PrincipalAxes, floored_curvatures
from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.gradient_model import GradientFit, Prior, fit_gradients
from qiskit_arcmaes.shift.params import ModelParams, NewtonParams
from qiskit_arcmaes.shift.record import GradientRecord

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Surrogate:
    """What was fitted last, and the design that follows from it.

    Attributes:
        gradient: The gradient at the centre of the fit, shape (d,).
        prior_variance: Variance of the Hessian's entries about the prior.
        lack_of_fit: Variance of a slope beyond the noise at a distance of one radian.
        gain: By how much the loss is expected to fall.
        noise_loss: What the gradient's error costs of it.
        form: The form that was fitted.
        minimum: The minimiser, shape (d,).
        design: Centre of the next design, shape (d,).
        expected: The gradient that is expected there, shape (d,).
        radius: Root mean square of the minimiser's standard deviations, in radians.
    """

    gradient: Array
    prior_variance: float
    lack_of_fit: float
    gain: float
    noise_loss: float
    form: Form
    minimum: Array
    design: Array
    expected: Array
    radius: float


def fit_record(
    record: GradientRecord,
    centre: Array,
    prior_variance: float,
    lack_of_fit: float,
    params: ModelParams,
) -> GradientFit:
    """Fit the gradients of a record, with its curvatures along the axes as the prior.

    Args:
        record: What was measured, with curvatures.
        centre: Where, shape (d,).
        prior_variance: First guess of the variance of the Hessian's entries about the prior, > 0.
        lack_of_fit: First guess of the variance of a slope beyond the noise at one radian.
        params: Iterations and limits.
    """
    prior = Prior(record.curvatures, prior_variance, lack_of_fit)
    return fit_gradients(record.gradients, centre, prior, params)


def next_design(
    fit: GradientFit,
    step: NewtonStep,
    centre: Array,
    rng: np.random.Generator,
    params: NewtonParams,
) -> Surrogate:
    """Draw the centre of the next design from the distribution of the minimiser.

    Args:
        fit: The model at a centre.
        step: The step to its minimum.
        centre: That centre, shape (d,).
        rng: Draws d normal variables.
        params: Largest standard deviation per angle.
    """
    deviations = np.minimum(step.deviations, params.radius)
    away = fit.quadratic.axes @ (deviations * rng.standard_normal(len(centre)))
    minimum = centre + step.vector
    return Surrogate(
        gradient=fit.gradient,
        prior_variance=fit.prior_variance,
        lack_of_fit=fit.lack_of_fit,
        gain=step.gain,
        noise_loss=step.noise_loss,
        form=fit.form,
        minimum=minimum,
        design=minimum + away,
        expected=fit.gradient_at(step.vector + away),
        radius=max(float(np.sqrt(np.mean(deviations**2))), params.least_radius),
    )


def shift_factor(
    fit: GradientFit, bias: Array, slope_deviation: float, params: ModelParams
) -> float:
    """Factor to the shift at which bias and noise together put the minimiser least high.

    With several frequencies a slope has a bias that goes with the square of the shift s. The loss
    that it causes goes with s^4, that of the noise with s^-2: their sum is least at the factor
    (noise loss / (2 bias loss))^(1/6). The shift is never widened.

    Args:
        fit: The model.
        bias: Bias of the slopes at the present shift, shape (d,).
        slope_deviation: Standard error of each slope from the whole rest of the budget.
        params: When a curvature is resolved.

    Returns:
        The factor, at most 1.
    """
    curvatures = floored_curvatures(fit.quadratic, params.resolution)
    noise = _loss(fit.quadratic, np.full(len(bias), slope_deviation), curvatures)
    biased = _loss(fit.quadratic, bias, curvatures)
    if noise >= 2 * biased:
        return 1.0
    return float((noise / (2 * biased)) ** (1 / 6))


def estimated_bias(record: GradientRecord, ratio: float) -> Array:
    """Bias of the slopes at the present shift, from all tests against the smaller one, shape (d,).

    Args:
        record: The record with the differences of the slopes.
        ratio: Smaller shift in units of the present one.

    Example:
        >>> from qiskit_arcmaes.shift.record import empty_record
        >>> estimated_bias(empty_record(1).with_test(np.array([0.5]), np.array([0.2])), 0.5)
        array([0.4])
    """
    return record.bias_sum / max(record.bias_count, 1) / (1 - ratio**2)


def _loss(quadratic: PrincipalAxes, error: Array, curvatures: Array) -> float:
    """How far above the minimum an error of the gradient, shape (d,), puts the minimiser."""
    return 0.5 * float(np.sum((quadratic.axes.T @ error) ** 2 / curvatures))
