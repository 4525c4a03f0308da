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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.regression import symmetrised
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import Design, SamplingDistribution
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.params import RegressionParams
from qiskit_arcmaes.surrogate.selection import Component, near_components
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
    """

    basis: QuadraticBasis
    coefficients: Array
    covariance: Array
    origin: float
    hessian: Array
    components: tuple[Component, ...]
    prior_variance: float

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
    largest = max(each.equations.square / each.equations.count for each in components)
    tiny = 1e-300 + 1e-28 * (origin**2 + largest)  # what rounding leaves of a perfect fit
    prior = prior_variance
    if prior is None:
        prior = 2 * float(np.var(newest)) / basis.dim + tiny
    equations = WeightedEquations(components, basis, tiny, params)
    found = equations.estimate(prior)
    components = list(with_variances(components, found))
    first = components[0]
    noise_share = first.variance / max(first.variance + first.lack_of_fit, 1e-300)
    wide = found.prior * (1 + (params.prior_widening - 1) * noise_share)
    coefficients, lower = equations.solve(found.lack_of_fit, wide)
    return QuadraticModel(
        basis=basis,
        coefficients=coefficients,
        covariance=symmetrised(lower),
        origin=origin,
        hessian=basis.hessian(coefficients),
        components=tuple(components),
        prior_variance=found.prior,
    )
