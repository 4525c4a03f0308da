"""Descents of a run with known frequencies: the first one, several ones, the last one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.inspection import StartProof
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
        candidates: Where the next ones begin, best first, shape (n, d); random points after them.
    """

    count: int
    endpoints: Array
    candidates: Array


def no_restarts(dim: int) -> Restarts:
    """One descent only."""
    return Restarts(0, np.empty((0, dim)), np.empty((0, dim)))


def wants_several(problem: Problem) -> bool:
    """Whether an uninformed start calls for several: where an angle has several frequencies.

    The user's ``restarts`` decides where it is given, and a trust radius forbids them.
    """
    if problem.setup.restarts is not None:
        return problem.setup.restarts > 0
    return problem.has_several_frequencies and problem.trust_radius is None


def first_descent(
    problem: Problem, proof: StartProof, iterate: Iterate, candidates: Array
) -> tuple[Restarts, DescentPhase, Iterate]:
    """Begin from an uninformed x0: with one descent, or with the first of several starts.

    Args:
        problem: The problem.
        proof: What the first job told.
        iterate: x0.
        candidates: Where further starts begin, best first, shape (n, d).
    """
    share = problem.params.restarts.budget_share * problem.setup.budget - iterate.spent
    count = 1
    if wants_several(problem):
        count = count_starts(share, problem.pairs, problem.setup, problem.params)
        if problem.setup.restarts is not None:
            count = min(problem.setup.restarts + 1, max(count, 2))
    if count > 1:
        starts = Restarts(count, np.empty((0, problem.dim)), candidates)
        phase = problem.descent(Stage.EXPLORING, share / count, iterate, problem.first_rate, proof)
        return starts, phase, iterate
    phase, iterate = single_descent(problem, proof, iterate, problem.first_rate)
    return no_restarts(problem.dim), phase, iterate


def single_descent(
    problem: Problem, proof: StartProof, iterate: Iterate, rate: float
) -> tuple[DescentPhase, Iterate]:
    """One descent from the present point with the rest of the budget.

    Args:
        problem: The problem.
        proof: What the first job told.
        iterate: The present point.
        rate: First rate in radians.
    """
    rest = problem.setup.budget - problem.reserve - iterate.spent
    phase = problem.descent(Stage.SINGLE, rest, iterate, rate, proof)
    return phase, narrowed(problem, iterate, proof, rest)


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
    """Keep the endpoint of a start; begin the next one at a candidate, or the comparison.

    Args:
        problem: The problem.
        starts: The starts so far.
        iterate: The endpoint.
        proof: What the first job told of the curvatures.
        rng: Draws the next start where no candidate is left, uniform over a period.
    """
    starts = replace(starts, endpoints=np.concatenate([starts.endpoints, iterate.centre[None]]))
    done, params = len(starts.endpoints), problem.params.restarts
    rest = params.budget_share * problem.setup.budget - iterate.spent
    if done == starts.count or rest < (problem.pairs.rows + 1) * least_shots(problem.setup):
        share = params.comparison_share * problem.setup.budget / (done + 1)
        shots = max(int(share), problem.setup.least_shots)
        return starts, iterate, ComparisonPhase(shots, problem.first_rate * params.final_rate)
    drawn = problem.coordinates.anywhere(rng.random(problem.dim))
    if len(starts.candidates):
        drawn = starts.candidates[0].copy()
        starts = replace(starts, candidates=starts.candidates[1:])
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
