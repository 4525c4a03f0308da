"""``max_jobs`` is planned for: the jobs that there are use up the budget."""

import numpy as np
import pytest

from qiskit_arcmaes import (
    METHODS,
    CheckpointError,
    GaussianOracle,
    Settings,
    Stop,
    get_function,
    minimize,
)
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.engine.prepare import prepare
from qiskit_arcmaes.problems import get_problem

BUDGET = 100_000
STRATEGIES = [name for name in METHODS if name != "frugal"]
SPHERE = get_function("sphere", 5)


def sphere(known_noise=False):
    return GaussianOracle(SPHERE, seed=1, known_noise=known_noise)


def run(method, max_jobs, oracle=None, **arguments):
    start = np.full(4 if isinstance(oracle, ShotOracle) else 5, 0.8)
    given = {"max_shots": BUDGET, "method": method, "max_jobs": max_jobs, "seed": 3, **arguments}
    return minimize(oracle or sphere(), start, **given)


def used_by_the_method(result):
    """The share of what is not kept for the last estimate."""
    return result.history["spent"][-1] / (0.9 * BUDGET)


@pytest.mark.parametrize("max_jobs", [10, 30, 100])
@pytest.mark.parametrize("method", METHODS)
def test_the_budget_is_used_up(method, max_jobs):
    """Deterministic for the seed. Three stages, tenfold each, take 28 jobs and steps of a fifth."""
    result = run(method, max_jobs)
    assert result.jobs <= max_jobs
    assert 0.99 * BUDGET <= result.shots <= BUDGET
    if method != "three-stage":
        assert used_by_the_method(result) > 0.85


@pytest.mark.parametrize("max_jobs", [10, 30, 100])
@pytest.mark.parametrize("method", STRATEGIES)
def test_on_a_circuit_whose_points_take_several_bases(method, max_jobs):
    result = run(method, max_jobs, ShotOracle(get_problem("h2"), seed=1))
    assert result.jobs <= max_jobs
    assert result.shots > 0.99 * BUDGET
    if method != "three-stage":
        assert used_by_the_method(result) > 0.85


@pytest.mark.parametrize("max_jobs", [2, 3, 5])
@pytest.mark.parametrize("method", METHODS)
def test_very_few_jobs_run(method, max_jobs):
    result = run(method, max_jobs)
    assert result.jobs <= max_jobs
    assert result.shots <= BUDGET
    assert np.isfinite(result.fun)


def least_shots(method, **arguments):
    settings = Settings(max_shots=BUDGET, method=method, **arguments)
    return prepare(sphere(), np.full(5, 0.8), settings).method.setup.min_shots


def test_shots_that_are_given_are_kept():
    assert least_shots("cma", max_jobs=10, shots=7) == 1
    assert least_shots("cma", max_jobs=10, min_shots=7) == 7
    assert least_shots("cma") == 1
    assert least_shots("cma", max_jobs=10) > 1000


def test_after_max_jobs_the_last_estimate_takes_the_rest():
    result = run("cma", 6, shots=7)
    assert result.stop is Stop.JOBS
    assert result.history["spent"][-1] < 0.01 * BUDGET
    assert result.shots > 0.99 * BUDGET


@pytest.mark.parametrize("method", ["frugal", "ar", "cma"])
def test_a_run_that_reached_max_jobs_is_resumed_as_it_ended(method, tmp_path):
    path = tmp_path / "run"
    first = run(method, 10, checkpoint=path)
    oracle = sphere()
    second = run(method, 10, oracle, checkpoint=path, resume=True)
    assert (second.fun, second.fun_std, second.shots) == (first.fun, first.fun_std, first.shots)
    assert (second.jobs, second.stop) == (first.jobs, first.stop)
    assert oracle.spent == first.shots


@pytest.mark.parametrize("other", [9, 11, None])
def test_another_max_jobs_is_another_plan(other, tmp_path):
    path = tmp_path / "run"
    run("cma", 10, checkpoint=path)
    with pytest.raises(CheckpointError, match=f"made with max_jobs = 10, not {other};"):
        run("cma", other, checkpoint=path, resume=True)
