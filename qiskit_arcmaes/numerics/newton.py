"""One Newton step of a quadratic whose slopes and curvatures are known with errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TINY = 1e-300  # replaces zero in denominators


@dataclass(frozen=True)
class PrincipalAxes:
    """A quadratic around a centre, along the eigenvectors of its Hessian.

    Attributes:
        axes: The eigenvectors as columns, shape (d, d).
        slopes: Slope of the loss along each eigenvector, shape (d,).
        variances: Variance of each slope, shape (d,).
        curvatures: Second derivative along each eigenvector, shape (d,); may be negative.
        errors: Standard error of each curvature, shape (d,).
    """

    axes: Array
    slopes: Array
    variances: Array
    curvatures: Array
    errors: Array


@dataclass(frozen=True)
class NewtonStep:
    """The step to the minimiser of a quadratic, not longer than a given length.

    Attributes:
        vector: The step from the centre, shape (d,).
        step_fraction: Taken part of the full step: 1, or less where the full step is too long.
        curvatures: Absolute curvature along each eigenvector, floored, shape (d,).
        deviations: Standard deviation of the minimiser along each eigenvector, shape (d,).
        gain: G, estimate of the decrease f(centre) - f(minimiser) by a full step. The part that
            noise alone would promise is subtracted, so that the estimate can be negative.
        noise_loss: T, expected height of the estimated minimiser above the true one, caused by
            the errors of the slopes.
        unresolved: Number of eigenvectors along which the curvature is not significantly positive.
    """

    vector: Array
    step_fraction: float
    curvatures: Array
    deviations: Array
    gain: float
    noise_loss: float
    unresolved: int

    @property
    def location_error(self) -> float:
        """Root mean square of the minimiser's standard deviations."""
        return math.sqrt(float(np.mean(self.deviations**2)))

    @property
    def significant_gain(self) -> float:
        """The gain minus two of its standard errors, at least 0.

        The standard error is that of a gain that noise alone causes: T sqrt(2/d).
        """
        return max(0.0, self.gain - 2 * self.noise_loss * math.sqrt(2 / len(self.vector)))


def floored_curvatures(quadratic: PrincipalAxes, floor: float) -> Array:
    """Absolute curvature along each eigenvector, at least ``floor`` of its standard errors.

    Args:
        quadratic: The quadratic.
        floor: Standard errors, >= 0.

    Returns:
        Curvatures > 0, shape (d,).
    """
    return np.maximum(np.abs(quadratic.curvatures), floor * quadratic.errors) + _TINY


def newton_step(quadratic: PrincipalAxes, floor: float, longest: float) -> NewtonStep:
    """Minimise a quadratic: -slope/curvature along each eigenvector.

    Along eigenvectors without a significantly positive curvature the step is shortened by the
    factor 1 - n/sum(slope²/variance) of their n slopes (at least 0): it vanishes where the slopes
    are explained by noise.

    Args:
        quadratic: The quadratic, with errors.
        floor: Curvatures are floored at this number of their standard errors, >= 0.
        longest: Length of the longest step, > 0, in the units of the coordinates.

    Example:
        >>> quadratic = PrincipalAxes(
        ...     axes=np.eye(2), slopes=np.array([1.0, -2.0]), variances=np.zeros(2),
        ...     curvatures=np.array([1.0, 4.0]), errors=np.zeros(2),
        ... )
        >>> step = newton_step(quadratic, floor=1.0, longest=10.0)
        >>> step.vector, step.step_fraction, step.gain
        (array([-1. ,  0.5]), 1.0, 1.0)
    """
    slopes, variances = quadratic.slopes, quadratic.variances
    curvatures = floored_curvatures(quadratic, floor)
    unresolved = quadratic.curvatures <= floor * quadratic.errors
    steps = -slopes / curvatures
    if unresolved.any():
        steps[unresolved] *= _shrinkage(slopes[unresolved], variances[unresolved])
    length = float(np.linalg.norm(steps))
    fraction = min(1.0, longest / max(length, _TINY))
    noise_loss = 0.5 * float(np.sum(variances / curvatures))
    return NewtonStep(
        vector=fraction * (quadratic.axes @ steps),
        step_fraction=fraction,
        curvatures=curvatures,
        deviations=np.sqrt(np.maximum(variances, 0.0)) / curvatures,
        gain=0.5 * float(np.sum(slopes**2 / curvatures)) - noise_loss,
        noise_loss=noise_loss,
        unresolved=int(unresolved.sum()),
    )


def _shrinkage(slopes: Array, variances: Array) -> float:
    """The James–Stein factor of slopes that may be noise: 0 where noise explains them."""
    evidence = float(np.sum(slopes**2 / np.maximum(variances, _TINY)))
    return max(0.0, 1 - len(slopes) / max(evidence, _TINY))
