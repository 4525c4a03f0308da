"""The minimum of a fitted gradient model, and what errors of the gradient cost there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.gradient_model import GradientFit
from qiskit_arcmaes.shift.params import ModelParams

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Minimiser:
    """Where the model has its minimum.

    Attributes:
        step: From the centre, shape (d,).
        deviations: Standard deviations of the minimiser along the eigenvectors, in radians.
        gain: Expected fall of the loss, less what noise alone would promise.
        noise_loss: What the gradient's error costs at the minimiser.
        inside: Whether it lies within the trust region.
    """

    step: Array
    deviations: Array
    gain: float
    noise_loss: float
    inside: bool


def minimiser(fit: GradientFit, radius: float, params: ModelParams) -> Minimiser:
    """Step to the minimum: curvature floored where it is unresolved, length limited.

    Args:
        fit: The model.
        radius: Most length of the step and of the deviations together, in radians.
        params: When a curvature is resolved.
    """
    floor = params.resolution * fit.errors
    curvature = _floored(fit, params)
    step = -fit.gradient / curvature
    unresolved = fit.curvatures < floor
    if unresolved.any():  # no minimum is seen there: go only as far as the slope is significant
        variances = np.maximum(fit.variances[unresolved], 1e-300)
        evidence = float(np.sum(fit.gradient[unresolved] ** 2 / variances))
        step[unresolved] *= max(0.0, 1 - int(unresolved.sum()) / max(evidence, 1e-300))
    length = float(np.linalg.norm(step))
    noise_loss = 0.5 * float(np.sum(fit.variances / curvature))
    deviations = np.sqrt(fit.variances) / curvature
    return Minimiser(
        step=fit.axes @ step * min(1.0, radius / max(length, 1e-300)),
        deviations=np.minimum(deviations, radius / math.sqrt(len(step))),
        gain=0.5 * float(np.sum(fit.gradient**2 / curvature)) - noise_loss,
        noise_loss=noise_loss,
        inside=length <= radius,
    )


def bias_loss(fit: GradientFit, bias: Array, params: ModelParams) -> float:
    """How far above the minimum a bias of the gradient, shape (d,), puts the minimiser."""
    return 0.5 * float(np.sum((fit.axes.T @ bias) ** 2 / _floored(fit, params)))


def _floored(fit: GradientFit, params: ModelParams) -> Array:
    """Absolute curvatures, raised to what is resolved, shape (d,)."""
    curvature: Array = np.maximum(np.abs(fit.curvatures), params.resolution * fit.errors) + 1e-100
    return curvature
