"""A wide quadratic that does not fit, but tells the minimiser best.

Even terms of higher order leave the minimiser of a quadratic where it is: of a loss that is
symmetric around its minimiser, a wide distribution tells best where that is, although the quadratic
does not fit there. Whether it does is seen from a narrow one: where a quadratic that fits has its
minimiser in the same place, the search returns to the wide distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.numerics.newton import NewtonStep, PrincipalAxes
from qiskit_arcmaes.surrogate.design import SamplingDistribution
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import TrustRegionParams
from qiskit_arcmaes.surrogate.regression import QuadraticModel
from qiskit_arcmaes.surrogate.trust_region import RadiusDecision, is_resolved

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WideFit:
    """A fit with its minimiser inside, and what is expected of further designs like its newest.

    Attributes:
        distribution: Where its newest design was drawn, moved to its minimiser.
        covariance: Covariance of the minimiser, shape (d, d).
        loss_times_cost: Height above the minimum that the noise and the lack of fit of the newest
            design cause, times the cost of that design.
    """

    distribution: SamplingDistribution
    covariance: Array
    loss_times_cost: float


def wide_fit(
    model: QuadraticModel,
    quadratic: PrincipalAxes,
    step: NewtonStep,
    scale: Array,
    minimiser: Array,
    cost: float,
) -> WideFit:
    """What a fit tells of the minimiser, and at which price.

    Args:
        model: The fit.
        quadratic: It along its principal axes.
        step: The step to its minimiser.
        scale: Matrix D of the distribution in whose coordinates they are, shape (d, d).
        minimiser: Where the step ends, shape (d,).
        cost: One-shot evaluations of the newest design.
    """
    newest = model.components[0]
    variance = (newest.variance + newest.lack_of_fit) / newest.equations.count
    axes = scale @ quadratic.axes * step.deviations
    return WideFit(
        distribution=SamplingDistribution(minimiser, scale),
        covariance=axes @ axes.T,
        loss_times_cost=cost * variance * float(np.sum(0.5 / step.curvatures)),
    )


def agree(one: WideFit, other: WideFit, significance: float) -> bool:
    """Whether two minimisers differ by no more than their errors explain.

    Args:
        one: A fit.
        other: Another fit, of other designs.
        significance: Standard deviations of chi² with d degrees of freedom.
    """
    difference = one.distribution.centre - other.distribution.centre
    covariance, dim = one.covariance + other.covariance, len(difference)
    squares = float(difference @ np.linalg.pinv(covariance, hermitian=True) @ difference)
    return squares <= dim + significance * math.sqrt(2 * dim)


@dataclass(frozen=True)
class WideMemory:
    """What wide distributions told of the minimiser, although the quadratic did not fit there.

    Attributes:
        best: The fit with the least loss times cost; None where there is none.
        returned: Whether the search has returned to it.
    """

    best: WideFit | None = None
    returned: bool = False


def remembered(
    memory: WideMemory,
    newest: WideFit,
    decision: RadiusDecision,
    step: NewtonStep,
    lack: LackOfFit,
    params: TrustRegionParams,
) -> WideMemory:
    """Remember a fit that is given up for its lack of fit; return to it where that was harmless.

    Args:
        memory: What is known.
        newest: The newest fit.
        decision: What happens to the radius after it.
        step: Its step.
        lack: Its lack of fit.
        params: Parameters of the trust region.
    """
    shrinks = decision in (RadiusDecision.SHRINK, RadiusDecision.ENTER_MINIMUM)
    if memory.returned:
        return WideMemory() if shrinks else memory
    if not is_resolved(step, params.resolved) or step.unresolved > 0:
        return memory
    best = memory.best
    if shrinks:
        better = best is None or newest.loss_times_cost < best.loss_times_cost
        return WideMemory(newest) if better else memory
    if best is None or lack.significant(params):
        return memory
    if not agree(best, newest, params.significance):
        return WideMemory()
    pays = best.loss_times_cost < params.wide_return * newest.loss_times_cost
    return replace(memory, returned=True) if pays else memory
