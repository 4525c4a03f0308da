"""Descents of a run with known frequencies: the first one, several ones, the last one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.inspection import StartProof, expected_gain, proved_rate
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.rules import balanced_shift
from qiskit_arcmaes.shift.spectral_plan import count_starts, least_shots

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Restarts:
    """Several starts.

    Attributes:
        count: How many there will be; 0 where there is one descent.
        endpoints: Their endpoints so far, shape (k, d).
    """

    count: int
    endpoints: Array


def first_descent(
    problem: Problem, proof: StartProof, informed: bool, iterate: Iterate
) -> tuple[Restarts, DescentPhase, Iterate]:
    """Begin from x0: with steps as proved, with plain ones, or as the first of several starts.

    Args:
        problem: The problem.
        proof: What the first job told.
        informed: Whether x0 is an informed start.
        iterate: x0.
    """
    spent = iterate.spent
    starts = Restarts(0, np.empty((0, problem.dim)))
    several = bool(problem.pairs.finite.any()) and not informed and problem.trust_radius is None
    share = problem.params.restarts.budget_share * problem.setup.budget - spent
    count = count_starts(share, problem.pairs, problem.setup, problem.params) if several else 1
    if count > 1:
        starts = replace(starts, count=count)
        phase = problem.descent(Stage.EXPLORING, share / count, iterate, problem.first_rate, proof)
        return starts, phase, iterate
    rest = problem.setup.budget - problem.reserve - spent
    first = problem.first_rate
    phase = problem.descent(Stage.SINGLE, rest, iterate, first, proof, gated=informed)
    if informed:
        phase = with_proved_rate(phase, problem, proof)
    return starts, phase, narrowed(problem, iterate, proof, rest)


def with_proved_rate(phase: DescentPhase, problem: Problem, proof: StartProof) -> DescentPhase:
    """A descent whose first step is as long as the proved gain allows."""
    params = problem.params.inspection
    shots = problem.setup.budget * params.share * (1 - params.centre_share) / problem.exact.rows
    deviation = float(np.sqrt(proof.variances.mean() * max(shots, 1e-9) / phase.shots))
    gain = expected_gain(proof, proof.shots)
    rate = proved_rate(gain, problem.dim, deviation, phase.plan.rate, params)
    return replace(phase, plan=replace(phase.plan, rate=rate), rate=rate)


def narrowed(problem: Problem, iterate: Iterate, proof: StartProof, rest: float) -> Iterate:
    """The iterate with the finite shift that suits the rest of the budget."""
    curvature = float(np.mean(np.abs(proof.curvatures)))
    shots = rest / problem.dim
    shift = balanced_shift(shots, iterate.noise.variance, curvature, problem.params.rules)
    return replace(iterate, test=replace(iterate.test, shift=shift))


def end_start(
    problem: Problem,
    starts: Restarts,
    iterate: Iterate,
    proof: StartProof,
    rng: np.random.Generator,
) -> tuple[Restarts, Iterate, DescentPhase | ComparisonPhase]:
    """Keep the endpoint of a start; begin the next one at random angles, or the comparison.

    Args:
        problem: The problem.
        starts: The starts so far.
        iterate: The endpoint.
        proof: What the first job told of the curvatures.
        rng: Draws the next start, uniform over a period in every angle.
    """
    starts = replace(starts, endpoints=np.concatenate([starts.endpoints, iterate.centre[None]]))
    done, params = len(starts.endpoints), problem.params.restarts
    rest = params.budget_share * problem.setup.budget - iterate.spent
    if done == starts.count or rest < (problem.pairs.rows + 1) * least_shots(problem.setup):
        share = params.comparison_share * problem.setup.budget / (done + 1)
        shots = max(int(share), problem.setup.least_shots)
        return starts, iterate, ComparisonPhase(shots, problem.first_rate * params.final_rate)
    drawn = problem.coordinates.turn * rng.random(problem.dim)
    budget = rest / (starts.count - done)
    phase = problem.descent(Stage.EXPLORING, budget, iterate, problem.first_rate, proof)
    return starts, replace(iterate, centre=drawn), phase


def choose_endpoint(
    problem: Problem, starts: Restarts, iterate: Iterate, proof: StartProof, values: Array
) -> tuple[DescentPhase, Iterate]:
    """Go on from the lowest of the endpoints and x0 with the rest of the budget.

    Args:
        problem: The problem.
        starts: All starts.
        iterate: The present point.
        proof: What the first job told of the curvatures.
        values: At the endpoints and at x0, NaN where one failed.
    """
    points = np.concatenate([starts.endpoints, problem.x0[None]])
    best = points[int(np.argmin(np.nan_to_num(values, nan=np.inf)))].copy()
    rest = problem.setup.budget - problem.reserve - iterate.spent
    rate = problem.first_rate * problem.params.restarts.final_rate
    phase = problem.descent(Stage.FINAL, rest, iterate, rate, proof)
    iterate = replace(iterate, centre=best, iteration=iterate.iteration + 1)
    return phase, narrowed(problem, iterate, proof, rest)
