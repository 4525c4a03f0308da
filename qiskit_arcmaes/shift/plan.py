"""Steps and shots of a start, from its budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.params import DEFAULTS, TRANSFORMED, PlanParams, ShiftParams

Array = NDArray[np.float64]


class Stage(Enum):
    """Place of a start in the run."""

    SINGLE = "the only start"
    EXPLORING = "one of several starts"
    FINAL = "from the best endpoint of several starts"


@dataclass(frozen=True)
class StartPlan:
    """Plan of one start.

    Attributes:
        budget: One-shot evaluations of this start.
        limit: One-shot evaluations of the run at which this start ends.
        shots: Shots per point at which the budget pays the steps that are wanted.
        steps: Steps that the budget pays at these shots.
        first_rate: First step in radians.
    """

    budget: float
    limit: float
    shots: float
    steps: float
    first_rate: float


def affordable(setup: Setup, params: ShiftParams = DEFAULTS) -> bool:
    """Whether all coordinates are angles without bounds, and the budget pays enough steps.

    Args:
        setup: The problem.
        params: Parameters of the method.
    """
    return setup.angles and _pays_steps(setup, params)


def affordable_transformed(setup: Setup, params: ShiftParams = TRANSFORMED) -> bool:
    """Whether the loss transforms what a known circuit measures, and budget and jobs pay the steps.

    Args:
        setup: The problem.
        params: Parameters of the method.
    """
    if setup.angles or setup.circuit_frequencies is None or not _pays_steps(setup, params):
        return False
    steps = plan_start(setup.budget, 0.0, Stage.SINGLE, setup, params).steps
    return setup.max_jobs is None or setup.max_jobs >= steps


def _pays_steps(setup: Setup, params: ShiftParams) -> bool:
    least = params.plan.least_steps * largest_job(setup.dim) * setup.least_shots
    return setup.budget >= least and not setup.domain.bounded


def largest_job(dim: int) -> int:
    """Points of a step that tests the shift and measures the centre.

    Example:
        >>> largest_job(4)
        25
    """
    return 6 * dim + 1


def model_steps(dim: int, params: ShiftParams) -> float:
    """Steps of Adam before the gradient model is fitted: d gradients and d(d + 1)/2 curvatures.

    Example:
        >>> model_steps(4, ShiftParams())
        56.0
    """
    return params.newton.steps_per_coefficient * dim * (dim + 3) / 2


def plan_start(
    budget: float, spent: float, stage: Stage, setup: Setup, params: ShiftParams
) -> StartPlan:
    """Plan a start: enough steps to cross flat valleys, shots as the budget then allows.

    Args:
        budget: One-shot evaluations of this start.
        spent: One-shot evaluations of the run so far.
        stage: One of several starts has fewer steps, the one from the best endpoint smaller ones.
        setup: The problem.
        params: Parameters of the method.
    """
    plan = params.plan
    pairs = budget / (2 * setup.dim * plan.test_cost + 1 / plan.value_interval)
    steps = min(max(plan.steps_per_root * math.sqrt(pairs), plan.fewest_steps), plan.most_steps)
    rate = params.adam.rate
    if stage is Stage.EXPLORING:
        steps *= params.multistart.step_share
    elif stage is Stage.FINAL:
        rate *= params.multistart.final_rate
    expensive = min(setup.overhead, pairs / plan.fewest_expensive_steps)
    shots = max(int(pairs / steps), int(expensive), setup.least_shots)
    return StartPlan(budget, spent + budget, float(shots), pairs / shots, rate)


def choose_shots(
    shots: float,
    planned: float,
    gradient: Array,
    variance: float,
    momentum: float,
    params: PlanParams,
) -> float:
    """Shots of the next step: fewer while the gradient stands out of its noise, more when not.

    Args:
        shots: Shots of this step.
        planned: Shots of the plan.
        gradient: Adam's average gradient, shape (d,).
        variance: Variance of a slope from one shot per point.
        momentum: Adam's decay of that average, by which the shots follow too.
        params: Limits in units of the planned shots.

    Example:
        >>> choose_shots(100.0, 100.0, np.ones(3), 1.0, 0.9, PlanParams())
        95.0
    """
    averaged = (1 - momentum) / (1 + momentum)  # share of the noise that momentum leaves
    signal = float(np.mean(gradient**2)) - averaged * variance / shots
    ratio = math.sqrt(variance / planned / max(signal, 1e-300))
    wanted = planned * min(max(ratio, params.cheapest), params.most_expensive)
    return momentum * shots + (1 - momentum) * wanted
