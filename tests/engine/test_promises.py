"""Resume is one promise, and no paid result is lost, whatever ends a run."""

import math

import numpy as np
import pytest

from qiskit_arcmaes import (
    METHODS,
    CheckpointError,
    GaussianOracle,
    OracleError,
    Stop,
    get_function,
    minimize,
)
from qiskit_arcmaes.engine.checkpoint import load
from qiskit_arcmaes.registry import Entry
from qiskit_arcmaes.strategies.fixed import FixedShots

from ..runs import same


class Failing(GaussianOracle):
    """Draws its noise, and then fails before a shot is charged."""

    def __init__(self, job=None):
        super().__init__(get_function("sphere", 3), tau=1.0, seed=2)
        self.job = job
        self.calls = 0

    def evaluate(self, points, shots):
        self.calls += 1
        if self.calls == self.job:
            self._rng.standard_normal(5)
            raise ConnectionError("the service is away")
        return super().evaluate(points, shots)


def solve(oracle=None, method="frugal", **arguments):
    oracle = Failing() if oracle is None else oracle
    return minimize(oracle, np.ones(3), max_shots=3000, method=method, seed=4, **arguments)


def stop_after(jobs, error):
    seen = []

    def callback(*_):
        seen.append(1)
        if len(seen) == jobs:
            raise error

    return callback


@pytest.mark.parametrize("method", ["frugal", "ar", "uh"])
def test_a_failed_job_and_resume(method, tmp_path):
    """Noise that the failed job has drawn is given back: it took no shot."""
    path = tmp_path / "run"
    with pytest.raises(OracleError, match="away") as caught:
        solve(Failing(4), method, checkpoint=path)
    assert caught.value.result.shots == caught.value.result.history["spent"][-1]
    same(solve(method=method, checkpoint=path, resume=True), solve(method=method))


@pytest.mark.parametrize("method", ["frugal", "ar", "uh"])
@pytest.mark.parametrize("error", [RuntimeError("mine"), SystemExit(3), StopAsyncIteration()])
def test_a_raised_callback_carries_the_result_and_resume(method, error, tmp_path):
    path = tmp_path / "run"
    with pytest.raises(type(error)) as caught:
        solve(method=method, checkpoint=path, callback=stop_after(3, error))
    result = caught.value.result
    assert result.stop is Stop.ERROR
    assert result.success is False
    assert len(result.history) == 3
    same(solve(method=method, checkpoint=path, resume=True), solve(method=method))


@pytest.mark.parametrize("method", ["frugal", "cma"])
def test_max_seconds_with_a_checkpoint_measures_no_last_estimate(method, tmp_path):
    path = tmp_path / "run"
    oracle = Failing()
    result = solve(oracle, method, checkpoint=path, max_seconds=1e-9)
    assert result.stop is Stop.SECONDS
    assert result.shots == oracle.spent == 0
    assert "no last estimate was measured, fun is not known" in result.message
    longer = solve(method=method, checkpoint=path, resume=True, max_seconds=1e6)
    same(longer, solve(method=method))


def test_max_seconds_without_a_checkpoint_ends_the_run():
    result = solve(max_seconds=1e-9)
    assert math.isfinite(result.fun)
    assert "no last estimate" not in result.message


@pytest.mark.parametrize("changed", [{"max_shots": 3001}, {"max_jobs": 9}, {"max_jobs": None}])
def test_budget_and_jobs_are_part_of_the_plan(changed, tmp_path):
    arguments = {"max_shots": 3000, "max_jobs": 6, "seed": 4, "checkpoint": tmp_path / "run"}
    first = minimize(Failing(), np.ones(3), **arguments)
    assert first.stop is Stop.JOBS
    same(minimize(Failing(), np.ones(3), resume=True, **arguments), first)
    ((name, value),) = changed.items()
    words = f"was made with {name} = {arguments[name]}, not {value}"
    with pytest.raises(CheckpointError, match=words):
        minimize(Failing(), np.ones(3), resume=True, **{**arguments, **changed})


def test_a_checkpoint_exists_from_the_first_job_on(tmp_path):
    seen = []

    def look(*_):
        seen.append(load(tmp_path / "run")["ledger"].fields["jobs"])

    solve(method="cma", checkpoint=tmp_path / "run", checkpoint_seconds=1e6, callback=look)
    assert set(seen) == {1}


class FailingTell(FixedShots):
    """CMA-ES with a defect."""

    def _move(self, distribution):
        if distribution.generation == 5:
            raise ZeroDivisionError("a defect")
        super()._move(distribution)


def test_a_defect_of_a_method_loses_no_result(tmp_path):
    METHODS["defect"] = Entry(FailingTell, "defect")
    try:
        with pytest.raises(ZeroDivisionError) as caught:
            solve(method="defect", checkpoint=tmp_path / "run", checkpoint_seconds=0)
    finally:
        del METHODS["defect"]
    assert caught.value.result.shots > 0
    assert caught.value.result.stop is Stop.ERROR
    assert load(tmp_path / "run")["ledger"].fields["jobs"] == 4  # the last one that was learned


def test_drafts_of_killed_processes_are_removed(tmp_path):
    for name in (".run.draft-abc", ".run.draft-0_9", ".other.draft-abc", "run.draft-x"):
        (tmp_path / name).touch()
    solve(method="cma", checkpoint=tmp_path / "run")
    assert {each.name for each in tmp_path.iterdir()} == {"run", ".other.draft-abc", "run.draft-x"}


def test_a_last_estimate_that_fails_is_no_success():
    jobs = solve(method="cma").jobs
    with pytest.raises(OracleError, match="the last estimate of the recommendation") as caught:
        solve(Failing(jobs), "cma")
    assert caught.value.result.stop is Stop.FAILED


def test_a_finished_run_tells_again_why_it_ended(tmp_path):
    """The job of the last estimate is none of the search's, of which max_jobs leaves one less."""
    oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=2)
    jobs = minimize(oracle, np.ones(3), max_shots=3000, method="cma", seed=4).jobs
    settings = {"method": "cma", "max_jobs": jobs + 1, "checkpoint": tmp_path / "run"}
    whole = solve(**settings)
    assert (whole.stop, whole.jobs) == (Stop.BUDGET, jobs)
    assert solve(resume=True, **settings).stop is Stop.BUDGET
