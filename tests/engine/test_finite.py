"""A recommendation lies where the loss was finite, and numbers that overflow have failed."""

import numpy as np
import pytest

from qiskit_arcmaes import METHODS, GaussianOracle, OracleError, minimize
from qiskit_arcmaes.engine.finite import MOST_FAILED_JOBS
from qiskit_arcmaes.oracles import Estimate

from ..runs import same


def ring(points):
    """Not defined around its minimum."""
    values = np.sum(points**2, axis=1)
    return np.where(values < 0.6, np.nan, values)


def strips(points):
    """Not defined in strips, which every method meets again and again."""
    values = np.sum(points**2, axis=1)
    return np.where(np.abs(np.sin(5 * points[:, 0])) < 0.3, np.nan, values)


def angles(points):
    """Not defined in a part of a circle."""
    values = np.sum(1 - np.cos(points - 0.7), axis=1)
    return np.where(np.sin(points[:, 0]) > 0.3, np.nan, values)


def solve(loss, start, method, seed, tau=0.3, known_noise=False, **options):
    oracle = GaussianOracle(loss, tau=tau, seed=seed, known_noise=known_noise)
    return minimize(oracle, np.full(3, start), max_shots=1500, method=method, seed=seed, **options)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("loss", "start", "options"),
    [(ring, 1.2, {}), (strips, 0.9, {}), (angles, -1.0, {"periodic": True})],
)
def test_the_recommendation_lies_where_the_loss_is_finite(method, loss, start, options):
    for seed in range(3):
        for noise in ({"tau": 0.0}, {"tau": 0.3, "known_noise": True}):
            try:
                result = solve(loss, start, method, seed, **noise, **options)
            except OracleError as error:  # ten jobs in a row without a value
                result, words = error.result, str(error)
            else:
                words = "jobs before it" if np.isfinite(result.fun) else "fun is NaN"
            assert "jobs before it" in words
            assert result.shots <= 1500
            assert np.isfinite(loss(result.x[None])[0])


class Outage(GaussianOracle):
    """A service that returns nothing but NaN from some job on."""

    calls = 0

    def evaluate(self, points, shots):
        self.calls += 1
        estimate = super().evaluate(points, shots)
        return estimate if self.calls <= 5 else Estimate(np.full(len(points), np.nan))


def test_a_service_that_is_down_does_not_use_up_the_budget():
    oracle = Outage(lambda x: np.sum(x**2, axis=1), seed=1)
    with pytest.raises(OracleError, match="and so are those of 9 jobs before it") as caught:
        minimize(oracle, np.ones(3), max_shots=10**6, method="cma", seed=1)
    assert oracle.calls == 5 + MOST_FAILED_JOBS
    assert len(caught.value.result.history) == 5 + MOST_FAILED_JOBS - 1


class Spoiled(GaussianOracle):
    """Returns one number in every job that is none."""

    def __init__(self, value, variance=None):
        super().__init__(lambda x: np.sum(x**2, axis=1), seed=1, known_noise=variance is not None)
        self.planted, self.variance = value, variance

    def evaluate(self, points, shots):
        estimate = super().evaluate(points, shots)
        values = estimate.values.copy()
        if self.planted is not None:
            values[0] = self.planted
        if self.variance is None:
            return Estimate(values)
        variances = np.array(estimate.variances)
        variances[0] = self.variance
        return Estimate(values, variances)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [1e101, -1e160, np.inf, -np.inf])
def test_numbers_that_overflow_are_failed_values(method, value):
    """As if they had been NaN, to the bit."""
    runs = [
        minimize(Spoiled(each), np.ones(3), max_shots=1500, method=method, seed=2)
        for each in (value, np.nan)
    ]
    same(*runs)
    assert runs[0].failures > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("variance", [-1.0, np.inf, 1e300])
def test_variances_that_are_none_are_not_used(method, variance):
    runs = [
        minimize(Spoiled(None, each), np.ones(3), max_shots=1500, method=method, seed=2)
        for each in (variance, np.nan)
    ]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    assert np.isfinite(runs[0].x).all()


class Silent(GaussianOracle):
    """Reports no variance at all in some jobs, though it does in others."""

    def __init__(self, jobs):
        super().__init__(lambda x: np.sum(x**2, axis=1), seed=1, known_noise=True)
        self.jobs, self.calls = jobs, 0

    def evaluate(self, points, shots):
        self.calls += 1
        estimate = super().evaluate(points, shots)
        if self.calls not in self.jobs:
            return estimate
        return Estimate(estimate.values, np.full(len(points), np.nan))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("jobs", [(1,), (3, 4), range(10**6)], ids=["first", "some", "all"])
def test_jobs_without_a_single_variance_are_survived(method, jobs):
    oracle = Silent(jobs)
    result = minimize(oracle, np.ones(3), max_shots=1500, method=method, seed=2)
    assert result.success
    assert result.shots == oracle.spent <= 1500
    assert np.isfinite(result.x).all()
    assert np.isfinite(result.fun)
