"""Budgets, steps and shots where the frequencies are known."""

import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.spectral_params import DEFAULTS
from qiskit_arcmaes.shift.spectral_plan import affordable, count_starts, plan_descent

from .losses import DIM, setup

ONE = (listed([1.0]),) * DIM
RULES = exact_rules(ONE, DEFAULTS.rules)


def plan(budget, stage=Stage.SINGLE, **options):
    problem = setup(budget, **options)
    return plan_descent(stage, budget, 0.0, 0.1, RULES, problem, DEFAULTS)


def test_two_steps_are_enough_and_one_is_not():
    rows = RULES.rows
    assert affordable(setup(2.0 * rows, spectra=ONE))
    assert not affordable(setup(2.0 * rows - 1, spectra=ONE))
    assert not affordable(setup(2.0 * rows, spectra=ONE, min_shots=2))


def test_it_needs_known_frequencies_that_do_something_whatever_the_bounds():
    assert not affordable(setup(1e6))
    assert not affordable(setup(1e6, spectra=(listed([]),) * DIM))
    for width in (1.5, 3.5):
        bounded = make_domain(DIM, [(-width, width)] * DIM)
        assert affordable(setup(1e6, spectra=ONE, domain=bounded))


@pytest.mark.parametrize("budget", [100.0, 1e3, 1e4, 1e6, 1e8])
def test_the_steps_use_the_budget(budget):
    planned = plan(budget)
    cost = planned.steps * (RULES.rows + 1 / DEFAULTS.plan.value_interval) * planned.shots
    assert cost == pytest.approx(budget)
    assert planned.shots >= 1


def test_no_larger_budget_is_without_the_second_order():
    second = [plan(float(budget)).second_order for budget in range(100, 60_000, 137)]
    assert second == sorted(second)
    assert second[-1]


def test_one_of_several_starts_has_fewer_steps_and_no_second_order():
    single, exploring = plan(1e5), plan(1e5, Stage.EXPLORING)
    assert exploring.steps < single.steps
    assert not exploring.second_order


def test_overhead_makes_steps_fewer_and_larger():
    assert plan(1e5, overhead=50.0).shots > plan(1e5).shots


def test_starts_are_as_many_as_the_budget_pays():
    cost = DEFAULTS.descent.steps_per_start * RULES.rows
    most = DEFAULTS.restarts.starts
    for budget, expected in ((0.5, 1), (3.0, 3), (100.0, most)):
        assert count_starts(budget * cost, RULES, setup(1e6), DEFAULTS) == expected


@pytest.mark.parametrize("budget", [-500.0, 0.0])
def test_without_a_budget_there_is_a_plan_that_is_over_at_once(budget):
    planned = plan_descent(Stage.SINGLE, budget, 2000.0, 0.1, RULES, setup(1e3), DEFAULTS)
    assert planned.limit - 2000.0 < RULES.rows
    assert planned.shots >= planned.least_shots
    assert planned.steps > 0
