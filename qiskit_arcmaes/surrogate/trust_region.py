"""The trust-region radius: as large as the quadratic fits, larger where it smooths ruggedness.

The lack of fit of a smooth loss falls with the sixth power of the radius. Where it does not fall,
the loss is rugged: a large distribution smooths it and resolves the minimiser best, so that the
radius is restored until the minimiser is resolved well enough to enter the local minimum around it.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np

from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import TrustRegionParams


class RadiusDecision(enum.Enum):
    """What happens to the radius after a design, and why."""

    KEEP = "keep"
    GROW = "grow: the quadratic fits"
    SHRINK = "shrink: the quadratic does not fit"
    SHRINK_TO_QUIET = "shrink: the noise is smaller near the minimiser"
    RESTORE = "restore: shrinking has not reduced the lack of fit, the loss is rugged"
    ENTER_MINIMUM = "shrink at once: enter the local minimum of a rugged loss"


@dataclass(frozen=True)
class TrustRegion:
    """What is remembered for the next decision.

    Attributes:
        last_decision: The decision after the last design.
        lack_of_fit_before: Unexplained variance before the last shrinking.
        rounds_without_signal: Designs in a row without a significant gain.
        shrinks_here: How often the radius shrank since the search came to this place.
        cooldown: Designs before the radius may grow again.
        rugged: Whether shrinking has not reduced the lack of fit.
    """

    last_decision: RadiusDecision = RadiusDecision.KEEP
    lack_of_fit_before: float = math.nan
    rounds_without_signal: int = 0
    shrinks_here: int = 0
    cooldown: int = 0
    rugged: bool = False

    @property
    def ever_shrunk(self) -> bool:
        """Whether the radius ever shrank because the quadratic did not fit."""
        return not math.isnan(self.lack_of_fit_before)

    def begun_anew(self) -> TrustRegion:
        """The state at a radius that was chosen before; whether it ever shrank stays known."""
        return TrustRegion(lack_of_fit_before=self.lack_of_fit_before)


@dataclass(frozen=True)
class RadiusUpdate:
    """A decision on the radius.

    Attributes:
        region: The new state, with the decision.
        factor: Factor on the radius.
        moved: Whether the search is on the way to another place, so that what it learned of the
            noise here no longer holds.
    """

    region: TrustRegion
    factor: float
    moved: bool = False

    @property
    def decision(self) -> RadiusDecision:
        """The decision."""
        return self.region.last_decision


def radius_factor(decision: RadiusDecision, params: TrustRegionParams) -> float:
    """The factor on the radius that a decision means."""
    return {
        RadiusDecision.KEEP: 1.0,
        RadiusDecision.GROW: params.grow,
        RadiusDecision.SHRINK: params.shrink,
        RadiusDecision.SHRINK_TO_QUIET: params.shrink,
        RadiusDecision.RESTORE: 1 / params.shrink,
        RadiusDecision.ENTER_MINIMUM: 1 / params.rugged_resolution,
    }[decision]


def is_resolved(step: NewtonStep, limit: float) -> bool:
    """Whether the minimiser is inside the trust region and known to ``limit`` of its radius."""
    return step.step_fraction == 1 and step.location_error < limit


def update_radius(
    region: TrustRegion,
    lack: LackOfFit,
    step: NewtonStep,
    noise_power: float,
    params: TrustRegionParams,
    width: float = 1.0,
) -> RadiusUpdate:
    """Decide on the radius of the next design.

    The radius shrinks where the quadratic does not fit, but only once the minimiser is resolved.

    Args:
        region: The state after the last decision.
        lack: The present lack of fit.
        step: The present step.
        noise_power: Power p with which the noise variance falls with the squared radius.
        params: Parameters of the decision.
        width: The present radius in units of the largest one.

    Example:
        >>> step = NewtonStep(np.zeros(2), 1.0, np.ones(2), np.full(2, 0.1), 1.0, 0.1, 0)
        >>> fits = LackOfFit(0.0, 0.0, 0.0, 0.0, 1.0)
        >>> update_radius(TrustRegion(), fits, step, 0.0, TrustRegionParams()).decision.name
        'GROW'
    """
    if _not_reduced(region, lack, params):
        return _decided(replace(region, rugged=True), RadiusDecision.RESTORE, params)
    limit = params.resolved / params.rugged_resolution if region.rugged else params.resolved
    resolved = is_resolved(step, limit)
    silent = lack.significant(params) and step.significant_gain == 0 and not resolved
    rounds = region.rounds_without_signal + 1 if silent else 0
    region = replace(region, rounds_without_signal=rounds)
    if lack.significant(params) and resolved and region.rugged:
        return _decided(replace(region, rugged=False), RadiusDecision.ENTER_MINIMUM, params)
    if lack.significant(params) and (resolved or rounds >= params.patience):
        return _decided(_shrunk(region, lack, params), RadiusDecision.SHRINK, params)
    follows = resolved and width > params.narrowest
    return _keep_or_grow(region, lack, step, follows, noise_power, params)


def _not_reduced(region: TrustRegion, lack: LackOfFit, params: TrustRegionParams) -> bool:
    """Whether the last shrinking has left a lack of fit that is hardly smaller."""
    if region.last_decision is not RadiusDecision.SHRINK or not lack.significant(params):
        return False
    return lack.variance > max(params.shrink * region.lack_of_fit_before, lack.noise)


def _shrunk(region: TrustRegion, lack: LackOfFit, params: TrustRegionParams) -> TrustRegion:
    """The state after a shrinking for lack of fit."""
    shrinks = region.shrinks_here + 1
    return replace(
        region,
        lack_of_fit_before=lack.variance,
        rounds_without_signal=0,
        shrinks_here=shrinks,
        cooldown=int(params.backoff**shrinks),
    )


def _keep_or_grow(
    region: TrustRegion,
    lack: LackOfFit,
    step: NewtonStep,
    follows: bool,
    noise_power: float,
    params: TrustRegionParams,
) -> RadiusUpdate:
    """Grow, keep, or, if the radius follows the noise, shrink to where that is smaller."""
    distance = float(np.linalg.norm(step.vector))
    moved = step.step_fraction < 1 or distance > params.resolved * math.sqrt(len(step.vector))
    if moved:
        region, noise_power = replace(region, shrinks_here=0, cooldown=0), 0.0
    region = replace(region, cooldown=max(region.cooldown - 1, 0))
    decision = RadiusDecision.KEEP
    if noise_power > params.quiet_power:
        decision = RadiusDecision.SHRINK_TO_QUIET if follows else RadiusDecision.KEEP
    elif lack.leaves_room(params) and region.cooldown == 0:
        decision = RadiusDecision.GROW
    return _decided(region, decision, params, moved)


def _decided(
    region: TrustRegion, decision: RadiusDecision, params: TrustRegionParams, moved: bool = False
) -> RadiusUpdate:
    region = replace(region, last_decision=decision)
    return RadiusUpdate(region, radius_factor(decision, params), moved)
