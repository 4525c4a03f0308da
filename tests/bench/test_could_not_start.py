"""A method whose budget does not pay its first step is marked as such, and never scored."""

import csv

import pytest

from qiskit_arcmaes.bench.compare import compare, comparison_table
from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.export import export
from qiskit_arcmaes.bench.goals import Goal, Measure
from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.report.goal_tables import goals_of
from qiskit_arcmaes.bench.report.groups import groups_of
from qiskit_arcmaes.bench.report.tables import not_started, ranking, scaled_error, slopes
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.store import Status
from qiskit_arcmaes.bench.tasks import Task

BUDGETS = (2000, 20_000)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """SPSA's calibration takes 51 evaluations: 51,000 shots of the sphere, 5,100 at @100."""
    grid = Grid(
        *(("function:sphere",), BUDGETS, ("frugal", "spsa@10", "spsa@100", "spsa@1000")),
        *((3,), (1.0,)),
    )
    experiment = Experiment("demo", "Too few shots", (), (grid,), runs=2)
    return run_sweep(experiment, tmp_path_factory.mktemp("start") / "sweep")


@pytest.mark.parametrize(
    ("method", "problem"),
    [("spsa@1000", "h2"), ("cobyla@1000", "h2"), ("uh", "h2"), ("cma", "function:sphere")],
)
def test_the_record_says_so_and_has_no_error(method, problem):
    noise = None if problem == "h2" else 1.0
    record = run_task(Task("demo", problem, 4, noise, 90, method, 0), 1)
    assert record.scores.status is Status.COULD_NOT_START
    assert (record.scores.error, record.scores.value, record.trajectory) == (None, None, ())
    assert "90" in record.scores.message


def test_the_store_keeps_it(sweep):
    runs = sweep.table("runs")
    rows = runs[runs.status == Status.COULD_NOT_START]
    assert set(zip(rows.method, rows.budget, strict=True)) == {
        ("spsa@100", 2000),
        ("spsa@1000", 2000),
        ("spsa@1000", 20_000),
    }
    assert rows.error.isna().all()
    with (sweep.directory / "runs.csv").open(newline="") as file:
        texts = [(row["status"], row["error"]) for row in csv.DictReader(file)]
    assert texts.count(("could not start", "")) == len(rows)


def test_it_enters_no_median_no_rank_and_no_slope(sweep):
    groups = groups_of(sweep)
    stuck = [group for group in groups if not group.started]
    assert {group.could_not_start for group in stuck} == {2}
    assert all(group.errors.size == 0 and scaled_error(group) is None for group in stuck)
    assert not_started(groups) == ["spsa@100", "spsa@1000"]
    assert list(ranking(groups).index) == ["frugal", "spsa@10"]
    assert list(ranking(groups).conditions) == [2, 2]
    assert {name for laws in slopes(groups).values() for name in laws} == {"frugal", "spsa@10"}


def test_pages_say_so(sweep):
    write_report(sweep.directory)
    text = (sweep.directory / "results.md").read_text()
    errors = text.partition("## Errors")[2]
    small = next(line for line in errors.splitlines() if line.startswith("| sphere"))
    assert small.split(" | ")[-2:] == ["could not start", "could not start |"]
    assert "| spsa@1000 | could not start | — | — | — |" in text
    assert "could not start" in (sweep.directory / "report.html").read_text()


def test_goals_mark_it_and_do_not_score_it(tmp_path):
    """Of two cells the method of the goal starts in one; of the others one never starts."""
    grid = Grid(("function:sphere",), BUDGETS, ("frugal", "spsa@100", "spsa@1000"), (3,), (1.0,))
    goals = (
        Goal("spsa first", Measure.RATIO, 1.0, grid.problems, BUDGETS, own="spsa@100"),
        Goal("frugal first", Measure.RATIO, 1.0, grid.problems, BUDGETS[:1]),
        Goal("nobody", Measure.ERROR, 1.0, grid.problems, BUDGETS, own="spsa@1000"),
    )
    experiment = Experiment("demo", "Goals", ("errors",), (grid,), runs=2, goals=goals)
    store = run_sweep(experiment, tmp_path / "sweep")
    judged = {goal.words: verdicts for goal, verdicts in goals_of(store)}
    assert [verdict.cell.budget for verdict in judged["spsa first"]] == [20_000]
    assert judged["frugal first"] == []  # no other method started there
    assert judged["nobody"] == []
    write_report(store.directory)
    text = (store.directory / "results.md").read_text()
    assert "| spsa first | 1 (1 could not start) |" in text
    assert "| nobody | 0 (2 could not start) | 0 | 0 | 0 |" in text
    section = text.partition("### nobody")[2].partition("\n## ")[0]
    assert section.count("| could not start | — | — | 1.0 | no score |") == 2


def test_a_comparison_leaves_it_out_of_its_ratios(sweep):
    compared = compare(sweep, sweep)
    stuck = compared[compared.A.isna()]
    assert len(stuck) == 3
    assert stuck[["B", "B/A", "p"]].isna().all(axis=None)
    text = comparison_table(compared)
    assert "could not start" in text
    assert "geometric mean of B/A: 1 over 5 groups" in text
    assert "could not start, and which do not count: 3" in text


def test_exports_leave_the_error_empty(sweep, tmp_path):
    with (export(sweep.directory, tmp_path / "csv", "csv") / "summary.csv").open(
        newline=""
    ) as file:
        rows = {(row["method"], row["budget"]): row for row in csv.DictReader(file)}
    assert rows["spsa@1000", "2000"]["median"] == ""
    assert rows["spsa@1000", "2000"]["could_not_start"] == "2"
    assert rows["frugal", "2000"]["could_not_start"] == "0"
    target = export(sweep.directory, tmp_path / "ioh", "iohinspector")
    assert not (target / "spsa_1000_B2e3").exists()
    assert (target / "spsa_10_B2e3").exists()
