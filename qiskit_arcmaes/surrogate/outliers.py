"""Pairs that the noise or the loss has thrown far off the quadratic: a fit leaves them out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.heavy_tails import far_off
from qiskit_arcmaes.surrogate.normal_equations import LocalDesign
from qiskit_arcmaes.surrogate.params import OutlierParams

Array = NDArray[np.float64]


def without_outliers(
    local: LocalDesign,
    basis: QuadraticBasis,
    coefficients: Array,
    origin: float,
    params: OutlierParams,
) -> LocalDesign:
    """A design without the pairs of which either component is an outlier.

    Args:
        local: The design in the coordinates of the quadratic.
        basis: The quadratic's basis.
        coefficients: Of the fitted quadratic.
        origin: What its values are relative to.
        params: When a residual is an outlier.

    Returns:
        The same object where no pair is left out.
    """
    near = np.flatnonzero(local.near)
    gradient, hessian = coefficients[basis.gradient], basis.hessian(coefficients)
    design, offsets = local.design, local.offsets[near]
    middles = local.middles if design.common_middle else local.middles[near]
    slopes = gradient + middles @ hessian
    curved = np.sum((middles @ hessian) * middles + (offsets @ hessian) * offsets, axis=1) / 2
    odd = design.antisymmetric[near] - np.sum(slopes * offsets, axis=1)
    even = design.symmetric[near] - origin - coefficients[0] - middles @ gradient - curved
    outside = far_off(odd, design.variance, params) | far_off(even, design.variance, params)
    if not outside.any():
        return local
    kept = local.near.copy()
    kept[near[outside]] = False
    return replace(local, near=kept)
