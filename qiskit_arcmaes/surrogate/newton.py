"""The step to the minimiser of a fitted quadratic, and what it promises."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.surrogate.halves import Terms
from qiskit_arcmaes.surrogate.quadratic import Quadratic

Array = NDArray[np.float64]

FLOOR = 1.0  # curvature is floored at so many of its standard errors
TRUST = 0.7  # longest step, in units of the cloud's typical radius sqrt(d)


@dataclass(frozen=True)
class NewtonStep:
    """A step to the model's minimiser, no longer than can be trusted.

    Attributes:
        vector: The step, in the coordinates of the cloud.
        axes: Eigenvectors of the Hessian as columns.
        floored: Curvature along each, floored at its own error.
        errors: Standard errors of the curvature.
        cut: 1, or the part of the step that was taken.
        gain: G, expected improvement by a full step, its own error taken out.
        gain_error: T, expected loss that the error of the slope causes.
        location_error: Root mean square error of the step, in units of the cloud.
        unseen: Axes along which no minimum is seen.
    """

    vector: Array
    axes: Array
    floored: Array
    errors: Array
    cut: float
    gain: float
    gain_error: float
    location_error: float
    unseen: int

    @property
    def significant_gain(self) -> float:
        """The gain that is left when two standard errors are taken off."""
        return max(0.0, self.gain - 2 * self.gain_error * math.sqrt(2 / len(self.vector)))

    def shape_factors(self) -> Array:
        """(mean curvature/curvature)^(1/4) along the axes, where it differs significantly."""
        typical = math.exp(float(np.mean(np.log(self.floored))))
        excess = self.floored - typical
        kept = np.sign(excess) * np.maximum(np.abs(excess) - FLOOR * self.errors, 0.0)
        curvature = np.maximum(typical + kept, np.minimum(typical, FLOOR * self.errors))
        curvature = np.maximum(curvature, 1e-300)
        return np.asarray((math.exp(float(np.mean(np.log(curvature)))) / curvature) ** 0.25)


def newton_step(model: Quadratic, terms: Terms) -> NewtonStep:
    """-g/curvature along the eigenvectors; where no minimum is seen, only as a slope is proved."""
    dim = terms.dim
    gradient, covariance = model.gradient, model.covariance
    if terms.full:
        curvature, axes = np.linalg.eigh(model.hessian)
        features = np.hstack([np.ones((dim, 1)), terms.quadratic(axes.T, axes.T)])
        own = covariance[1 + dim :, 1 + dim :]
        errors = np.sqrt(np.maximum(np.sum((features @ own) * features, axis=1), 0.0))
    else:
        curvature, axes = np.diag(model.hessian).copy(), np.eye(dim)
        diagonal = np.diag(covariance)
        errors = np.sqrt(
            diagonal[1 + dim] + diagonal[2 + dim :] + 2 * covariance[1 + dim, 2 + dim :]
        )
    slopes = gradient @ axes
    own = covariance[1 : 1 + dim, 1 : 1 + dim]
    variances = np.sum((axes.T @ own) * axes.T, axis=1)
    floored = np.maximum(np.abs(curvature), FLOOR * errors) + 1e-300
    unseen = curvature <= FLOOR * errors
    steps = -slopes / floored
    if unseen.any():
        evidence = float(np.sum(slopes[unseen] ** 2 / np.maximum(variances[unseen], 1e-300)))
        steps[unseen] *= max(0.0, 1 - unseen.sum() / max(evidence, 1e-300))
    length = float(np.linalg.norm(steps))
    cut = min(1.0, TRUST * math.sqrt(dim) / max(length, 1e-300))
    lost = float(np.sum(variances / floored))
    return NewtonStep(
        vector=cut * (axes @ steps),
        axes=axes,
        floored=floored,
        errors=errors,
        cut=cut,
        gain=max(float(np.sum(slopes**2 / floored)) - lost, 0.0),
        gain_error=lost,
        location_error=math.sqrt(float(np.mean(variances / floored**2))),
        unseen=int(unseen.sum()),
    )
