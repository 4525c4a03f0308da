"""Errors during the run and shots to a target, from real sweeps and by hand."""

import numpy as np
import pandas as pd
import pytest

from qiskit_arcmaes.bench.executors import local_workers
from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.export import export
from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.report.anytime import (
    Course,
    anytime_of,
    anytime_table,
    ladder_to,
    target_of,
)
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import make_instance
from qiskit_arcmaes.bench.store import Status
from qiskit_arcmaes.bench.tasks import Task

SEED = 3


def experiment():
    """SPSA at 100 shots calibrates with 51 evaluations in H2's two bases: 10,200 shots."""
    circuits = Grid(("dev_h2", "dev_ising3"), (3000, 20_000), ("frugal", "spsa@10", "spsa@100"))
    function = Grid(("function:sphere",), (1000,), ("uh:10",), dims=(2,), noise=(1.0,))
    return Experiment("during", "During the run", ("errors",), (circuits, function), runs=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return run_sweep(experiment(), tmp_path_factory.mktemp("during") / "sweep", root_seed=SEED)


def test_a_course_begins_at_the_start_and_ends_at_the_answer(store):
    runs = store.table("runs")
    for each in anytime_of(store):
        where = each.condition
        for run, course in zip(each.runs, each.courses, strict=True):
            task = Task("during", where.problem, where.dim, None, where.budget, "", run)
            instance = make_instance(task, seeds_of(task, SEED))
            (row,) = runs[
                (runs.problem == where.problem)
                & (runs.budget == where.budget)
                & (runs.method == each.method)
                & (runs.run == run)
            ].itertuples()
            assert course.shots[0] == 0
            assert course.errors[0] == pytest.approx(instance.error(instance.start.x0))
            assert (course.shots[-1], course.errors[-1]) == (row.shots, row.error)
            assert np.all(np.diff(course.shots) >= 0)
            assert len(course.shots) > 5


def test_what_is_noted_at_a_number_of_shots_is_known_by_then():
    course = Course(np.array([0.0, 100, 100, 300]), np.array([1.0, 0.5, 0.4, 0.2]))
    assert course.at([99, 100, 299, 300, 10**6]).tolist() == [1.0, 0.4, 0.4, 0.2, 0.2]


@pytest.mark.parametrize(
    ("errors", "shots"),
    [
        ([1.0, 0.5, 0.1, 0.1], 20.0),
        ([1.0, 0.1, 0.5, 0.1], 30.0),  # it left the target again
        ([1.0, 0.1, 0.1, 0.5], np.inf),
        ([0.1, 0.1, 0.1, 0.1], 0.0),
        ([1.0, 0.1, 0.1, np.nan], np.inf),
    ],
)
def test_a_target_is_reached_where_the_error_stays_within_it(errors, shots):
    assert Course(np.array([0.0, 10, 20, 30]), np.array(errors)).reached(0.2) == shots


def test_targets_are_chemical_accuracy_or_a_share_of_the_start():
    assert target_of("dev_ucc_h3plus", 9.0) == target_of("device:h2", 9.0) == 1.6e-3
    assert target_of("qaoa_sk6_p1_ramp", 2.0) == pytest.approx(0.2)


def test_the_ladder_has_eight_steps_per_decade_and_ends_at_the_budget():
    steps = ladder_to(10**4)
    assert len(steps) == 3 * 8 + 1
    assert (steps[0], steps[8], steps[-1]) == (10, 100, 10**4)
    assert ladder_to(2000)[-2:].tolist() == [1778, 2000]


def test_the_table_has_a_row_for_each_run_and_marks_those_that_could_not_start(store):
    table = anytime_table(store)
    runs = store.table("runs").query("problem != 'function:sphere'")
    assert len(table) == len(runs) == 24
    stuck = table[table.status == Status.COULD_NOT_START]
    assert {*stuck.method} == {"spsa@100"}
    assert len(stuck) > 0
    assert (stuck.drop(columns=["problem", "dim", "budget", "method", "run", "status"]) == "").all(
        axis=None
    )
    small = table[(table.budget == 3000) & (table.status == Status.FINISHED)]
    assert (small["3162"] == "").all()
    final = runs[runs.status == Status.FINISHED].query("budget == 3000").error
    np.testing.assert_allclose(small["3000"].astype(float), final, rtol=1e-3)


def test_whatever_the_processes_and_interruptions_the_table_is_byte_identical(store, tmp_path):
    def stop(done, total):
        if done == 7:
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        run_sweep(experiment(), tmp_path / "cut", root_seed=SEED, watch=stop)
    run_sweep(experiment(), tmp_path / "cut", root_seed=SEED, workers=local_workers(2))
    for directory in (store.directory, tmp_path / "cut"):
        write_report(directory)
    one, other = (
        (directory / "anytime.csv").read_bytes()
        for directory in (store.directory, tmp_path / "cut")
    )
    assert one == other
    assert len(pd.read_csv(tmp_path / "cut" / "anytime.csv")) == 24


def test_an_export_has_the_same_table(store, tmp_path):
    write_report(store.directory)
    target = export(store.directory, tmp_path / "csv", "csv")
    name = "anytime.csv"
    assert (target / name).read_bytes() == (store.directory / name).read_bytes()


def test_the_page_tells_shots_to_the_target_and_who_could_not_start(store):
    write_report(store.directory)
    section = (store.directory / "results.md").read_text().partition("## Error during the run")[2]
    section = section.partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| dev Ising-3")]
    assert len(lines) == 2
    assert lines[0].endswith("| could not start |")
    assert lines[1].endswith("| ∞ (1 of 2 never) |")
    assert "| dev H₂" not in section  # in the median nobody gets to chemical accuracy there
    assert "figures/anytime.png" in section
    assert "sphere" not in section
    assert "1.6 mHa" in (store.directory / "report.html").read_text()


def test_a_sweep_of_functions_has_none(tmp_path):
    grid = Grid(("function:sphere",), (500,), ("uh:10",), dims=(2,), noise=(1.0,))
    store = run_sweep(Experiment("f", "Functions", (), (grid,), runs=1), tmp_path / "sweep")
    write_report(store.directory)
    assert anytime_of(store) == []
    assert not (store.directory / "anytime.csv").exists()
