"""Putting a run together: everything is checked before a shot is spent, defaults are explained."""

import math

import numpy as np
import pytest

from qiskit_arcmaes import METHODS, Estimate, GaussianOracle, Oracle, Price, Settings, get_function
from qiskit_arcmaes.engine.prepare import BudgetTooSmallError, check_point, prepare


class Device(Oracle):
    """Jobs cost time whatever their shots, two bases per point, at least three shots."""

    few_jobs = True
    min_shots = 3

    def evaluate(self, points, shots):
        self.charge(self.price(len(points)).at(shots))
        return Estimate(np.sum(np.square(points), axis=1))

    def price(self, n):
        return Price(0, 2 * n)


def ready(oracle=None, x0=(1.0, 1.0, 1.0), **arguments):
    oracle = oracle or GaussianOracle(get_function("sphere", len(x0)), seed=1)
    run = prepare(oracle, x0, Settings(**{"max_shots": 10_000, "seed": 1, **arguments}))
    assert oracle.spent == 0
    return run


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_spent_and_the_method_is_the_one_asked_for(method):
    run = ready(method=method)
    assert run.name == method
    assert run.ledger.spent == run.ledger.jobs == len(run.history) == 0
    assert run.stop is None
    np.testing.assert_array_equal(run.recommendation, np.ones(3))


@pytest.mark.parametrize("method", METHODS)
def test_a_budget_that_is_too_small_is_named_with_the_least_that_is_enough(method):
    with pytest.raises(BudgetTooSmallError, match=f"one iteration of '{method}'") as caught:
        ready(method=method, max_shots=2, shots=2)
    least = int(str(caught.value).split("at least ")[1].split(",")[0])
    result = ready(method=method, max_shots=least, shots=2).run()
    assert result.shots <= least
    assert result.nit >= 1
    with pytest.raises(BudgetTooSmallError):
        ready(method=method, max_shots=least - 1, shots=2)


def test_a_tenth_is_kept_for_the_last_estimate():
    assert ready(max_shots=50_000).reserve == 5000
    assert ready(max_shots=15, method="cma").reserve == 2  # two points at one shot, at the least
    assert ready(Device(), max_shots=2000, method="cma").reserve == 200


@pytest.mark.parametrize(
    ("final_shots", "reserve"),
    [(0.25, 2500), (0.999, 9990), (123, 123), (1e3, 1000), (1, 2), (1e-9, 2)],
)
def test_final_shots_are_a_number_or_a_share(final_shots, reserve):
    run = ready(final_shots=final_shots, method="cma")
    assert run.reserve == reserve
    assert run.method.setup.budget == 10_000 - reserve


@pytest.mark.parametrize("final_shots", [0.5, 0.99, 5000])
def test_the_least_budget_includes_the_last_estimate(final_shots):
    with pytest.raises(BudgetTooSmallError, match="shots or final_shots") as caught:
        ready(method="cma", max_shots=8, shots=2, final_shots=final_shots)
    least = int(str(caught.value).split("at least ")[1].split(",")[0])
    ready(method="cma", max_shots=least, shots=2, final_shots=final_shots)
    with pytest.raises(BudgetTooSmallError):
        ready(method="cma", max_shots=least - 1, shots=2, final_shots=final_shots)


@pytest.mark.parametrize(
    ("bounds", "sigma0"),
    [
        (None, 0.2 * math.pi),
        ([(-5, 5)] * 3, 1.0),
        ([(-5, 5), (None, 1), (0.5, 2.5)], 1.0),
        ([(None, 2)] * 3, 0.2 * math.pi),
    ],
)
def test_the_first_step_is_a_tenth_of_the_widest_range(bounds, sigma0):
    assert ready(bounds=bounds).method.setup.sigma0 == pytest.approx(sigma0)
    assert ready(bounds=bounds, sigma0=0.3).method.setup.sigma0 == 0.3


@pytest.mark.parametrize(
    ("oracle", "given", "least"),
    [
        (None, {}, 1),
        (None, {"shots": 9}, 1),
        (None, {"min_shots": 4}, 4),
        (Device, {"min_shots": 4}, 4),
        (Device, {"min_shots": 1}, 3),
        (Device, {"shots": 9}, 9),
        (Device, {"shots": 1}, 3),
        (Device, {"max_shots": 7_000_000}, 500),  # a thousand generations of 7 points, 2 bases
        (Device, {"max_shots": 7_000_000, "method": "frugal"}, 3),  # plans its jobs itself
    ],
)
def test_the_least_shots(oracle, given, least):
    run = ready(oracle and oracle(), **{"method": "cma", **given})
    assert run.method.setup.min_shots == least


