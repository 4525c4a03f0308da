"""The quadratic, fitted to all designs near the sampling distribution.

Generalised least squares: what the quadratic does not explain counts as further noise, separately
for every design and for both of its components, so that a design with lack of fit loses weight. The
Hessian has the prior H ~ N(h I, omega²) with h free, so that a design may be smaller than the
number of coefficients. All variances are estimated by expectation maximisation. Where noise
dominates, the last solution takes a wider prior (``RegressionParams.prior_widening``); where lack
of fit dominates, a wider prior would only let it into the Hessian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.regression import symmetrised
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import Design, SamplingDistribution
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.outliers import without_outliers
from qiskit_arcmaes.surrogate.params import RegressionParams
from qiskit_arcmaes.surrogate.selection import Component, components_of, near_components
from qiskit_arcmaes.surrogate.variances import WeightedEquations, with_variances

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QuadraticModel:
    """The fitted quadratic, in the coordinates of the sampling distribution.

    Attributes:
        basis: The meaning of the coefficients.
        coefficients: c (relative to ``origin``), g, h and H - h I.
        covariance: Covariance of the coefficients.
        origin: Added to c.
        hessian: H, shape (d, d).
        components: The data, those of the newest design first: antisymmetric, symmetric.
        prior_variance: omega², the prior variance of the entries of H.
        left_out: Number of pairs that were left out as outliers.
    """

    basis: QuadraticBasis
    coefficients: Array
    covariance: Array
    origin: float
    hessian: Array
    components: tuple[Component, ...]
    prior_variance: float
    left_out: int = 0

    @property
    def gradient(self) -> Array:
        """The slope g at the centre, shape (d,)."""
        return self.coefficients[self.basis.gradient]

    def predict(self, at: Array) -> tuple[float, float]:
        """Value at a point in the distribution's coordinates, and its standard error."""
        features = self.basis.value(at)
        variance = float(features @ self.covariance @ features)
        value = self.origin + float(features @ self.coefficients)
        return value, float(np.sqrt(max(variance, 0.0)))


def fit(
    designs: Sequence[Design],
    distribution: SamplingDistribution,
    basis: QuadraticBasis,
    prior_variance: float | None,
    params: RegressionParams,
    cache: SumsCache,
) -> QuadraticModel:
    """Fit the quadratic to the newest design and to the most precise others near it.

    Args:
        designs: All designs, oldest first, at least one.
        distribution: The present sampling distribution.
        basis: The quadratic's basis.
        prior_variance: omega² of the last fit, None before the first.
        params: Parameters of the fit.
        cache: Sums that earlier fits made.
    """
    newest = designs[-1].symmetric
    origin = float(np.median(newest))
    components = list(near_components(designs, distribution, basis, origin, params, cache))
    plain = _fitted(components, basis, origin, prior_variance, params)
    kept, model = components, plain
    for _ in range(params.outliers.passes):
        before, kept = kept, _without_outliers(components, model, params, cache)
        if [each.equations.count for each in before] == [each.equations.count for each in kept]:
            break
        model = _fitted(kept, basis, origin, prior_variance, params)
    return _explained(model, plain, params)


def _explained(
    model: QuadraticModel, plain: QuadraticModel, params: RegressionParams
) -> QuadraticModel:
    """The model without outliers if noise explains what they leave, else the one of all pairs."""
    left_out, pairs = 0, zip(model.components, plain.components, strict=True)
    for found, of_all in pairs:
        fewer = of_all.equations.count - found.equations.count
        if fewer and found.residual > params.outliers.explained * found.variance:
            return plain
        left_out += fewer
    return replace(model, left_out=left_out // 2)


def _fitted(
    components: Sequence[Component],
    basis: QuadraticBasis,
    origin: float,
    prior_variance: float | None,
    params: RegressionParams,
) -> QuadraticModel:
    """Least squares with all variances estimated, and the prior widened where noise dominates."""
    largest = max(each.equations.square / each.equations.count for each in components)
    tiny = 1e-300 + 1e-28 * (origin**2 + largest)  # what rounding leaves of a perfect fit
    prior = prior_variance
    if prior is None:
        newest = components[0].local.design.symmetric
        prior = 2 * float(np.var(newest)) / basis.dim + tiny
    equations = WeightedEquations(components, basis, tiny, params)
    found = equations.estimate(prior)
    first, *others = with_variances(components, found)
    noise_share = first.variance / max(first.variance + first.lack_of_fit, 1e-300)
    wide = found.prior * (1 + (params.prior_widening - 1) * noise_share)
    coefficients, lower = equations.solve(found.lack_of_fit, wide)
    return QuadraticModel(
        basis=basis,
        coefficients=coefficients,
        covariance=symmetrised(lower),
        origin=origin,
        hessian=basis.hessian(coefficients),
        components=(first, *others),
        prior_variance=found.prior,
    )


def _without_outliers(
    components: Sequence[Component],
    model: QuadraticModel,
    params: RegressionParams,
    cache: SumsCache,
) -> list[Component]:
    """The components without what are outliers of a model, whatever earlier models said of them."""
    basis, origin, kept = model.basis, model.origin, list(components)
    for place in range(0, len(kept), 2):
        all_pairs, index = kept[place].local, kept[place].index
        local = without_outliers(all_pairs, basis, model.coefficients, origin, params.outliers)
        if local is not all_pairs:
            found = components_of(local, index, basis, origin, params, cache)
            kept[place : place + 2] = found
    return kept
