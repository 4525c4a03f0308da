"""Goals are judged by medians, ratios and bootstrap intervals, and shown on the page."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.circuit_catalog import CIRCUIT_EXPERIMENTS
from qiskit_arcmaes.bench.commands import run_experiments
from qiskit_arcmaes.bench.experiments import Changes
from qiskit_arcmaes.bench.function_catalog import FUNCTION_EXPERIMENTS
from qiskit_arcmaes.bench.goals import Goal, Measure, goal_data, read_goal
from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.page import results_page
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.report.verdicts import Outcome, judge

RNG = np.random.default_rng(3)


def group(method, centre, problem="ucc_h2", budget=1000, could_not_start=0):
    errors = centre * np.exp(0.2 * RNG.standard_normal(20))
    condition = Condition(problem, 3, None, budget)
    runs = tuple(range(20))
    return Group(condition, method, runs, errors, could_not_start=could_not_start)


def verdicts(measure, limit, *groups, **more):
    goal = Goal("words", measure, limit, ("ucc_h2",), (1000,), **more)
    return judge(goal, groups, starts_of(1))


@pytest.mark.parametrize(
    ("own", "outcome"), [(0.9, Outcome.MET), (1.16, Outcome.OPEN), (3.0, Outcome.MISSED)]
)
def test_ratios_to_the_best_other(own, outcome):
    (found,) = verdicts(
        Measure.RATIO, 1.1, group("frugal", own), group("spsa@100", 1.0), group("uh", 2.0)
    )
    assert found.best.method == "spsa@100"
    assert found.low <= found.figure <= found.high
    assert found.outcome in (outcome, Outcome.MET if outcome is Outcome.OPEN else outcome)


def test_a_method_that_could_not_start_is_not_compared():
    (found,) = verdicts(
        Measure.RATIO,
        1.1,
        group("frugal", 1.0),
        group("spsa@100", 0.1, could_not_start=3),
        group("uh", 2.0),
    )
    assert found.best.method == "uh"
    assert verdicts(Measure.RATIO, 1.1, group("frugal", 1.0)) == []


def test_only_the_named_others_count():
    (found,) = verdicts(
        Measure.RATIO,
        1.0,
        group("frugal", 1.0),
        group("spsa@100", 0.1),
        group("uh", 2.0),
        others=("uh",),
    )
    assert found.outcome is Outcome.MET


def test_goals_of_the_start():
    good, bad = group("frugal", 0.004), group("frugal", 0.08)
    other = group("uh", 0.006)
    for measure in (Measure.START, Measure.WORST, Measure.HALVED):
        assert verdicts(measure, 1.0, good, other)[0].outcome is Outcome.MET
        assert verdicts(measure, 1.0, bad, other)[0].outcome is Outcome.MISSED
    assert verdicts(Measure.HALVED, 1.0, bad, group("uh", 0.06)) == []  # it is halved by nobody


def test_the_mean_ratio_is_one_figure():
    (found,) = verdicts(Measure.MEAN_RATIO, 0.75, group("frugal", 0.5), group("uh", 1.0))
    assert found.cell is None
    assert found.figure == pytest.approx(0.5, rel=0.3)


def test_goals_survive_as_data():
    for experiment in (*CIRCUIT_EXPERIMENTS, *FUNCTION_EXPERIMENTS):
        assert [read_goal(goal_data(goal)) for goal in experiment.goals] == [*experiment.goals]


def test_every_goal_has_runs_to_be_judged_by():
    for experiment in (*CIRCUIT_EXPERIMENTS, *FUNCTION_EXPERIMENTS):
        cells = {
            (problem, budget, method)
            for grid in experiment.grids
            for problem in grid.problems
            for budget in grid.budgets
            for method in grid.methods
        }
        for goal in experiment.goals:
            assert any(
                (problem, budget, goal.own) in cells
                for problem in goal.problems
                for budget in goal.budgets
            )


def test_development_problems_are_only_tuned_on():
    for experiment in CIRCUIT_EXPERIMENTS:
        names = [problem for grid in experiment.grids for problem in grid.problems]
        assert all(name.startswith("dev_") == (experiment.name == "tuning") for name in names)


def test_the_page_shows_goals(tmp_path):
    (store,) = run_experiments(
        "few-jobs",
        changes=Changes(runs=2, budgets=(10**5,), problems=("h2",)),
        out=str(tmp_path / "few"),
    )
    page = results_page(store, [])
    assert "## Goals" in page
    assert "10 jobs: no worse than SPSA with as many" in page
    assert page.count("| met |") + page.count("| open |") + page.count("| missed |") >= 6
