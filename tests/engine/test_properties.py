"""Any method, budget, dimension, bounds: budgets hold, points stay inside, runs resume."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes import METHODS, Estimate, GaussianOracle, Oracle, Price, minimize

TWO_PI = 2 * np.pi


def bounds_of(kinds, centre):
    """One pair of bounds per coordinate around a start, by kind."""
    pairs = {
        "none": (None, None),
        "both": (centre - 0.7, centre + 0.4),
        "lower": (centre - 0.1, None),
        "upper": (None, centre + 0.1),
        "edge": (centre, centre + 2.0),
        "period": (centre - 1.0, centre - 1.0 + TWO_PI),
        "narrow": (centre - 1e-9, centre + 1e-9),
    }
    return [pairs[kind] for kind in kinds]


class Watched(Oracle):
    """A noisy bowl with a price of its own, that remembers what it was asked."""

    def __init__(self, fixed, per_point, reports, seed):
        self.fixed, self.per_point, self.reports_variances = fixed, per_point, reports
        self.rng = np.random.default_rng(seed)
        self.points = []

    def evaluate(self, points, shots):
        self.points.append(points.copy())
        self.charge(self.price(len(points)).at(shots))
        noise = self.rng.normal(size=len(points)) / np.sqrt(shots)
        values = np.sum(1 - np.cos(points), axis=1) + noise
        return Estimate(values, np.full(len(points), 1 / shots) if self.reports_variances else None)

    def price(self, n):
        return Price(self.fixed, self.per_point * n)


@settings(max_examples=150, deadline=None)
@given(
    method=st.sampled_from(sorted(METHODS)),
    max_shots=st.integers(1, 6000),
    kinds=st.lists(
        st.sampled_from(["none", "both", "lower", "upper", "edge", "period", "narrow"]),
        min_size=1,
        max_size=4,
    ),
    centre=st.sampled_from([0.0, 1.3, -40.0]),
    options=st.fixed_dictionaries(
        {},
        optional={
            "popsize": st.integers(2, 12),
            "shots": st.integers(1, 20),
            "min_shots": st.integers(1, 20),
            "sigma0": st.floats(1e-3, 10.0),
            "max_jobs": st.integers(2, 30),
            "maxiter": st.integers(1, 30),
            "tau": st.just(0.0) | st.floats(1e-100, 2.0),  # smaller ones are refused
            "overhead": st.floats(0.0, 100.0),
        },
    ),
    fixed=st.integers(0, 30),
    per_point=st.integers(1, 3),
    reports=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_budgets_and_bounds_hold(
    method, max_shots, kinds, centre, options, fixed, per_point, reports, seed
):
    """It runs within its budget and its bounds, or is refused before the first shot."""
    oracle = Watched(fixed, per_point, reports, seed)
    bounds = bounds_of(kinds, centre)
    start = np.full(len(kinds), centre)
    try:
        result = minimize(
            oracle, start, max_shots=max_shots, method=method, bounds=bounds, seed=seed, **options
        )
    except ValueError as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        assert refused.startswith("max_shots = ")
        assert oracle.spent == 0
        return
    assert result.shots == oracle.spent <= max_shots
    assert result.jobs == len(oracle.points) <= options.get("max_jobs", np.inf)
    assert result.nfev == sum(map(len, oracle.points))
    assert 1 <= result.nit <= options.get("maxiter", np.inf) or "max_jobs" in options
    lower = np.array([-np.inf if low is None else low for low, _ in bounds])
    upper = np.array([np.inf if high is None else high for _, high in bounds])
    for points in (*oracle.points, result.x[None]):
        assert np.all((points >= lower) & (points <= upper))
    assert np.isfinite(result.x).all()


class Killed(BaseException):
    """Stands for what no handler catches; the file then holds the last whole job."""


@settings(max_examples=25, deadline=None)
@given(
    method=st.sampled_from(sorted(METHODS)),
    periodic=st.booleans(),
    reports=st.booleans(),
    kills=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    seed=st.integers(0, 10**6),
)
def test_killed_after_any_job_and_resumed_is_the_uninterrupted_run(
    method, periodic, reports, kills, seed
):
    """Killed up to three times, each time so many jobs after it was resumed."""

    def solve(**arguments):
        oracle = GaussianOracle(
            lambda x: np.sum(1 - np.cos(x), axis=1), tau=0.5, seed=seed, known_noise=reports
        )
        bounds = [(-np.pi, np.pi)] * 3 if periodic else None
        return minimize(
            oracle, np.full(3, 1.2), max_shots=3000, method=method, bounds=bounds, seed=seed,
            **arguments,
        )  # fmt: skip

    whole = solve()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        for kill in kills:
            jobs = []

            def stop(*_, jobs=jobs, kill=kill):
                jobs.append(1)
                if len(jobs) == kill:
                    raise Killed

            try:
                solve(checkpoint=path, checkpoint_seconds=0, resume=True, callback=stop)
            except Killed:
                continue
            break  # the run was shorter
        resumed = solve(checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.x, whole.x)
    for name in ("fun", "fun_std", "shots", "jobs", "nfev", "nit", "stop", "algorithm"):
        assert getattr(resumed, name) == getattr(whole, name), name
    for name in whole.history.columns:
        np.testing.assert_array_equal(resumed.history[name], whole.history[name])


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_is_the_same_run(method):
    def solve():
        oracle = Watched(0, 1, False, 3)
        return minimize(oracle, np.ones(3), max_shots=3000, method=method, seed=4)

    one, two = solve(), solve()
    np.testing.assert_array_equal(one.x, two.x)
    assert one.fun == two.fun
