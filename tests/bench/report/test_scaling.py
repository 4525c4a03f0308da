"""Growth with the number of qubits: exact laws by hand, and a page from a real sweep."""

import itertools

import numpy as np
import pytest

from qiskit_arcmaes.bench.catalog import get_experiment
from qiskit_arcmaes.bench.experiments import Changes
from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.report.scaling import PER_SITE, fit_exponent, growth_of
from qiskit_arcmaes.bench.report.scaling_page import scaling_tables
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.scaling_catalog import CHAINS, GRAPHS, UNPLANNED
from qiskit_arcmaes.bench.store import Record, Scores, Status, Store
from qiskit_arcmaes.bench.tasks import Task
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.problems.scaling import SIZES


def record(size, budget, method, run, shots, reached=True):
    """A run that gets to the error per site after some shots, or not; its trajectory is given."""
    problem = f"ising_n{size}"
    goal = size * PER_SITE["ising"]
    error = 0.9 * goal if reached else 2.0 * goal
    task = Task("made", problem, get_problem(problem).dim, None, budget, method, run)
    scores = Scores(1, error, None, None, budget, 10 * size, "")
    course = [(1, 3.0 * goal), (shots, error), (budget, error)]
    return Record(task, scores, course, seconds=9.0, cpu_seconds=float(size**3))


def made(place, records):
    description = {"experiment": "made", "settings": {}, "root_seed": 1, "shows": ["scaling"]}
    store = Store.create(place, description)
    for each in records:
        store.add(each)
    return store


@pytest.fixture(scope="module")
def growth(tmp_path_factory):
    """Shots grow as the square of the size, at the better of two budgets."""
    records = []
    for size in (4, 6, 8):
        for run in range(5):
            near = 10 * size**2 * (0.9, 0.95, 1.0, 1.05, 1.1)[run]
            records.append(record(size, 10_000, "frugal", run, near))
            records.append(record(size, 100_000, "frugal", run, 90_000.0))
            never = run > 1 or size < 8
            records.append(record(size, 10_000, "spsa@100", run, 700.0, reached=not never))
    store = made(tmp_path_factory.mktemp("growth") / "sweep", records)
    found = {each.method: each for each in growth_of(store)}
    return store, found


def test_the_exponent_is_that_of_the_law(growth):
    frugal = growth[1]["frugal"]
    assert [point.shots for point in frugal.points] == [160.0, 360.0, 640.0]
    assert {point.budget for point in frugal.points} == {10_000}  # where it gets there first
    assert frugal.exponent == pytest.approx(2.0)
    assert 1.6 < frugal.low < 2.0 < frugal.high < 2.4
    assert (frugal.second_exponent, frugal.job_exponent) == (pytest.approx(3.0), pytest.approx(1))


def test_runs_that_never_get_there_are_counted_and_make_no_law(growth):
    spsa = growth[1]["spsa@100"]
    assert [point.never for point in spsa.points] == [5, 5, 3]
    assert all(np.isinf(point.shots) for point in spsa.points)
    assert np.isnan(spsa.exponent)
    (table, _) = scaling_tables([spsa])
    assert table.rows[0][-1] == "—"
    assert table.rows[0][3].startswith("∞ (3 of 5 never)")


def test_a_law_needs_three_sizes():
    assert np.isnan(fit_exponent([4, 6, 8], [10.0, 20.0, np.inf]))
    assert fit_exponent([4, 8, 16], [3.0, 6.0, 12.0]) == pytest.approx(1.0)


def test_the_page_shows_the_figure_first_and_no_tables_of_one_row(growth):
    store, _ = growth
    write_report(store.directory)
    text = (store.directory / "results.md").read_text(encoding="utf-8")
    assert text.index("figures/summary.png") < text.index("## Growth with the number of qubits")
    assert "2.0 \\[" in text
    assert "## All problems at once" not in text
    assert (store.directory / "anytime.csv").exists()


def test_the_experiment_has_all_sizes_and_leaves_out_what_it_says():
    tasks = get_experiment("scaling").tasks()
    budgets = {}
    for task in tasks:
        budgets.setdefault((task.problem, task.method), set()).add(task.budget)
    for family, size in itertools.product(("ising", "heisenberg"), SIZES):
        found = {name: budgets[f"{family}_n{size}", name] for name in CHAINS}
        every = {3000, 10_000, 30_000, 100_000}
        assert found["frugal"] == ({10_000, 30_000} if size >= 10 else every)
        assert found["adam-250%weighted"] == ({30_000, 100_000} if size >= 10 else every)
        assert found["santaqlaus%weighted"] == found["adam-250%weighted"]
        assert found[UNPLANNED] == {100_000}
    for size in SIZES:
        assert {len(budgets[f"qaoa_n{size}", name]) for name in GRAPHS} == {2 if size > 8 else 4}


def test_a_method_that_could_not_start_is_marked(tmp_path):
    changes = Changes(
        runs=1, budgets=(2000,), methods=("adam-60", "spsa@1000"), problems=("qaoa_n4", "qaoa_n6")
    )
    store = run_sweep(get_experiment("scaling").changed(changes), tmp_path / "sweep")
    runs = store.table("runs")
    stuck = runs[runs.status == Status.COULD_NOT_START]
    assert {*stuck.method} == {"spsa@1000"}
    points = {each.method: len(each.points) for each in growth_of(store)}
    assert points == {"adam-60": 2, "spsa@1000": 0}
    write_report(store.directory)
    section = (store.directory / "results.md").read_text().partition("## Growth")[2]
    assert "| spsa@1000 | could not start | could not start |" in section
