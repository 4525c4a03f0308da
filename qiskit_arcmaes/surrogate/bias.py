"""How far odd terms of higher order move the minimiser of a fitted quadratic.

A linear fit to antisymmetric components takes the part of a cubic that points along the offset for
slope: z |z|² has the mean slope d + 2 under normal z. So the residuals are regressed on z |z|²,
without its linear part, and what is found there is the bias of the slope. Even terms of higher
order leave no bias: of a loss that is symmetric around its minimiser a quadratic tells where that
is at any radius.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.newton import PrincipalAxes
from qiskit_arcmaes.surrogate.regression import QuadraticModel
from qiskit_arcmaes.surrogate.selection import Component

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bias:
    """What the bias of the slope costs.

    Attributes:
        loss: Height of the quadratic's minimiser above the true one that the bias causes, without
            what noise alone would show; may be negative.
        error: Standard error of ``loss`` where there is no bias.
    """

    loss: float
    error: float


def measure_bias(model: QuadraticModel, quadratic: PrincipalAxes, curvatures: Array) -> Bias:
    """Estimate the bias of the slope from the residuals of a fit.

    Args:
        model: The fitted quadratic.
        quadratic: It along its principal axes.
        curvatures: Curvature along each of them, > 0.
    """
    odd = [each for each in model.components if not each.symmetric]
    linear, cubic, mixed = (np.zeros((model.basis.dim,) * 2) for _ in range(3))
    right = np.zeros(model.basis.dim)
    rows = [_rows(each, model) for each in odd]
    for offsets, cubes, residuals, weight in rows:
        linear += weight * (offsets.T @ offsets)
        mixed += weight * (offsets.T @ cubes)
        cubic += weight * (cubes.T @ cubes)
        right += weight * (cubes.T @ residuals)
    # residuals have no linear part left: only what of the cubes is not linear tells anything
    slope_of_cubes = np.linalg.lstsq(linear, mixed, rcond=None)[0]
    information = cubic - mixed.T @ slope_of_cubes
    to_slopes = quadratic.axes.T @ slope_of_cubes
    inverse = np.linalg.pinv(information, hermitian=True)
    bias = to_slopes @ (inverse @ right)
    covariance = to_slopes @ inverse @ to_slopes.T
    scaled = covariance / np.sqrt(np.outer(curvatures, curvatures))
    loss = 0.5 * float(np.sum(bias**2 / curvatures) - np.trace(scaled))
    return Bias(loss, float(np.sqrt(np.sum(scaled**2) / 2)))


def _rows(component: Component, model: QuadraticModel) -> tuple[Array, Array, Array, float]:
    """Offsets, z |z|², residuals and weight of the near pairs of a component."""
    local = component.local
    near = local.near
    offsets = local.offsets[near]
    middles = local.middles if local.design.common_middle else local.middles[near]
    slopes = model.gradient + middles @ model.hessian
    residuals = local.design.antisymmetric[near] - np.sum(slopes * offsets, axis=1)
    cubes = offsets * np.sum(offsets**2, axis=1, keepdims=True)
    weight = 1 / max(component.variance + component.lack_of_fit, 1e-300)
    return offsets, cubes, residuals, weight
