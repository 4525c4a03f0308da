"""The fresh estimate of the recommendation: which job it is, what is concluded from it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qiskit_arcmaes import METHODS, Estimate, GaussianOracle, Price, Stop, get_function, minimize
from qiskit_arcmaes.engine.final import PHASE, FinalEstimate, conclude, final_batch, pool
from qiskit_arcmaes.engine.final_plan import FinalPlan
from qiskit_arcmaes.engine.ledger import Limits, RunLedger
from qiskit_arcmaes.registry import Entry
from qiskit_arcmaes.strategies.fixed import FixedShots

POINT = np.array([1.0, 2.0, 3.0])


class Priced(GaussianOracle):
    """A sphere whose jobs have a price of their own."""

    def __init__(self, fixed, per_point, known_noise=False):
        super().__init__(get_function("sphere", 3), seed=1, known_noise=known_noise)
        self.fixed, self.per_point = fixed, per_point

    def price(self, n):
        return Price(self.fixed, self.per_point * n)


def test_sixteen_rows_where_the_oracle_reports_no_variance():
    batch = final_batch(Priced(0, 1), POINT, 1000)
    np.testing.assert_array_equal(batch.points, np.tile(POINT, (16, 1)))
    assert batch.shots == 1000 // 16
    assert batch.phase == PHASE


def test_one_row_where_it_does():
    batch = final_batch(Priced(0, 1, known_noise=True), POINT, 1000)
    assert batch.points.shape == (1, 3)
    assert batch.shots == 1000


def test_fewer_rows_where_the_budget_does_not_pay_sixteen():
    assert len(final_batch(Priced(0, 1), POINT, 5).points) == 4
    assert len(final_batch(Priced(0, 1), POINT, 1).points) == 1


@given(st.integers(0, 100), st.integers(1, 20), st.booleans(), st.integers(0, 5000))
def test_what_it_takes_is_within_the_budget(fixed, per_point, known, budget):
    oracle = Priced(fixed, per_point, known)
    plan = FinalPlan(oracle, Limits(budget), budget, None)
    allowed = plan.next_budget(None, RunLedger(), Stop.BUDGET)
    if allowed == 0:
        assert oracle.price(1).at(1) > budget
    else:
        batch = final_batch(oracle, POINT, allowed)
        assert oracle.price(len(batch.points)).at(batch.shots) <= budget
        assert batch.shots >= 1


def test_mean_and_standard_error_of_the_rows():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    final = conclude(Estimate(values), reports_variances=False)
    assert final.value == 3.0
    assert final.std == pytest.approx(values.std(ddof=1) / 2)
    assert final.freedom == 3


def test_reported_variances_are_taken():
    final = conclude(Estimate(np.array([5.0]), np.array([0.04])), reports_variances=True)
    assert (final.value, final.std, final.freedom) == (5.0, pytest.approx(0.2), math.inf)


def test_failed_rows_are_left_out():
    final = conclude(Estimate(np.array([1.0, np.nan, 3.0, np.inf])), reports_variances=False)
    assert final.value == 2.0
    assert final.freedom == 1


def test_one_row_has_no_standard_error():
    final = conclude(Estimate(np.array([1.0])), reports_variances=False)
    assert final.value == 1.0
    assert math.isnan(final.std)
    assert math.isnan(final.freedom)


def test_independent_measurements_of_the_point_are_pooled():
    """Both estimates have the same mean: the pooled one has it too, and the standard error said."""
    rng = np.random.default_rng(1)
    values, errors = [], []
    for _ in range(2000):
        rows = 3.0 + rng.normal(size=16)
        fresh = conclude(Estimate(rows), reports_variances=False)
        pooled = pool(fresh, FinalEstimate(3.0 + 0.5 * rng.normal(), 0.5, math.inf))
        values.append(pooled.value)
        errors.append(pooled.std)
        assert pooled.std < min(fresh.std, 0.5)
        assert pooled.freedom > fresh.freedom
    assert np.mean(values) == pytest.approx(3.0, abs=5 * np.std(values) / math.sqrt(2000))
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.1)


def test_nothing_is_pooled_with_what_has_no_standard_error():
    fresh = FinalEstimate(1.0, 0.1, 15.0)
    for std in (math.nan, 0.0, math.inf):
        assert pool(fresh, FinalEstimate(5.0, std, math.inf)) is fresh
    assert pool(fresh, None) is fresh
    for one in (FinalEstimate(1.0, 0.0, 15.0), FinalEstimate(1.0)):
        assert pool(one, fresh) is one


def test_a_run_pools_what_its_method_has_measured_at_the_recommendation():
    class Knows(FixedShots):
        def final_value(self):
            return 100.0, 1e-12

    METHODS["knows"] = Entry(Knows, "knows")
    try:
        oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        result = minimize(oracle, POINT, max_shots=500, method="knows", seed=1)
    finally:
        del METHODS["knows"]
    assert result.fun == pytest.approx(100.0)
    assert result.fun_std == pytest.approx(1e-6)
