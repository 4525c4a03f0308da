"""Goals on test functions: floors, cells with something to gain, and rises above the start."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.commands import run_experiments
from qiskit_arcmaes.bench.experiments import Changes
from qiskit_arcmaes.bench.goals import Goal, Measure
from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.page import results_page
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.report.verdicts import Outcome, judge
from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import make_instance
from qiskit_arcmaes.bench.tasks import Task

START = 100.0
RUNS = tuple(range(5))


def group(method, error, dim=5, noise=1.0, budget=10**4):
    condition = Condition("function:bbob_sphere", dim, noise, budget)
    return Group(condition, method, RUNS, np.full(5, error))


def verdicts(measure, limit, *groups):
    goal = Goal("words", measure, limit, ("function:bbob_sphere",), (10**4, 10**6))
    return judge(goal, groups, lambda group: np.full(len(group.runs), START))


def test_cells_differ_by_dimension_and_noise():
    groups = [
        group(method, error, dim, noise)
        for method, error in (("frugal", 1.0), ("uh", 2.0))
        for dim, noise in ((2, 0.0), (2, 1.0), (5, 1.0))
    ]
    found = verdicts(Measure.FLOORED_RATIO, 1.2, *groups)
    assert [each.figure for each in found] == [0.5] * 3
    assert {(each.cell.dim, each.cell.noise) for each in found} == {(2, 0.0), (2, 1.0), (5, 1.0)}


def test_errors_below_the_floor_count_as_the_floor():
    (found,) = verdicts(Measure.FLOORED_RATIO, 1.2, group("frugal", 1e-9), group("uh", 1e-20))
    assert found.figure == pytest.approx(1.0)
    (found,) = verdicts(Measure.FLOORED_RATIO, 1.2, group("frugal", 1e-5), group("uh", 1e-20))
    assert found.figure == pytest.approx(10.0)


def test_the_mean_is_over_cells_with_something_to_gain():
    solved = group("frugal", 1e-4, dim=2), group("uh", 1e-9, dim=2)  # below the floor
    hopeless = group("frugal", 99.0, dim=10), group("uh", 60.0, dim=10)  # halved by nobody
    gaining = group("frugal", 2.0), group("uh", 8.0), group("cma", 10.0)
    (found,) = verdicts(Measure.GAINING_RATIO, 0.5, *solved, *hopeless, *gaining)
    assert found.figure == pytest.approx(0.25)
    assert found.cell is None
    assert verdicts(Measure.GAINING_RATIO, 0.5, *solved, *hopeless) == []


def test_the_percentile_is_over_all_cells():
    groups = [
        group(method, error, dim)
        for dim in range(2, 13)
        for method, error in (("frugal", float(dim)), ("uh", 1.0))
    ]
    (found,) = verdicts(Measure.HIGH_RATIO, 1.2, *groups)
    assert found.figure == pytest.approx(11.0)  # the tenth of eleven: nine tenths of the way
    assert found.outcome is Outcome.MISSED


@pytest.mark.parametrize(
    ("error", "noise", "figure"),
    [
        (START + 0.04, 1.0, 1.0),  # 4 τ/√B = 0.04
        (START + 4.0, 100.0, 10.0),
        (START - 1.0, 1.0, -25.0),
        (START + 1e-5, 0.0, 10.0),  # without noise nothing is explained but the floor
    ],
)
def test_rises_above_the_start_are_compared_with_the_noise(error, noise, figure):
    (found,) = verdicts(Measure.RISE, 1.0, group("frugal", error, noise=noise))
    assert found.figure == pytest.approx(figure)


def test_starts_are_those_of_the_runs():
    runs = group("frugal", 1.0)
    errors = starts_of(7)(runs)
    task = Task("any", "function:bbob_sphere", 5, 1.0, 10**4, "uh", 3)
    instance = make_instance(task, seeds_of(task, 7))
    assert errors[3] == instance.error(instance.start.x0)
    assert len(set(errors)) == len(RUNS)


def test_the_page_shows_them(tmp_path):
    changes = Changes(
        runs=2,
        budgets=(1000,),
        dims=(2,),
        noise=(1.0,),
        problems=("bbob_sphere",),
        methods=("frugal", "uh:auto"),
    )
    (store,) = run_experiments("functions-dev", changes=changes, out=str(tmp_path / "dev"))
    page = results_page(store, [])
    assert "At most half of the best other in the geometric mean" in page
    assert "| bbob sphere, d = 2, τ = 1, 10³ |" in page
