"""Several starts, where a loss has several frequencies: explore, compare endpoints, go on.

The starts share part of the budget. The first one goes on from where the run is, the others begin
at random angles. The endpoint with the lowest value gets the rest of the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.adam_phase import AdamPhase, start_adam
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.params import ShiftParams
from qiskit_arcmaes.shift.plan import Stage, plan_start

Array = NDArray[np.float64]

ALGORITHM = "comparison of starts"


@dataclass(frozen=True)
class Multistart:
    """The starts so far.

    Attributes:
        stage: What the present start is.
        endpoints: Endpoints of the starts that explored, shape (k, d).
    """

    stage: Stage
    endpoints: Array


@dataclass(frozen=True)
class ComparisonPhase:
    """Comparison of all endpoints in one job.

    Attributes:
        shots: Shots per endpoint.
        rate: First step from the best endpoint, in radians.
    """

    shots: int
    rate: float


def start_phase(
    budget: float, spent: float, stage: Stage, setup: Setup, params: ShiftParams
) -> AdamPhase:
    """The first-order phase of a start with a budget."""
    return start_adam(plan_start(budget, spent, stage, setup, params), setup.dim)


def may_explore(stage: Stage, spent: float, setup: Setup, params: ShiftParams) -> bool:
    """Whether several starts may begin, once several frequencies were found."""
    return stage is Stage.SINGLE and spent < params.multistart.deadline * setup.budget


def explore(
    starts: Multistart, spent: float, setup: Setup, params: ShiftParams
) -> tuple[Multistart, AdamPhase]:
    """Begin the next of several starts with its share of what they have left.

    Args:
        starts: The starts so far, fewer than all.
        spent: One-shot evaluations so far.
        setup: The problem.
        params: Parameters of the method.
    """
    multistart = params.multistart
    rest = multistart.budget_share * setup.budget - spent
    budget = rest / (multistart.starts - len(starts.endpoints))
    phase = start_phase(budget, spent, Stage.EXPLORING, setup, params)
    return replace(starts, stage=Stage.EXPLORING), phase


def end_start(
    starts: Multistart,
    iterate: Iterate,
    rng: np.random.Generator,
    setup: Setup,
    params: ShiftParams,
) -> tuple[Multistart, Iterate, AdamPhase | ComparisonPhase]:
    """Keep the endpoint of a start that explored; begin the next start, or the comparison.

    The comparison comes after the last start, or earlier where the starts' budget is used.

    Args:
        starts: The starts so far.
        iterate: The endpoint.
        rng: Draws the next start, uniform over the circle in every angle.
        setup: The problem.
        params: Parameters of the method.
    """
    endpoints = np.concatenate([starts.endpoints, iterate.centre[None]])
    starts = replace(starts, endpoints=endpoints)
    used = iterate.spent >= params.multistart.budget_share * setup.budget
    if used or len(endpoints) == params.multistart.starts:
        return starts, iterate, _compare(len(endpoints), iterate.spent, setup, params)
    drawn = rng.uniform(-math.pi, math.pi, setup.dim)
    starts, phase = explore(starts, iterate.spent, setup, params)
    return starts, replace(iterate, centre=drawn), phase


def choose_endpoint(
    starts: Multistart, iterate: Iterate, values: Array, setup: Setup, params: ShiftParams
) -> tuple[Multistart, Iterate, AdamPhase]:
    """Go on from the endpoint with the lowest value, with the rest of the budget.

    Args:
        starts: All starts.
        iterate: The present point.
        values: At the endpoints, NaN where one failed.
        setup: The problem.
        params: Parameters of the method.
    """
    best = starts.endpoints[int(np.argmin(np.nan_to_num(values, nan=np.inf)))].copy()
    rest = setup.budget - iterate.spent
    phase = start_phase(rest, iterate.spent, Stage.FINAL, setup, params)
    iterate = replace(iterate, centre=best, iteration=iterate.iteration + 1)
    return replace(starts, stage=Stage.FINAL), iterate, phase


def _compare(count: int, spent: float, setup: Setup, params: ShiftParams) -> ComparisonPhase:
    """The comparison of a number of endpoints, with a share of the budget."""
    share = params.multistart.comparison_share * setup.budget / count
    left = (setup.budget - spent) / count
    shots = max(int(min(share, left)), setup.least_shots)
    return ComparisonPhase(shots, params.adam.rate * params.multistart.final_rate)
