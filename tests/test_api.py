"""The loop: what it counts, when it stops, what it returns."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from qiskit_arcmaes import METHODS, GaussianOracle, Settings, Stop, get_function, minimize
from qiskit_arcmaes.engine.prepare import prepare

SPHERE = get_function("sphere", 4)


def run(method="frugal", max_shots=20_000, tau=1.0, oracle=None, **kwargs):
    oracle = oracle or GaussianOracle(SPHERE, tau=tau, seed=1)
    return minimize(oracle, np.full(4, 2.0), max_shots=max_shots, method=method, seed=2, **kwargs)


class Spy(GaussianOracle):
    """Counts by itself, and remembers every batch."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.batches = []

    def evaluate(self, points, shots):
        self.batches.append((np.array(points), shots))
        return super().evaluate(points, shots)


@pytest.mark.parametrize("method", METHODS)
def test_everything_is_counted(method):
    spy = Spy(SPHERE, tau=1.0, seed=1)
    result = run(method, oracle=spy)
    assert result.shots == sum(len(points) * shots for points, shots in spy.batches) == spy.spent
    assert result.jobs == len(spy.batches)
    assert result.nfev == sum(len(points) for points, _ in spy.batches)
    assert result.history["spent"][-1] < result.shots <= 20_000
    assert result.stop is Stop.BUDGET


