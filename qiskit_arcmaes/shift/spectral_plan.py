"""Budgets, steps and shots where the frequencies are known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import Spectrum
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.rules import SlopeRules, exact_rules, single_rules
from qiskit_arcmaes.shift.spectral_params import DEFAULTS, SpectralParams


@dataclass(frozen=True)
class DescentPlan:
    """Plan of one descent.

    Attributes:
        stage: Place of the descent in the run.
        budget: One-shot evaluations of this descent.
        limit: One-shot evaluations of the run at which it ends.
        shots: Shots per point, not rounded.
        least_shots: Fewest shots per point; below 1 where a plan leaves groups out.
        rows: Points of a step, without the centre.
        steps: Steps that the budget pays at these shots.
        last_job: Number of the run's job at which it ends at the latest.
        rate: First step in radians.
        second_order: Whether the gradient model is fitted once there are steps enough.
    """

    stage: Stage
    budget: float
    limit: float
    shots: float
    least_shots: float
    rows: int
    steps: float
    last_job: float
    rate: float
    second_order: bool


def affordable(setup: Setup, params: SpectralParams = DEFAULTS) -> bool:
    """Whether all frequencies are known, and enough steps are paid.

    Args:
        setup: The problem.
        params: Parameters of the method.
    """
    if setup.spectra is None:
        return False
    live = tuple(spectrum for spectrum in setup.spectra if spectrum.maximum > 0)
    if not live:
        return False
    rows = run_rules(live, setup, params).rows
    return setup.budget >= params.descent.least_steps * rows * least_shots(setup)


def run_rules(live: tuple[Spectrum, ...], setup: Setup, params: SpectralParams) -> SlopeRules:
    """Exact rules: each pair once where it has shots of its own, else by equal shots."""
    rules = exact_rules if setup.circuit is None else single_rules
    return rules(live, params.rules)


def least_shots(setup: Setup) -> float:
    """Fewest shots per point and group, on average: with plans one shot per point is enough.

    Example:
        >>> import numpy as np
        >>> from qiskit_arcmaes.domain import make_domain
        >>> least_shots(Setup(np.ones(2), 0.6, 10, make_domain(2), 1e4, min_shots=2))
        2.0
    """
    wanted = float(setup.least_shots)
    if setup.circuit is None or setup.shots is not None or setup.min_shots > 2:
        return wanted  # a least of 2 is there for variances of single values, which plans pool
    return 1.0 / setup.evaluation_shots


def model_steps(dim: int, params: SpectralParams) -> float:
    """Steps before the gradient model is fitted: d gradients and d(d + 1)/2 curvatures.

    Example:
        >>> model_steps(4, SpectralParams())
        56.0
    """
    return params.newton.steps_per_coefficient * dim * (dim + 3) / 2


def plan_descent(
    stage: Stage,
    budget: float,
    spent: float,
    rate: float,
    rules: SlopeRules,
    setup: Setup,
    params: SpectralParams,
    jobs: float = math.inf,
    done: int = 0,
) -> DescentPlan:
    """Plan a descent: enough steps to cross flat valleys, shots as the budget then allows.

    Second order is planned where the budget pays its steps with the fewest shots, so that no larger
    budget is without it.

    Args:
        stage: One of several starts has fewer steps and no second order.
        budget: One-shot evaluations of this descent.
        spent: One-shot evaluations of the run so far.
        rate: First step in radians.
        rules: The shift rules.
        setup: The problem.
        params: Parameters of the method.
        jobs: Jobs that there are for this descent.
        done: Jobs of the run so far.
    """
    plan, least = params.plan, least_shots(setup)
    budget = max(budget, 1.0)  # none is left where plans were given up late
    steps_of_one = budget / (rules.rows + 1 / plan.value_interval)
    steps = plan.steps_per_root * math.sqrt(steps_of_one)
    steps = min(max(steps, plan.fewest_steps), plan.most_steps)
    needed = model_steps(rules.dim, params) / params.descent.model_share
    second = needed <= min(plan.most_steps, steps_of_one / least, jobs)
    if stage is Stage.EXPLORING:
        steps, second = steps * params.restarts.step_share, False
    elif second:
        steps = max(steps, needed)
    expensive = min(setup.overhead, steps_of_one / plan.fewest_expensive_steps)
    steps = min(steps, max(jobs, 1.0))
    shots = max(steps_of_one / steps, expensive, least)
    return DescentPlan(
        stage=stage,
        budget=budget,
        limit=spent + budget,
        shots=shots,
        least_shots=least,
        rows=rules.rows,
        steps=steps_of_one / shots,
        last_job=done + jobs,
        rate=rate,
        second_order=second,
    )


def count_starts(budget: float, rules: SlopeRules, setup: Setup, params: SpectralParams) -> int:
    """Starts that a budget pays, at least 1.

    Args:
        budget: One-shot evaluations of all starts.
        rules: The shift rules.
        setup: The problem.
        params: Parameters of the method.
    """
    cost = params.descent.steps_per_start * rules.rows * least_shots(setup)
    return min(max(int(budget / cost), 1), params.restarts.starts)
