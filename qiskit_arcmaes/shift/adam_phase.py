"""First-order phase: one step of Adam per job of parameter-shift pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.adam import Adam, adam_step, cosine_rate, new_adam
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.params import ShiftParams
from qiskit_arcmaes.shift.plan import Stage, StartPlan, choose_shots, largest_job, model_steps
from qiskit_arcmaes.shift.record import GradientRecord, empty_record
from qiskit_arcmaes.shift.shift_test import Repeats, Verdict, compare_shifts, is_due
from qiskit_arcmaes.shift.shot_noise import take_repeats
from qiskit_arcmaes.shift.slopes import (
    curvatures,
    pair_points,
    read_pairs,
    slope_variance,
    slopes,
)

Array = NDArray[np.float64]

ALGORITHM = "parameter-shift Adam"


@dataclass(frozen=True)
class AdamPhase:
    """State of the first-order phase.

    Attributes:
        plan: Steps and shots of this start.
        adam: Adam's averages.
        record: What the gradient model will be fitted to.
        shots: Shots per point of the next step, not rounded.
        rate: The last step in radians, before the first one the planned one.
    """

    plan: StartPlan
    adam: Adam
    record: GradientRecord
    shots: float
    rate: float


@dataclass(frozen=True)
class PairsMemo:
    """What a job consists of.

    Attributes:
        tested: Whether pairs come twice, and once more at the smaller shift.
        centred: Whether the centre is its last point.
    """

    tested: bool
    centred: bool


@dataclass(frozen=True)
class Step:
    """What a job of pairs tells.

    Attributes:
        iterate: The present point, not moved yet.
        record: The record with this job.
        gradient: The gradient to use, shape (d,).
        verdict: Outcome of the test of the shift.
    """

    iterate: Iterate
    record: GradientRecord
    gradient: Array
    verdict: Verdict


def start_adam(plan: StartPlan, dim: int) -> AdamPhase:
    """The phase before its first step."""
    return AdamPhase(plan, new_adam(dim), empty_record(dim), plan.shots, plan.first_rate)


def design_pairs(
    phase: AdamPhase, iterate: Iterate, params: ShiftParams
) -> tuple[Array, PairsMemo]:
    """Points of the next step, shape (n, d), and what they are."""
    test, step = iterate.test, phase.adam.steps
    tested = is_due(test, step, phase.plan.steps, params.test)
    centred = step % params.plan.value_interval == 0
    shifts = [test.shift]
    if tested:
        shifts += [test.shift, params.test.ratio * test.shift]
    points = pair_points(iterate.centre, shifts)
    if centred:
        points = np.concatenate([points, iterate.centre[None]])
    return points, PairsMemo(tested, centred)


def read_step(
    phase: AdamPhase,
    iterate: Iterate,
    job: Measurement,
    memo: PairsMemo,
    stage: Stage,
    params: ShiftParams,
) -> Step:
    """Read gradient, curvatures, noise and the test of the shift from a job of pairs.

    Args:
        phase: The phase as it asked for the job.
        iterate: The present point.
        job: Values at ``design_pairs``.
        memo: What these values are.
        stage: One frequency is assumed in a single start, several in others.
        params: Parameters of the method.
    """
    dim, shift = len(iterate.centre), iterate.test.shift
    value, values = math.nan, job.values
    if memo.centred:
        value, values = float(values[-1]), values[:-1]
        iterate = replace(iterate, value=value, value_shots=job.shots)
    pairs = read_pairs(values)
    halves = pairs.half_differences
    step = Step(iterate, phase.record, slopes(halves[:dim], shift), Verdict.KEEP)
    if memo.tested:
        weight = params.test.noise_weight if phase.adam.steps else 1.0
        first, second, narrow = np.split(halves, 3)
        repeats = Repeats(first, second, narrow, job.shots)
        step = _test(step, repeats, 0.0 if job.reported else weight, job, stage, params)
    if step.verdict is Verdict.REDUCE:
        return replace(step, record=empty_record(dim))
    if phase.plan.steps <= model_steps(dim, params) or np.isnan(values).any():
        return step
    noise = step.iterate.noise.variance
    variance = slope_variance(noise, 2 if memo.tested else 1, job.shots, shift)
    record = step.record.with_gradient(iterate.centre, step.gradient, variance)
    along = curvatures(pairs.means[:dim], value, shift)
    return replace(step, record=record.with_curvatures(along, job.shots))


def _test(
    step: Step, repeats: Repeats, weight: float, job: Measurement, stage: Stage, params: ShiftParams
) -> Step:
    """Test the shift with the variance that the oracle reports, else with that of the repeats."""
    iterate, test = step.iterate, params.test
    noise = take_repeats(iterate.noise, repeats.first - repeats.second, repeats.shots, weight)
    variance, freedom = noise.pooled.variance, noise.pooled.degrees_of_freedom
    if job.reported:
        variance, freedom = noise.variance, test.reported_freedom
    level = test.false_alarm if stage is Stage.SINGLE else test.suspicion
    compared = compare_shifts(iterate.test, repeats, variance, freedom, level, test)
    return Step(
        replace(iterate, noise=noise, test=compared.test),
        step.record.with_test(compared.wide, compared.narrow),
        compared.slopes,
        compared.verdict,
    )


def advance(
    phase: AdamPhase, iterate: Iterate, gradient: Array, least_shots: int, params: ShiftParams
) -> tuple[AdamPhase, Iterate]:
    """Take one step of Adam, at a rate that falls by a cosine as the budget is used.

    Args:
        phase: The phase, with the record of the job.
        iterate: The present point.
        gradient: The gradient there, shape (d,).
        least_shots: Fewest shots per point.
        params: Parameters of the method.
    """
    plan = phase.plan
    done = 1 - (plan.limit - iterate.spent) / plan.budget
    rate = cosine_rate(plan.first_rate, done, params.adam)
    step = adam_step(phase.adam, gradient, params.adam)
    variance = iterate.noise.pooled.variance / (2 * math.sin(iterate.test.shift) ** 2)
    shots = choose_shots(
        phase.shots, plan.shots, step.gradient, variance, params.adam.momentum, params.plan
    )
    phase = replace(phase, adam=step.adam, shots=max(shots, float(least_shots)), rate=rate)
    centre = iterate.centre - step.move(rate)
    return phase, replace(iterate, centre=centre, iteration=iterate.iteration + 1)


def is_over(phase: AdamPhase, iterate: Iterate) -> bool:
    """Whether the budget of this start may not pay another step."""
    longest = largest_job(len(iterate.centre)) * phase.shots
    return iterate.spent + longest > phase.plan.limit
