"""The contract of oracles: prices, charges, and a clear word for every breach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qiskit_arcmaes import METHODS, Estimate, GaussianOracle, Oracle, OracleError, Price, minimize
from qiskit_arcmaes.oracles import ExternalOracle, as_oracle
from qiskit_arcmaes.oracles.checks import check_job


class Plain(Oracle):
    """The least that an oracle must have."""

    def evaluate(self, points, shots):
        self.charge(len(points) * shots)
        return Estimate(np.sum(np.square(points), axis=1))


def solve(oracle, **arguments):
    return minimize(oracle, np.ones(2), **{"max_shots": 2000, "seed": 1, "tau": 0.0, **arguments})


def test_evaluate_is_all_that_an_oracle_needs():
    oracle = Plain()
    result = solve(oracle)
    assert result.shots == oracle.spent <= 2000
    assert oracle.price(7) == Price(0, 7)
    assert (oracle.min_shots, oracle.reports_variances, oracle.angles) == (1, False, False)
    assert (oracle.few_jobs, oracle.outside) == (False, False)
    other = Plain()
    other.state = oracle.state
    assert other.spent == oracle.spent
    with pytest.raises(TypeError, match="abstract"):
        Oracle()


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 10**9))
def test_what_is_affordable_is_paid_and_one_more_is_not(fixed, per_shot, budget):
    price = Price(fixed, per_shot)
    shots = price.affordable(budget)
    assert shots >= 0
    assert shots == 0 or price.at(shots) <= budget
    assert price.at(shots + 1) > budget


class ChargesNothing(Plain):
    def evaluate(self, points, shots):
        return Estimate(np.sum(np.square(points), axis=1))


class SpendsMore(Plain):
    def evaluate(self, points, shots):
        self.charge(1)
        return super().evaluate(points, shots)


class ClaimsVariances(Plain):
    reports_variances = True


class WrongVariances(Plain):
    def evaluate(self, points, shots):
        return Estimate(super().evaluate(points, shots).values, np.ones(1))


class Flat(Plain):
    def evaluate(self, points, shots):
        return Estimate(super().evaluate(points, shots).values[:, None])


class OneNumber(Plain):
    def evaluate(self, points, shots):
        super().evaluate(points, shots)
        return Estimate(1.0)


class BareArray(Plain):
    def evaluate(self, points, shots):
        return super().evaluate(points, shots).values


class Nothing(Plain):
    def evaluate(self, points, shots):
        super().evaluate(points, shots)


class Words(Plain):
    def evaluate(self, points, shots):
        super().evaluate(points, shots)
        return Estimate(["low"] * len(points))


BREACHES = {
    ChargesNothing: r"charged nothing for a job: evaluate must call self\.charge",
    SpendsMore: r"charged \d+ shots for a job that it had priced at \d+: its price must be",
    ClaimsVariances: r"says reports_variances but its estimate has none: return them, or set",
    WrongVariances: r"variances of shape \(1,\) for \d+ points; it must return shape",
    Flat: r"values of shape \(\d+, 1\) for \d+ points; it must return shape",
    OneNumber: r"values of shape \(\) for \d+ points",
    BareArray: "evaluate must return an Estimate, not ndarray",
    Nothing: "evaluate must return an Estimate, not NoneType",
    Words: "could not convert string to float",
}


@pytest.mark.parametrize("kind", BREACHES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("method", ["frugal", "ar", "cma"])
def test_a_breach_is_named_in_the_first_job(kind, method):
    oracle = kind()
    with pytest.raises(OracleError, match=BREACHES[kind]) as caught:
        solve(oracle, method=method)
    assert caught.value.result.jobs == 1
    assert caught.value.result.shots == oracle.spent


def test_a_price_may_fall_after_the_first_job():
    class Probing(Plain):
        probed = False

        def evaluate(self, points, shots):
            if not self.probed:
                self.charge(50)
                self.probed = True
            return super().evaluate(points, shots)

        def price(self, n):
            return Price(0 if self.probed else 50, n)

    oracle = Probing()
    result = solve(oracle, method="cma")
    assert result.shots == oracle.spent <= 2000


def test_values_and_charge_that_are_right_pass():
    estimate = check_job(Estimate(np.ones(3)), 3, False, charged=5, price=5)
    np.testing.assert_array_equal(estimate.values, np.ones(3))
    check_job(Estimate([1, 2], variances=[0.1, np.nan]), 2, True, charged=1, price=5)


@pytest.mark.parametrize("wrong", [3, None, "loss", object(), [1.0]])
def test_what_can_not_be_called_is_refused(wrong):
    with pytest.raises(TypeError, match="fun must be callable"):
        as_oracle(wrong, [0.0])


def test_what_has_evaluate_but_is_no_oracle_is_refused():
    class Duck:
        def evaluate(self, points, shots): ...

        def __call__(self, x): ...

    with pytest.raises(TypeError, match="Duck has evaluate but is no Oracle; derive it from"):
        minimize(Duck(), [1.0], max_shots=100)


def test_points_evaluated_outside_are_told_first():
    oracle = ExternalOracle()
    with pytest.raises(OracleError, match="nothing was told"):
        oracle.evaluate(np.ones((2, 1)), 5)
    told = Estimate(np.zeros(2))
    oracle.answer = told
    assert oracle.evaluate(np.ones((2, 1)), 5) is told
    assert oracle.spent == 10
    with pytest.raises(OracleError, match="nothing was told"):
        oracle.evaluate(np.ones((2, 1)), 5)


def test_a_job_that_is_cut_short_is_not_charged():
    """A Gaussian job counts when it is done: what Ctrl-C cuts short can be run again."""

    def breaks(points):
        raise KeyboardInterrupt

    oracle = GaussianOracle(breaks, seed=1)
    with pytest.raises(KeyboardInterrupt):
        oracle.evaluate(np.ones((2, 2)), 5)
    assert oracle.spent == 0


def test_every_method_takes_every_trait():
    class Device(Plain):
        min_shots = 2
        few_jobs = True
        reports_variances = True

        def evaluate(self, points, shots):
            values = super().evaluate(points, shots).values
            return Estimate(values, np.full(len(values), 1e-4 / shots))

    for method in METHODS:
        oracle = Device()
        result = minimize(oracle, np.ones(2), max_shots=3000, method=method, seed=1)
        assert result.history["shots"].min() >= 2
        assert result.shots == oracle.spent <= 3000
        assert np.isinf(result.fun_freedom)
