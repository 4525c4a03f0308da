"""The next job where the frequencies are known, by values or by plan, and what it tells."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Setup
from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.shift import (
    acceptance,
    clifford_start,
    descent,
    inspection,
    local_newton,
    multistart,
    newton_phase,
    screening,
)
from qiskit_arcmaes.shift import spectral_newton as newton
from qiskit_arcmaes.shift.acceptance import AcceptancePhase
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.group_plans import plan_pairs
from qiskit_arcmaes.shift.group_readings import read_groups
from qiskit_arcmaes.shift.inspection import Inspection, StartProof, start_proof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.local_newton import LocalPhase
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.readings import SlopeReading, read_values
from qiskit_arcmaes.shift.scatter import Scatter
from qiskit_arcmaes.shift.screening import ScreeningPhase
from qiskit_arcmaes.shift.shot_noise import take_reported, take_twins
from qiskit_arcmaes.shift.spectral_params import SpectralParams
from qiskit_arcmaes.shift.spectral_state import SpectralState

Array = NDArray[np.float64]

PairsPhase = Inspection | LocalPhase | DescentPhase | NewtonPhase
"""Phases whose jobs are pairs about a centre."""


def next_batch(state: SpectralState, problem: Problem) -> Batch:
    """The next job; only the generator of the state may change.

    Args:
        state: The state.
        problem: Coordinates and rules.
    """
    phase = state.phase
    if state.scatter is not None and isinstance(phase, PairsPhase):
        return _planned(phase, state.scatter, state, problem)
    points, name = _values(state, problem)
    shots = max(round(phase.shots), 1)
    return Batch(problem.coordinates.to_x(points), shots, name)


def _values(state: SpectralState, problem: Problem) -> tuple[Array, str]:
    """Points of a job whose values all have the same shots, and what they are for."""
    phase, iterate = state.phase, state.iterate
    if isinstance(phase, Inspection):
        rules = problem.rules(Stage.SINGLE, iterate)
        drawn = problem.coordinates.anywhere(state.rng.random((phase.random, problem.dim)))
        points = inspection.inspection_points(phase, iterate.centre, rules, drawn)
        return points, inspection.ALGORITHM
    if isinstance(phase, NewtonPhase):
        rules = problem.rules(Stage.FINAL, iterate)
        return newton.refinement_points(phase, rules), newton_phase.ALGORITHM
    if isinstance(phase, LocalPhase):
        pairs = problem.rules(Stage.FINAL, iterate).points(iterate.centre)
        return np.concatenate([pairs, np.tile(iterate.centre, (2, 1))]), local_newton.ALGORITHM
    if isinstance(phase, ComparisonPhase):
        return np.concatenate([state.starts.endpoints, problem.x0[None]]), multistart.ALGORITHM
    if isinstance(phase, ScreeningPhase):
        drawn = screening.draw_points(
            phase, problem.coordinates, problem.layers, state.rng, problem.params.screening
        )
        return drawn, screening.ALGORITHM
    if isinstance(phase, AcceptancePhase):
        compared = [*state.starts_compared(problem.x0), iterate.centre]
        return np.stack(compared), acceptance.ALGORITHM
    rules = problem.rules(phase.plan.stage, iterate)
    return descent.descent_points(phase, iterate, rules, problem.params), descent.ALGORITHM


def _stage(phase: PairsPhase) -> Stage:
    return phase.plan.stage if isinstance(phase, DescentPhase) else Stage.FINAL


def _planned(phase: PairsPhase, scatter: Scatter, state: SpectralState, problem: Problem) -> Batch:
    """A job of pairs with shots per circuit and group."""
    setup, params = problem.setup, problem.params
    rules = problem.group_rules(_stage(phase), state.iterate)
    centre, centres, name = state.iterate.centre, 0.0, descent.ALGORITHM
    if isinstance(phase, Inspection):
        centres, name = float(phase.centres), inspection.ALGORITHM
        if not np.array_equal(state.origin, problem.x0):
            name = clifford_start.ALGORITHM
    elif isinstance(phase, NewtonPhase):
        centre, centres, name = phase.surrogate.design, 2.0, newton_phase.ALGORITHM
    elif isinstance(phase, LocalPhase):
        centres, name = 2.0, local_newton.ALGORITHM
    elif descent.is_centred(phase, params) and _pays_centre(phase, rules.slots, setup, params):
        centres = 1.0
    per_point = phase.shots * setup.evaluation_shots
    pairs = 2 * len(rules.angle) * per_point
    middle = centres * per_point
    if isinstance(phase, Inspection):
        most = params.inspection.most_share * setup.budget * setup.evaluation_shots
        middle = max(middle, min(params.inspection.centre_shots, most))
    plan, memo = plan_pairs(
        centre,
        max(pairs, 2.0 * rules.slots),
        middle,
        rules,
        scatter,
        _unit(pairs, rules.slots, setup, params),
        state.rng,
        params.groups,
    )
    points = problem.coordinates.to_x(plan.points)
    shots = max(round(plan.total / plan.shots.size), 1)
    return Batch(points, shots, name, memo, replace(plan, points=points))


def _pays_centre(phase: DescentPhase, slots: int, setup: Setup, params: SpectralParams) -> bool:
    """Whether the least shots of a centre are a small share of the steps between two of them."""
    assert setup.circuit is not None
    least = 2.0 * setup.circuit.num_groups
    between = params.plan.value_interval * 2 * slots * phase.shots * setup.evaluation_shots
    return least <= params.groups.centre_share * max(between, 2.0 * slots)


def _unit(pairs: float, slots: int, setup: Setup, params: SpectralParams) -> int:
    """Shots of a row, where all rows of a job have equal shots."""
    assert setup.circuit is not None
    if not setup.circuit.equal_shots:
        return 1
    rows = params.groups.rows_per_point * 2 * slots * setup.circuit.num_groups
    return max(int(pairs / rows), 1)


def counted(iterate: Iterate, evaluations: float) -> Iterate:
    """The iterate with one more job in its counts."""
    return replace(iterate, spent=iterate.spent + evaluations, jobs=iterate.jobs + 1)


def read_job(
    state: SpectralState,
    values: Array,
    variances: Array | None,
    shots: int,
    problem: Problem,
) -> tuple[Iterate, SlopeReading]:
    """Read a job of values in a descent or a design.

    Args:
        state: The state as it asked for the job.
        values: NaN where one failed.
        variances: Of the values, where they are reported.
        shots: Shots per value.
        problem: Coordinates and rules.

    Returns:
        The iterate with the noise of this job, and what the job told.
    """
    phase, params = state.phase, problem.params
    noise = take_reported(state.iterate.noise, variances, shots)
    if isinstance(phase, NewtonPhase | LocalPhase):
        rules, centres = problem.rules(Stage.FINAL, state.iterate), 2
        if variances is None:
            noise = take_twins(noise, values[-2:], shots, params.newton.noise_weight)
    else:
        assert isinstance(phase, DescentPhase)
        rules = problem.rules(phase.plan.stage, state.iterate)
        centres = int(descent.is_centred(phase, params))
    iterate = replace(state.iterate, noise=noise)
    return iterate, read_values(values, centres, shots, noise.variance, rules)


def read_plan(
    state: SpectralState, batch: Batch, estimate: GroupEstimate, problem: Problem
) -> tuple[SlopeReading, Scatter]:
    """Read a planned job, and learn the scatter from it."""
    phase, scatter = state.phase, state.scatter
    assert isinstance(phase, PairsPhase)
    assert scatter is not None
    rules = problem.group_rules(_stage(phase), state.iterate)
    return read_groups(estimate, batch.memo, rules, scatter, problem.params.groups)


def planned_proof(reading: SlopeReading, setup: Setup) -> StartProof:
    """What a planned first job tells of x0.

    The mean over random points is the identity's part, and no value lies farther from it than the
    sum of all other coefficients.
    """
    assert setup.circuit is not None
    mean = setup.circuit.constant if setup.mean_loss is None else setup.mean_loss
    span = float(np.abs(setup.circuit.coefficients).sum())
    return start_proof(reading, mean, 0.0, span)


def most_evaluations(points: int, shots: float) -> int:
    """Evaluations of one shot that a planned job takes at the most."""
    return math.ceil(points * shots) + 3
