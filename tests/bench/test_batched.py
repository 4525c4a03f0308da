"""Tasks that run in a batch have the outcomes that they have apart."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.bench.batched import has_lockstep, run_batched
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.tasks import Task

PLACES = ("sphere", "rastrigin", "trid", "bohachevsky", "random_quadratic", "trid~growing")


def tasks(method, problem="sphere", budget=1000, runs=3, noise=(1.0, 100.0), dim=5):
    return [
        Task("demo", "function:" + problem, dim, each, budget, method, run)
        for each, run in itertools.product(noise, range(runs))
    ]


def outcome(record):
    return record.task, record.scores, list(record.trajectory)


@pytest.mark.parametrize("method", ["lra:16@1", "cma:16@2", "lra:16@B/1e3"])
@pytest.mark.parametrize("problem", PLACES)
def test_records_are_those_of_single_runs_up_to_rounding(method, problem):
    chosen = tasks(method, problem, runs=2)
    for task, record in zip(chosen, run_batched(chosen, 1), strict=True):
        single = run_task(task, 1)
        ours, theirs = record.scores, single.scores
        assert record.task == task
        assert (ours.seed, ours.shots, ours.jobs) == (theirs.seed, theirs.shots, theirs.jobs)
        assert ours.message == theirs.message
        assert ours.value == pytest.approx(theirs.value, rel=1e-6, abs=1e-9)
        assert ours.value_std == pytest.approx(theirs.value_std, rel=1e-6)
        assert [shots for shots, _ in record.trajectory] == [s for s, _ in single.trajectory]
        errors = [error for _, error in single.trajectory]
        assert [error for _, error in record.trajectory] == pytest.approx(errors, rel=1e-5)


@pytest.mark.parametrize("method", ["lra:16@1", "cma:16@1"])
@pytest.mark.parametrize("problem", PLACES)
def test_outcomes_do_not_depend_on_the_grouping(method, problem):
    chosen = tasks(method, problem)
    whole = list(map(outcome, run_batched(chosen, 1)))
    apart = [outcome(run_batched([task], 1)[0]) for task in chosen]
    mixed = list(map(outcome, run_batched(chosen[4:1:-1], 1)))
    assert whole == apart
    assert mixed == whole[4:1:-1]


@settings(max_examples=60, deadline=None)
@given(
    method=st.sampled_from(["lra", "cma"]),
    popsize=st.integers(2, 40),
    shots=st.integers(1, 30),
    budget=st.integers(1, 3000),
    dim=st.integers(2, 5),
)
def test_the_budget_is_kept_and_counted_as_in_a_single_run(method, popsize, shots, budget, dim):
    chosen = tasks(f"{method}:{popsize}@{shots}", budget=budget, runs=2, dim=dim, noise=(1.0,))
    for record in run_batched(chosen, 1):
        single = run_task(record.task, 1)
        assert record.scores.shots <= budget
        assert (record.scores.shots, record.scores.jobs) == (
            single.scores.shots,
            single.scores.jobs,
        )
        assert record.scores.message == single.scores.message
        assert [shots for shots, _ in record.trajectory] == [s for s, _ in single.trajectory]


def test_the_time_is_shared_equally():
    records = run_batched(tasks("lra:16@1"), 1)
    assert len({(record.seconds, record.cpu_seconds) for record in records}) == 1
    assert records[0].seconds > 0


@pytest.mark.parametrize(
    ("problem", "method", "so"),
    [
        ("function:sphere", "lra", True),
        ("function:sphere~relative", "cma:20@B/1e3", True),
        ("function:sphere", "psa@1", False),
        ("function:sphere", "pycma:20@1", False),
        ("function:sphere", "efficiency", False),
        ("h2", "lra@10", False),
    ],
)
def test_which_tasks_have_a_form_for_many(problem, method, so):
    assert has_lockstep(Task("demo", problem, 4, 1.0, 1000, method, 0)) is so


def test_other_methods_are_refused():
    with pytest.raises(TypeError, match="'spsa@10' has no form for many runs"):
        run_batched(tasks("spsa@10"), 1)
