"""The Newton step of a fitted quadratic, and the axes of the next sampling distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.newton import (
    NewtonStep,
    PrincipalAxes,
    floored_curvatures,
    newton_step,
)
from qiskit_arcmaes.surrogate.design import SamplingDistribution
from qiskit_arcmaes.surrogate.params import NewtonParams
from qiskit_arcmaes.surrogate.regression import QuadraticModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RadiusLimits:
    """Largest standard deviations of the sampling distribution.

    Along flat directions the minimiser is known best from far points, so that only the geometric
    mean of all axes is limited by sigma0, as is that of an evolution strategy.

    Attributes:
        typical: Of the geometric mean along all axes.
        axis: Along any direction.
    """

    typical: float
    axis: float = math.inf


def principal_axes(model: QuadraticModel) -> PrincipalAxes:
    """Slopes and curvatures along the eigenvectors of the Hessian, with their errors.

    For a diagonal Hessian the eigenvectors are the coordinate axes.
    """
    basis = model.basis
    of_slope = model.covariance[basis.gradient, basis.gradient]
    of_curvature = model.covariance[basis.curvature, basis.curvature]
    if basis.full:
        curvatures, axes = np.linalg.eigh(model.hessian)
        features = np.hstack([np.ones((basis.dim, 1)), basis.bilinear(axes.T, axes.T)])
        squares = np.sum((features @ of_curvature) * features, axis=1)
    else:
        curvatures, axes = np.diag(model.hessian).copy(), np.eye(basis.dim)
        diagonal = np.diag(of_curvature)
        squares = diagonal[0] + diagonal[1:] + 2 * of_curvature[0, 1:]
    return PrincipalAxes(
        axes=axes,
        slopes=model.gradient @ axes,
        variances=np.sum((axes.T @ of_slope) * axes.T, axis=1),
        curvatures=curvatures,
        errors=np.sqrt(np.maximum(squares, 0.0)),
    )


def step_to_minimiser(quadratic: PrincipalAxes, params: NewtonParams) -> NewtonStep:
    """The Newton step in the coordinates of the sampling distribution."""
    longest = params.longest * math.sqrt(len(quadratic.slopes))
    return newton_step(quadratic, params.floor, longest)


def axis_factors(quadratic: PrincipalAxes, params: NewtonParams) -> Array:
    """Factors on the axes of the sampling distribution, with geometric mean 1, shape (d,).

    Each is (mean curvature/curvature)^(1/4); curvatures count only as far as they differ from the
    mean by more than their errors.
    """
    floored = floored_curvatures(quadratic, params.floor)
    margin = params.floor * quadratic.errors
    typical = math.exp(float(np.mean(np.log(floored))))
    excess = floored - typical
    kept = np.sign(excess) * np.maximum(np.abs(excess) - margin, 0.0)
    curvature = np.maximum(typical + kept, np.minimum(typical, margin))
    curvature = np.maximum(curvature, 1e-300)
    mean = math.exp(float(np.mean(np.log(curvature))))
    return np.asarray((mean / curvature) ** params.shape_exponent)


def rescaled(
    distribution: SamplingDistribution,
    quadratic: PrincipalAxes,
    radius_factor: float,
    limits: RadiusLimits,
    params: NewtonParams,
) -> Array:
    """The matrix D of the next sampling distribution.

    Args:
        distribution: The present distribution.
        quadratic: The quadratic in its coordinates.
        radius_factor: Factor on all axes.
        limits: Limits on its axes.
        params: Parameters of the axes.

    Returns:
        A symmetric, positive definite matrix, shape (d, d).
    """
    stretch = quadratic.axes * (axis_factors(quadratic, params) * radius_factor)
    left, radii, _ = np.linalg.svd(distribution.scale @ stretch @ quadratic.axes.T)
    typical = math.exp(float(np.mean(np.log(radii))))
    radii *= min(1.0, limits.typical / typical)
    radii = np.clip(radii, params.smallest_axis * radii.max(), limits.axis)
    return np.asarray((left * radii) @ left.T)
