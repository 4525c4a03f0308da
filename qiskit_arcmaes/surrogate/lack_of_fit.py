"""What the quadratic does not explain, in comparison with the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.surrogate.params import TrustRegionParams
from qiskit_arcmaes.surrogate.regression import QuadraticModel
from qiskit_arcmaes.surrogate.selection import Component


@dataclass(frozen=True)
class LackOfFit:
    """Lack of fit of the quadratic in the newest designs.

    Attributes:
        antisymmetric: Lack of fit of the antisymmetric components, in standard errors.
        symmetric: Lack of fit of the symmetric components, in standard errors.
        ruggedness: Variance of the symmetric lack of fit, as a share of the variance that
            curvature causes.
        variance: Unexplained variance of single values, the sum of both components.
        noise: Variance of single values that the noise causes.
        harmless: Whether it is known to leave the minimiser where it is.
    """

    antisymmetric: float
    symmetric: float
    ruggedness: float
    variance: float
    noise: float
    harmless: bool = False

    def symmetric_significant(self, params: TrustRegionParams) -> bool:
        """Whether the symmetric lack of fit is significant, and large enough to matter."""
        return self.symmetric > params.significance and self.ruggedness > params.ruggedness

    def significant(self, params: TrustRegionParams) -> bool:
        """Whether either lack of fit is significant, and large enough to matter."""
        return not self.harmless and self._found(params)

    def _found(self, params: TrustRegionParams) -> bool:
        """Whether there is one, harmless or not."""
        return self.antisymmetric > params.significance or self.symmetric_significant(params)

    def leaves_room(self, params: TrustRegionParams) -> bool:
        """Whether the quadratic may fit in a larger trust region too."""
        flat = self.ruggedness < params.ruggedness * params.room_share
        return (
            not self._found(params)
            and self.antisymmetric < params.room
            and (self.symmetric < params.room or flat)
        )


def unexplained_variance(model: QuadraticModel) -> tuple[float, float]:
    """Unexplained variance of single values in the newest design: antisymmetric, symmetric.

    A component is half of a sum or difference of two values, hence the factor 2.
    """
    antisymmetric, symmetric = model.components[:2]
    return 2 * antisymmetric.lack_of_fit, 2 * symmetric.lack_of_fit


def measure_lack_of_fit(
    model: QuadraticModel, since: int, noise_freedom: float, noise: float
) -> LackOfFit:
    """Compare the residuals of a fit with the noise.

    Args:
        model: The fitted quadratic.
        since: Index of the first design whose residuals count.
        noise_freedom: Degrees of freedom behind the noise level.
        noise: Variance of a single value of the newest design that the noise causes.
    """
    recent = [each for each in model.components if each.index >= since]
    unexplained = unexplained_variance(model)
    curvature = float(np.sum(model.hessian**2))
    return LackOfFit(
        antisymmetric=_excess([each for each in recent if not each.symmetric], noise_freedom),
        symmetric=_excess([each for each in recent if each.symmetric], noise_freedom),
        ruggedness=unexplained[1] / max(curvature, 1e-300),
        variance=sum(unexplained),
        noise=noise,
    )


def _excess(components: Sequence[Component], noise_freedom: float) -> float:
    """Residual variance beyond the noise, in standard errors; 0 where no noise is known."""
    if noise_freedom == 0:
        return 0.0
    freedom = sum(each.freedom for each in components)
    ratio = sum(e.freedom * e.residual / max(e.variance, 1e-300) for e in components) / freedom
    return float((ratio - 1) / np.sqrt(2 / max(freedom, 1.0) + 2 / noise_freedom))