@settings(max_examples=120, deadline=None)
@given(
    method=st.sampled_from(sorted(METHODS)),
    max_shots=st.integers(1, 3000),
    popsize=st.integers(2, 12),
    dim=st.integers(1, 4),
    min_shots=st.integers(1, 20),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_no_budget_is_ever_exceeded(method, max_shots, popsize, dim, min_shots, known, seed):
    """Any method, any budget: it either runs within it, or refuses before the first shot."""
    oracle = GaussianOracle(get_function("sphere", dim), tau=1.0, seed=seed, known_noise=known)
    try:
        result = minimize(
            oracle,
            np.ones(dim),
            max_shots=max_shots,
            method=method,
            popsize=popsize,
            min_shots=min_shots,
            seed=seed,
        )
    except ValueError as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        assert "max_shots" in refused
        assert oracle.spent == 0
        return
    assert result.shots == oracle.spent <= max_shots
    assert result.nit >= 1
    assert np.isfinite(result.fun)


def test_recommendation_is_no_sample_and_fun_a_fresh_estimate_of_it():
    spy = Spy(SPHERE, tau=1.0, seed=1)
    result = run("ar", oracle=spy)  # frugal compares its points with x0
    last_points, shots = spy.batches[-1]
    np.testing.assert_array_equal(last_points, np.tile(result.x, (16, 1)))
    sampled = np.concatenate([points for points, _ in spy.batches[:-1]])
    assert not np.any(np.all(sampled == result.x, axis=1))
    assert result.fun_std == pytest.approx(1 / math.sqrt(16 * shots), rel=0.8)
    assert result.fun_freedom == 15


@pytest.mark.parametrize("known", [False, True])
def test_interval_covers_as_often_as_it_says(known):
    """200 runs: binomial limits of the 90% interval at a failure probability of 1e-6 each side."""
    covered = 0
    for seed in range(200):
        oracle = GaussianOracle(SPHERE, tau=1.0, seed=seed, known_noise=known)
        result = minimize(oracle, np.ones(4), max_shots=800, method="cma", shots=5, seed=seed)
        low, high = result.interval(0.9)
        covered += low <= SPHERE(result.x) <= high
    assert stats.binom.ppf(1e-6, 200, 0.9) <= covered <= stats.binom.ppf(1 - 1e-6, 200, 0.9)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        result.interval(1.5)


def test_history_has_a_row_for_each_job_and_what_m_was_decided_from():
    result = run("ar")
    history = result.history
    assert len(history) == result.jobs - 1  # all but the last estimate
    spent = np.cumsum(history["points"] * history["shots"])
    np.testing.assert_array_equal(history["spent"], spent)
    for name in ("value", "step_size", "condition", "noise", "spread", "noise_ratio"):
        assert np.isfinite(history[name][10:]).all()
    with pytest.raises(KeyError, match="no column 'energy'; it has phase, iteration, points"):
        history["energy"]


@pytest.mark.parametrize(
    ("limit", "stop", "words"),
    [
        ({"maxiter": 7}, Stop.ITERATIONS, "number of iterations reached maxiter"),
        ({"max_jobs": 9}, Stop.JOBS, "number of jobs reached max_jobs"),
        ({"max_seconds": 1e-9}, Stop.SECONDS, "time limit max_seconds"),
        ({}, Stop.BUDGET, "The shot budget is used; "),
    ],
)
def test_stopping_says_why_in_words(limit, stop, words):
    result = run(**limit)
    assert result.stop is stop
    assert words in result.message
    assert f"{result.shots:,} of 20,000 shots spent" in result.message
    assert np.isfinite(result.fun) or stop is Stop.SECONDS
    if "maxiter" in limit:
        assert result.nit == 7
    if "max_jobs" in limit:
        assert result.jobs == 9


def test_a_collapsed_distribution_stops_the_run():
    oracle = GaussianOracle(get_function("trid", 2), tau=0.0)
    result = minimize(oracle, [1.0, 1.0], max_shots=10**5, tau=0.0, seed=1, method="cma")
    assert result.shots < 10**5
    assert result.stop is Stop.COLLAPSED


def test_callback_sees_the_run_and_can_stop_it():
    seen = []

    def watch(nfev, x, fun, std, shots):
        seen.append((nfev, x.copy(), fun, std, shots))
        x[:] = 1e6  # a callback cannot harm the run
        return len(seen) == 12

    result = run(callback=watch)
    assert len(seen) == 12
    assert result.stop is Stop.CALLBACK
    assert result.shots < 20_000
    assert [s[4] for s in seen] == list(result.history["spent"])
    assert np.all(np.diff([s[0] for s in seen]) > 0)
    assert np.abs(result.x).max() < 100

    def raises(*_):
        raise StopIteration

    assert run(callback=raises).stop is Stop.CALLBACK


def test_bounds_win_and_are_respected():
    spy = Spy(SPHERE, tau=0.5, seed=1)
    result = minimize(
        spy, [0.5] * 4, max_shots=20_000, bounds=[(0.25, 1.0)] * 4, seed=1, method="uh"
    )
    points = np.concatenate([points for points, _ in spy.batches])
    assert points.min() >= 0.25
    assert points.max() <= 1.0
    assert result.x.min() >= 0.25
    assert np.sum(result.x**2) < 0.5  # the minimum inside is 0.25, in the corner


def test_defaults_come_from_the_bounds():
    for bounds, step_size in (([(-5, 5)] * 4, 1.0), (None, 0.2 * np.pi)):
        oracle = GaussianOracle(SPHERE)
        settings = Settings(max_shots=999, method="cma", bounds=bounds)
        prepared = prepare(oracle, np.ones(4), settings)
        assert prepared.method.state.distribution.step_size == pytest.approx(step_size)
    assert run(method="cma").history["points"][0] == 4 + int(3 * math.log(4))


def test_noise_measurement_is_charged_and_left_out_where_it_can_be():
    measured = run("ar").history
    assert measured["iteration"][0] == 0
    assert measured["shots"][1] == 2  # second level of the curve
    oracle = GaussianOracle(SPHERE, seed=1)
    told = minimize(oracle, np.ones(4), max_shots=5000, method="ar", tau=1.0, seed=1)
    assert told.history["iteration"][0] == 1


def test_plain_callables_are_called_m_times():
    calls = []
    rng = np.random.default_rng(1)

    def loss(x):
        calls.append(x)
        return float(x @ x) + 0.1 * rng.normal()

    result = minimize(loss, [1.0, 1.0], max_shots=3000, seed=1)
    assert result.shots == len(calls) <= 3000
    assert np.sum(result.x**2) < 1


def test_finding_out_about_a_callable_does_not_shrink_the_budget_that_methods_plan_with():
    """A callable's probing call once made three-stage plan with a quarter of the budget."""
    rng = np.random.default_rng(1)
    result = minimize(
        lambda x: float(x @ x) + rng.normal(), [1.0], max_shots=6000, method="three-stage", seed=1
    )
    last = result.history["stage"] == 3
    shots = result.history["points"] * result.history["shots"]
    assert 0.6 < shots[1:][last[:-1]].sum() / shots.sum() < 0.8  # 100 of 140 parts


def test_repr_is_readable():
    text = repr(run())
    assert "fun = " in text
    assert "±" in text
    assert "shots" in text
