"""First-order phase with shift rules: Adam, from informed starts in proportion to proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.adam import Adam, AdamStep, adam_step, cosine_rate, new_adam
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.params import AdamParams
from qiskit_arcmaes.shift.plan import choose_shots
from qiskit_arcmaes.shift.record import GradientRecord, empty_record
from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.slopes import read_pairs
from qiskit_arcmaes.shift.spectral_params import SpectralParams
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
    """

    plan: DescentPlan
    adam: Adam
    record: GradientRecord
    shots: float
    rate: float


def start_descent(plan: DescentPlan, dim: int) -> DescentPhase:
    """The phase before its first step."""
    return DescentPhase(plan, new_adam(dim), empty_record(dim), plan.shots, plan.rate)


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
    phase: DescentPhase,
    iterate: Iterate,
    job: Measurement,
    rules: SlopeRules,
    params: SpectralParams,
) -> tuple[DescentPhase, Iterate]:
    """Read a job and take one step.

    Args:
        phase: The phase as it asked for the job.
        iterate: The present point, with the job in ``spent`` and ``noise``.
        job: Values at ``descent_points``.
        rules: The shift rules.
        params: Parameters of the method.
    """
    value, values = math.nan, job.values
    if is_centred(phase, params):
        value, values = float(values[-1]), values[:-1]
        iterate = replace(iterate, value=value, value_shots=job.shots)
    failed = bool(np.isnan(values).any())
    pairs = read_pairs(values)
    slopes = rules.slopes(pairs.half_differences)
    variances = iterate.noise.variance * rules.factors / job.shots
    record = phase.record
    if (phase.plan.second_order or phase.plan.gated) and not failed:
        record = record.with_gradient(iterate.centre, slopes, float(variances.mean()))
        record = record.with_curvatures(rules.curvatures(pairs.means, value), job.shots)
    return take_step(replace(phase, record=record), iterate, slopes, variances, params)


def take_step(
    phase: DescentPhase, iterate: Iterate, slopes: Array, variances: Array, params: SpectralParams
) -> tuple[DescentPhase, Iterate]:
    """Take one step of Adam at a rate that falls by a cosine as the budget is used.

    Args:
        phase: The phase.
        iterate: The present point.
        slopes: There, shape (d,).
        variances: Of the slopes, shape (d,).
        params: Parameters of the method.
    """
    plan = phase.plan
    done = 1 - (plan.limit - iterate.spent) / plan.budget
    rate = cosine_rate(plan.rate, done, params.adam)
    step = adam_step(phase.adam, slopes, params.adam)
    move = -step.move(rate)
    if plan.gated:
        move *= proof_weights(step, variances, params.adam)
    one_shot = float(variances.mean()) * phase.shots
    shots = choose_shots(
        phase.shots, plan.shots, step.gradient, one_shot, params.adam.momentum, params.plan
    )
    phase = replace(phase, adam=step.adam, shots=max(shots, plan.least_shots), rate=rate)
    return phase, replace(iterate, centre=iterate.centre + move, iteration=iterate.iteration + 1)


def proof_weights(step: AdamStep, variances: Array, params: AdamParams) -> Array:
    """Weight m²/(m² + variance of m) of each angle's step, m Adam's average slope, shape (d,).

    Example:
        >>> step = adam_step(new_adam(2), np.array([3.0, 0.0]), AdamParams())
        >>> proof_weights(step, np.ones(2), AdamParams()).round(3).tolist()
        [0.9, 0.0]
    """
    momentum, decayed = params.momentum, params.momentum**step.adam.steps
    averaged = (1 - momentum) / (1 + momentum) * (1 + decayed) / (1 - decayed)
    squares = step.gradient**2
    return np.asarray(squares / (squares + averaged * variances + 1e-300))


def is_over(phase: DescentPhase, iterate: Iterate, rules: SlopeRules) -> bool:
    """Whether the budget of this descent may not pay another step."""
    return iterate.spent + (rules.rows + 1) * round(phase.shots) > phase.plan.limit
