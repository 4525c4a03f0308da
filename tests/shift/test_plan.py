"""Steps and shots of a start."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.frugal import frugal
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.shift.params import DEFAULTS, PlanParams
from qiskit_arcmaes.shift.plan import (
    Stage,
    affordable,
    affordable_transformed,
    choose_shots,
    largest_job,
    plan_start,
)

from .losses import DIM, setup


def plan(budget, stage=Stage.SINGLE, spent=0.0, **options):
    return plan_start(budget, spent, stage, setup(budget, **options), DEFAULTS)


@pytest.mark.parametrize("budget", [1e3, 1e4, 1e5, 1e6, 1e7])
def test_the_budget_pays_the_planned_steps(budget):
    found = plan(budget)
    cost = found.steps * found.shots * (2 * DIM * DEFAULTS.plan.test_cost + 1 / 8)
    assert cost == pytest.approx(budget)
    assert found.shots == int(found.shots) >= 1


def test_steps_lie_between_their_limits_where_shots_can_be_chosen():
    params = DEFAULTS.plan
    for budget in (1e5, 1e6, 1e7, 1e8):  # shots are integers: where they are few, steps exceed
        assert params.fewest_steps <= plan(budget).steps <= 1.3 * params.most_steps


def test_a_start_that_explores_has_fewer_steps_and_the_final_one_smaller_ones():
    single, exploring, final = (plan(1e7, stage) for stage in Stage)
    assert exploring.steps == pytest.approx(single.steps / 2, rel=0.01)
    assert final.first_rate == pytest.approx(0.2 * single.first_rate)
    assert final.steps == single.steps


def test_the_limit_counts_what_was_spent_before():
    assert plan(1e4, spent=5e3).limit == 1.5e4


def test_expensive_circuits_make_fewer_steps_but_not_too_few():
    few = plan(1e6, overhead=1e6)
    assert few.steps == pytest.approx(DEFAULTS.plan.fewest_expensive_steps, rel=0.01)
    assert plan(1e6, overhead=300.0).shots == 300


def test_shots_keep_their_least():
    assert plan(1e4, min_shots=50).shots == 50
    assert plan(1e4, min_shots=50, shots=60).shots == 60


def test_it_is_affordable_for_angles_without_bounds_and_enough_budget():
    least = DEFAULTS.plan.least_steps * largest_job(DIM)
    assert affordable(setup(least))
    assert not affordable(setup(least - 1))
    assert not affordable(setup(least, min_shots=2))
    assert affordable(setup(1e5, domain=make_domain(DIM, periodic=True)))
    assert not affordable(setup(1e5, domain=make_domain(DIM, [(0, 2)] * DIM)))
    assert not affordable(Setup(np.ones(DIM), 0.6, 10, make_domain(DIM), 1e5))


@pytest.mark.parametrize(("slope", "share"), [(100.0, 0.5), (0.0, 1.25), (1e-3, 1.25)])
def test_shots_approach_their_limits(slope, share):
    shots = 40.0
    for _ in range(200):
        shots = choose_shots(shots, 40.0, np.full(3, slope), 1.0, 0.9, PlanParams())
    assert shots == pytest.approx(40 * share)


def test_shots_stay_where_signal_and_noise_are_level():
    """A slope as large as its standard error at the planned shots, momentum's share taken off."""
    variance, planned = 1.0, 100.0
    slope = np.sqrt(variance / planned * (1 + 0.1 / 1.9))
    found = choose_shots(planned, planned, np.array([slope]), variance, 0.9, PlanParams())
    assert found == pytest.approx(planned)


def test_a_loss_that_transforms_what_a_circuit_measures():
    """Half the shift, where the circuit is known and there are jobs enough for the steps."""
    plain = Setup(np.zeros(4), 0.6, 8, make_domain(4), 1e5, min_shots=16)
    known = replace(plain, circuit_frequencies=np.ones(4))
    method = frugal(known, np.random.default_rng(1))
    assert isinstance(method, ParameterShift)
    assert method.state.iterate.test.shift == DEFAULTS.test.first_shift / 2
    bounded = make_domain(4, bounds=[(0.0, 1.0)] * 4)
    for other in (
        plain,
        replace(known, max_jobs=20),
        replace(known, budget=1e3),
        replace(known, domain=bounded),
        replace(known, angles=True),
    ):
        assert not affordable_transformed(other)
