"""Designs within the budget."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.params import DesignParams
from qiskit_arcmaes.surrogate.planning import DesignPlanner, Schedule
from qiskit_arcmaes.surrogate.shots import Demand

from .problems import some_setup


def some_planner(dim=5, params=DesignParams(), full_dimension=40, **settings):  # noqa: B008
    return DesignPlanner(some_setup(dim, **settings), QuadraticBasis(dim, full_dimension), params)


def price(plan):
    return plan.points * plan.shots


def test_the_first_design_is_the_smallest():
    plan = some_planner(budget=1e4).first_plan()
    assert (plan.pairs, plan.repeats, plan.points, plan.shots) == (20, 4, 48, 1)


def test_a_design_costs_a_thousandth_of_the_budget_at_the_least():
    plan = some_planner(budget=1e7).first_plan()
    assert 0.99e4 < price(plan) <= 1e4


def test_many_coefficients_have_fewer_designs():
    """862 coefficients at d = 40: 3e10/862³ = 47 designs."""
    plan = some_planner(dim=40, budget=1e7).first_plan()
    assert price(plan) == pytest.approx(1e7 / 47, rel=0.02)


def test_outliers_are_looked_for_with_single_shots():
    """Noise dominates: 50 shots per point of 15 pairs, but single shots of 8,300 pairs."""
    planner = some_planner(budget=1e6)
    usual = Demand(20, 2e4, 1.0, 1e-6, 1e-6)
    assert planner.plan(usual, Schedule()).shots > 100
    plan = planner.plan(replace(usual, outliers=True), Schedule())
    assert plan.shots == 1
    assert price(plan) == pytest.approx(2e4, rel=0.01)


def test_small_dimensions_and_diagonal_hessians_have_their_own_smallest_designs():
    assert some_planner(dim=1).fewest_pairs == 10
    assert some_planner(dim=50).fewest_pairs == 2 * 50


@pytest.mark.parametrize("settings", [{"noise": 1.0}, {"reports_variances": True}])
def test_nothing_is_repeated_where_the_noise_is_known(settings):
    plan = some_planner(**settings).first_plan()
    assert plan.repeats == 0


@pytest.mark.parametrize("settings", [{"min_shots": 30}, {"shots": 30}])
def test_shots_are_never_fewer_than_the_least(settings):
    planner = some_planner(**settings)
    assert planner.first_plan().shots == 30
    assert planner.plan(Demand(20, cost=5000.0, noise=1.0), Schedule()).shots >= 30


@pytest.mark.parametrize("cost", [2e3, 5e3, 3e4])
@pytest.mark.parametrize("noise", [1e-3, 1.0, 1e3])
def test_a_design_costs_what_is_wanted_and_no_more(cost, noise):
    planner = some_planner(budget=1e6)
    plan = planner.plan(Demand(20, cost, noise, 0.1, 0.1), Schedule())
    assert price(plan) <= cost
    assert price(plan) > cost - max(plan.points, 3 * plan.shots)  # integers leave a remainder
    assert plan.repeats == max(4, int(0.2 * plan.pairs))


def test_more_points_while_lack_of_fit_dominates_more_shots_while_noise_does():
    planner = some_planner(budget=1e7)
    rough = planner.plan(Demand(20, 2e4, 1.0, 10.0, 10.0), Schedule())
    noisy = planner.plan(Demand(20, 1e5, 1.0, 1e-6, 1e-6), Schedule())
    assert rough.shots == 1
    assert noisy.pairs <= planner.enough_pairs + 1
    assert noisy.shots > 1000


def test_overhead_asks_for_more_shots():
    demand = Demand(20, 1e6, 100.0, 1.0, 1.0)
    plain = some_planner(budget=1e8).plan(demand, Schedule())
    dear = some_planner(budget=1e8, overhead=1e4).plan(demand, Schedule())
    assert dear.shots > 5 * plain.shots


def test_a_symmetric_lack_of_fit_takes_no_very_large_designs():
    planner = some_planner(budget=1e7)
    mixed = planner.plan(Demand(20, 1e5, 1.0, 10.0, 10.0), Schedule())
    symmetric = planner.plan(Demand(20, 1e5, 1.0, 0.1, 10.0), Schedule())
    assert mixed.pairs == planner.most_pairs
    assert symmetric.pairs <= 4 * planner.enough_pairs + 1


def test_the_rest_of_the_budget_is_never_too_small_for_a_design():
    planner, demand = some_planner(), Demand(20, 1000.0, 1.0, 0.1, 0.1)
    for spent in (98_500.0, 99_000.0, 99_500.0):
        plan = planner.plan(demand, Schedule(spent))
        left = 1e5 - spent
        assert price(plan) <= left
        if left < 1300:
            assert price(plan) > left - 2 * plan.points  # all of it


def test_the_end_is_three_equal_designs():
    planner, demand = some_planner(), Demand(20, 10_000.0, 1.0, 1e-6, 1e-6)
    schedule = planner.counted_down(Schedule(80_000.0), demand)
    assert (schedule.last_designs, schedule.finished) == (3, False)
    prices = []
    while not schedule.finished:
        plan = planner.plan(demand, schedule)
        prices.append(price(plan))
        spent = schedule.spent + price(plan)
        schedule = planner.counted_down(replace(schedule, spent=spent), demand)
    assert len(prices) == 3
    assert max(prices) - min(prices) < 0.05 * max(prices)
    assert 0.99e5 < schedule.spent <= 1e5


def test_the_end_is_called_off_where_smaller_designs_do():
    planner = some_planner()
    schedule = Schedule(70_000.0, last_designs=3)
    assert planner.counted_down(schedule, Demand(20, 1000.0, 1.0)).last_designs is None
    assert planner.counted_down(schedule, Demand(20, 9000.0, 1.0)).last_designs == 2


def test_no_end_is_in_sight_before_the_first_fit():
    schedule = some_planner().counted_down(Schedule(1000.0), Demand(20, math.nan))
    assert schedule == Schedule(1000.0)


def test_a_run_is_finished_when_no_design_is_affordable():
    planner, demand = some_planner(), Demand(20, 1000.0, 1.0)
    assert planner.counted_down(Schedule(1e5 - 10), demand).finished
    assert not planner.counted_down(Schedule(5e4), demand).finished


def test_designs_are_limited_by_the_time_of_a_fit():
    planner = some_planner(dim=40)
    count = QuadraticBasis(40, 40).count
    assert planner.most_pairs * count**2 <= max(5e8, planner.enough_pairs * count**2)
    assert np.isclose(some_planner(dim=2).most_pairs, 10_000)
