"""First-order phase with shift rules: Adam at a rate that falls to what the noise allows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.adam import Adam, adam_step, new_adam
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.plan import choose_shots
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.record import GradientRecord, empty_record
from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.spectral_params import RateParams, SpectralParams
from qiskit_arcmaes.shift.spectral_plan import DescentPlan

Array = NDArray[np.float64]

ALGORITHM = "parameter-shift Adam"


@dataclass(frozen=True)
class DescentPhase:
    """State of a descent.

    Attributes:
        plan: Steps and shots.
        adam: Adam's averages.
        record: What the gradient model will be fitted to.
        shots: Shots per point of the next step, not rounded.
        rate: The last step in radians, before the first one the planned one.
        curvature: Mean curvature along the axes, near the present point.
    """

    plan: DescentPlan
    adam: Adam
    record: GradientRecord
    shots: float
    rate: float
    curvature: float


def start_descent(plan: DescentPlan, dim: int, curvature: float) -> DescentPhase:
    """The phase before its first step."""
    return DescentPhase(plan, new_adam(dim), empty_record(dim), plan.shots, plan.rate, curvature)


def is_centred(phase: DescentPhase, params: SpectralParams) -> bool:
    """Whether the next job measures the centre too."""
    return phase.adam.steps % params.plan.value_interval == 0


def descent_points(
    phase: DescentPhase, iterate: Iterate, rules: SlopeRules, params: SpectralParams
) -> Array:
    """Points of the next step: all pairs, and the centre where it is due."""
    points = rules.points(iterate.centre)
    if is_centred(phase, params):
        points = np.concatenate([points, iterate.centre[None]])
    return points


def descend(
    phase: DescentPhase, iterate: Iterate, reading: SlopeReading, params: SpectralParams
) -> tuple[DescentPhase, Iterate]:
    """Read a job and take one step; where a slope failed none is taken along its angle.

    Args:
        phase: The phase as it asked for the job.
        iterate: The present point, with the job in ``spent`` and ``noise``.
        reading: What the job told.
        params: Parameters of the method.
    """
    if not math.isnan(reading.value):
        iterate = measured(iterate, reading)
    record, curvature = phase.record, phase.curvature
    if np.isfinite(reading.curvatures).all():
        record = record.with_curvatures(reading.curvatures, reading.shots)
        weight = params.rate.curvature_weight
        curvature += weight * (float(reading.curvatures.mean()) - curvature)
    if phase.plan.second_order and not reading.failed:
        variance = float(reading.variances.mean())
        record = record.with_gradient(iterate.centre, reading.slopes, variance)
    phase = replace(phase, record=record, curvature=curvature)
    return take_step(phase, iterate, np.nan_to_num(reading.slopes), reading.variances, params)


def measured(iterate: Iterate, reading: SlopeReading) -> Iterate:
    """The iterate with the value at its centre."""
    shots = reading.noise / reading.value_variance if reading.value_variance > 0 else math.inf
    return replace(iterate, value=reading.value, value_shots=shots)


def take_step(
    phase: DescentPhase, iterate: Iterate, slopes: Array, variances: Array, params: SpectralParams
) -> tuple[DescentPhase, Iterate]:
    """Take one step of Adam at a rate that is held first and then falls with the noise.

    Args:
        phase: The phase.
        iterate: The present point.
        slopes: There, shape (d,).
        variances: Of the slopes, shape (d,).
        params: Parameters of the method.
    """
    plan = phase.plan
    done = min(1 - (plan.limit - iterate.spent) / plan.budget, 1.0)
    deviation = math.sqrt(float(variances.mean()))
    rate = next_rate(phase.rate, plan, done, deviation, phase.curvature, params.rate)
    adam = params.adam.for_steps(plan.steps)
    step = adam_step(phase.adam, slopes, adam)
    move = -step.move(rate)
    one_shot = float(variances.mean()) * phase.shots
    shots = choose_shots(
        phase.shots, plan.shots, step.gradient, one_shot, adam.momentum, params.plan
    )
    shots = max(shots, plan.least_shots, affordable_shots(plan, iterate))
    phase = replace(phase, adam=step.adam, shots=shots, rate=rate)
    return phase, replace(iterate, centre=iterate.centre + move, iteration=iterate.iteration + 1)


def affordable_shots(plan: DescentPlan, iterate: Iterate) -> float:
    """Shots per point that use up the budget in the jobs that are left; 0 where these are not few.

    Args:
        plan: The descent, with its last job.
        iterate: The present point, with the budget and the jobs used.
    """
    jobs = max(plan.last_job - iterate.jobs, 1.0)
    return (plan.limit - iterate.spent) / (jobs * (plan.rows + 1))


def next_rate(
    rate: float,
    plan: DescentPlan,
    done: float,
    deviation: float,
    curvature: float,
    params: RateParams,
) -> float:
    """Rate of the next step: held first, then falling geometrically to the last rate.

    Args:
        rate: The present rate in radians.
        plan: Steps and the first rate.
        done: Share of the descent's budget that is used.
        deviation: Standard deviation of a slope of one step.
        curvature: Mean curvature along the axes.
        params: When and how far it falls.
    """
    if done <= params.held:
        return rate
    least = params.least * plan.rate
    last = plan.rate
    if curvature > 0:
        last = params.last * deviation / (curvature * plan.steps)
    last = min(max(last, least), rate)
    left = plan.steps * (1 - done) + 1
    return float(rate * (last / rate) ** (1 / left))


def is_over(phase: DescentPhase, iterate: Iterate) -> bool:
    """Whether the budget of this descent may not pay another step, or no job is left for one."""
    plan = phase.plan
    cost = (plan.rows + 1) * phase.shots * (1 - 1e-9)  # rounding must not cost the last job
    return iterate.spent + cost > plan.limit or iterate.jobs >= plan.last_job
