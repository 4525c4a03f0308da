"""Cost of the next design: what the search gains most from per shot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import DesignParams, SurrogateParams
from qiskit_arcmaes.surrogate.trust_region import RadiusDecision, RadiusUpdate

_TINY = 1e-300  # replaces zero in denominators


@dataclass(frozen=True)
class Demand:
    """What a local search wants of its next design.

    Attributes:
        fewest_pairs: Pairs of its smallest design.
        cost: Cost of the next design in one-shot evaluations; NaN before the first.
        noise: Variance of one shot in the newest design; NaN before the first.
        antisymmetric: Unexplained variance of single values of the newest design.
        symmetric: The same of the symmetric component.
        outliers: Whether the last fit has left pairs out: their noise has heavy tails, which means
            of many shots do not narrow.
    """

    fewest_pairs: int
    cost: float = math.nan
    noise: float = math.nan
    antisymmetric: float = 0.0
    symmetric: float = 0.0
    outliers: bool = False


def model_shots(gain: float, noise_loss: float, overhead: float) -> float:
    """The M that maximises the gain per cost of a model's step, in units of the present M.

    A step to the model's minimiser gains G, of which the slope's error, that goes as 1/M, costs T
    at the present M_0. With the fixed cost of a circuit

        gamma(M) = (G - T M_0/M)/(overhead + M)

    has its maximum at M/M_0 = t (1 + sqrt(1 + (overhead/M_0)/t)), t = T/G: without overhead where
    the error is half the gain.

    Args:
        gain: G, > 0.
        noise_loss: T, > 0.
        overhead: Fixed cost of a circuit, in units of the present M_0, >= 0.

    Example:
        >>> model_shots(1.0, 0.25, 0.0)
        0.5
    """
    share = noise_loss / gain
    return share * (1 + float(np.sqrt(1 + overhead / share)))


@dataclass(frozen=True)
class DesignCost:
    """What a design has cost.

    Attributes:
        total: One-shot evaluations.
        shots: Shots per point.
        overhead: Fixed cost of a circuit, in shots.
    """

    total: float
    shots: int
    overhead: float


def next_cost(
    update: RadiusUpdate,
    step: NewtonStep,
    lack: LackOfFit,
    demand: Demand,
    noise_power: float,
    present: DesignCost,
    params: SurrogateParams,
) -> float:
    """Cost of the next design in one-shot evaluations, within limits around the present cost.

    Args:
        update: The decision on the radius.
        step: The present step.
        lack: The present lack of fit.
        demand: Noise and unexplained variance of the present design.
        noise_power: Power with which the noise variance falls with the squared radius.
        present: Cost of the present design.
        params: Parameters of the surrogate.
    """
    if update.decision in (RadiusDecision.ENTER_MINIMUM, RadiusDecision.SHRINK_TO_QUIET):
        wanted = 0.0  # the loss looks different there: begin with a small design
    elif update.decision is RadiusDecision.SHRINK:
        power = min(noise_power, params.noise.largest_power)
        limit = params.trust_region.resolved
        wanted = resolving_cost(step, demand, update.factor, power, present.shots, limit)
    else:
        wanted = efficient_cost(step, present, params.design)
        if lack.significant(params.trust_region) and step.step_fraction == 1:
            wanted = max(wanted, params.design.lack_of_fit_growth * present.total)
    change = params.design.cost_change
    return float(min(max(wanted, present.total / change**2), change * present.total))


def efficient_cost(step: NewtonStep, present: DesignCost, params: DesignParams) -> float:
    """The cost with the greatest gain per cost, within a factor of the present one."""
    gain, noise_loss = max(step.significant_gain, _TINY), max(step.noise_loss, _TINY)
    change = model_shots(gain, noise_loss, present.overhead / present.shots)
    return present.total * min(max(change, 1 / params.cost_change), params.cost_change)


def resolving_cost(
    step: NewtonStep, demand: Demand, factor: float, noise_power: float, shots: int, limit: float
) -> float:
    """The cost that resolves the minimiser in a smaller trust region.

    Args:
        step: The present step; curvatures fall with the squared radius.
        demand: Noise and unexplained variance of the present design.
        factor: Factor on the radius, < 1.
        noise_power: Power with which the noise variance falls with the squared radius.
        shots: Shots per point.
        limit: Wanted error of the minimiser, in units of the radius.
    """
    quieter = factor ** (2 * noise_power)
    single = quieter * demand.noise + shots * demand.antisymmetric
    return float(np.mean(single / (step.curvatures * factor**2) ** 2)) / limit**2