def test_the_budget_of_a_method_is_in_evaluations_of_one_shot():
    assert ready(max_shots=10_000).method.setup.budget == 9000
    assert ready(Device(), max_shots=10_000, method="cma").method.setup.budget == 4500


def test_rotation_angles_are_known_by_the_oracle_or_by_the_periods():
    assert not ready().method.setup.angles
    assert ready(bounds=[(0, 2 * np.pi)] * 3).method.setup.angles
    assert not ready(bounds=[(0, 2 * np.pi), (0, 2 * np.pi), (0, 2)]).method.setup.angles
    oracle = Device()
    oracle.angles = True
    assert ready(oracle).method.setup.angles


def test_a_start_outside_a_period_is_wrapped_and_one_outside_bounds_refused():
    run = ready(x0=(-1.0, 7.0), bounds=[(0, 2 * np.pi)] * 2)
    np.testing.assert_allclose(run.recommendation, [2 * np.pi - 1, 7 - 2 * np.pi])
    with pytest.raises(ValueError, match=r"x0\[1\] = 7 lies outside its bounds \[0, 2\]"):
        ready(x0=(1.0, 7.0), bounds=[(0, 2)] * 2)


@pytest.mark.parametrize(
    ("x0", "words"),
    [
        ([1 + 1j], "sequence of real numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "sequence of real numbers"),
        (["1"], "sequence of real numbers"),
        ("1", "sequence of real numbers"),
        ([10**400], "sequence of real numbers"),
        ([[1], [2, 3]], "sequence of real numbers"),
        ({1: 2}, "sequence of real numbers"),
        (5, r"one-dimensional and not empty, not of shape \(\)"),
        ([], "one-dimensional and not empty"),
        ([None], "finite"),
    ],
)
def test_what_is_no_point(x0, words):
    with pytest.raises(ValueError, match=f"^x0 must be .*{words}"):
        check_point(x0)


def test_a_point_is_a_copy_in_floats():
    given = np.array([1, 2])
    point = check_point(given)
    assert point.dtype == float
    point[0] = 5
    assert given[0] == 1
    np.testing.assert_array_equal(check_point(np.array([1, 2.5], dtype=object)), [1, 2.5])


def test_a_loss_that_costs_nothing_is_refused():
    class Free(Device):
        def price(self, n):
            return Price(0, 0)

    with pytest.raises(ValueError, match="costs no shots: there is nothing to estimate"):
        ready(Free())


@pytest.mark.parametrize("price", [None, 5, (0, 5)])
def test_a_price_that_is_none_is_refused(price):
    class Odd(Device):
        def price(self, n):
            return price

    with pytest.raises(TypeError, match=r"Odd.price must return a Price, as in Price\(0, n\), not"):
        ready(Odd())


@pytest.mark.parametrize("least", [0, -1, 1.5, True, None])
def test_least_shots_of_an_oracle_are_an_integer(least):
    oracle = Device()
    oracle.min_shots = least
    with pytest.raises(ValueError, match=r"Device.min_shots must be an integer >= 1"):
        ready(oracle)


def test_the_overhead_is_the_oracles_unless_it_is_given():
    oracle = Device()
    assert ready(oracle, method="cma").method.setup.overhead == 0
    oracle.overhead = 70.0
    assert ready(oracle, method="cma").method.setup.overhead == 70
    assert ready(oracle, method="cma", overhead=0).method.setup.overhead == 0
    assert ready(oracle, method="cma", overhead=5).method.setup.overhead == 5


@pytest.mark.parametrize("overhead", [-1, np.nan, None, "1"])
def test_the_overhead_of_an_oracle_is_a_number(overhead):
    oracle = Device()
    oracle.overhead = overhead
    with pytest.raises(ValueError, match=r"Device.overhead must be a finite number >= 0"):
        ready(oracle)


@pytest.mark.parametrize("restarts", [None, 0, 3])
def test_restarts_are_told_to_the_method(restarts):
    assert ready(restarts=restarts).method.setup.restarts == restarts


@pytest.mark.parametrize("method", [name for name in METHODS if not METHODS[name].restarts])
def test_restarts_are_refused_by_methods_that_have_none(method):
    with pytest.raises(ValueError, match=f"restarts = 0 is only for .* '{method}' has no restarts"):
        ready(method=method, restarts=0)
