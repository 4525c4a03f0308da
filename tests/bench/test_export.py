"""What is exported can be read again, by the rules of the formats and by the package for them."""

import csv
import re

import iohinspector
import numpy as np
import pandas as pd
import pytest

from qiskit_arcmaes.bench.export import FORMATS, export
from qiskit_arcmaes.bench.store import Record, Scores, Store, StoreError
from qiskit_arcmaes.bench.tasks import Task

from .report.sweep import BUDGETS, RUNS, run_small_sweep


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    return run_small_sweep(tmp_path_factory.mktemp("export") / "sweep")


def rows_of(store, name="runs", **wanted):
    rows = store.table(name).itertuples()
    return [r for r in rows if all(getattr(r, k) == v for k, v in wanted.items())]


def test_the_points_for_iohanalyzer_hold_every_run_and_every_step(sweep, tmp_path):
    target = export(sweep.directory, tmp_path / "csv")
    points = pd.read_csv(target / "points.csv")
    assert not points.isna().any(axis=None)
    budget = BUDGETS[1]
    found = 0
    own = points[points.algorithm == "frugal_B2e4"]
    for (name, dim, run), path in own.groupby(["name", "dim", "run"]):
        problem, noise = re.fullmatch(r"(\w+)_noise([\d.]+)", name).groups()
        wanted = {"problem": f"function:{problem}", "noise": float(noise), "method": "frugal"}
        (row,) = rows_of(sweep, **wanted, budget=budget, dim=dim, run=run)
        assert path.shots.iloc[0] == 1
        assert (np.diff(path.shots) > 0).all()
        assert (path.shots.iloc[-1], path.error.iloc[-1]) == (row.shots, row.error)
        steps = rows_of(sweep, "trajectories", **wanted, budget=budget, dim=dim, run=run)
        noted = {step.shots: step.error for step in steps} | {row.shots: row.error}
        assert noted.items() <= dict(zip(path.shots, path.error, strict=True)).items()
        found += 1
    assert found == len(rows_of(sweep, method="frugal", budget=budget))


def test_iohinspector_reads_what_is_written_for_it(sweep, tmp_path):
    target = export(sweep.directory, tmp_path / "ioh", "iohinspector")
    manager = iohinspector.DataManager()
    manager.add_folder(str(target))
    rows = list(sweep.table("runs").itertuples())
    overview = manager.overview
    assert len(overview) == len(rows)
    assert sorted(overview["evals"]) == sorted(max(row.shots, 1) for row in rows)
    table = manager.load(monotonic=False)
    last = table.group_by("data_id", maintain_order=True).last()
    assert sorted(last["raw_y"]) == sorted(row.error for row in rows)
    assert table["data_id"].n_unique() == len(rows)


@pytest.mark.parametrize("form", FORMATS)
def test_a_sweep_without_a_run_has_nothing_to_export(form, tmp_path):
    store = Store.create(tmp_path / "sweep", {"experiment": "new", "settings": {}})
    target = export(store.directory, tmp_path / "export", form)
    assert [path.name for path in target.rglob("*")] in ([], ["functions.md"])


def test_csv_has_every_run_with_its_seconds_and_a_row_for_each_cell(sweep, tmp_path):
    target = export(sweep.directory, tmp_path / "csv", "csv")
    with (target / "runs.csv").open(newline="") as file:
        runs = list(csv.DictReader(file))
    assert [float(row["error"]) for row in runs] == list(sweep.table("runs").error)
    assert all(float(row["seconds"]) > 0 for row in runs)
    with (target / "summary.csv").open(newline="") as file:
        summary = list(csv.DictReader(file))
    assert len(summary) * RUNS == len(runs)
    first = summary[0]
    there = {name: first[name] for name in ("problem", "dim", "noise", "budget", "method")}
    errors = [float(r["error"]) for r in runs if all(r[k] == v for k, v in there.items())]
    assert float(first["median"]) == np.median(errors)


def test_bad_arguments_are_answered_with_the_way_out(sweep, tmp_path):
    with pytest.raises(ValueError, match=r"'xml' is unknown; take one of csv, iohinspector"):
        export(sweep.directory, tmp_path / "new", "xml")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(ValueError, match="not empty; give another"):
        export(sweep.directory, tmp_path / "full")
    with pytest.raises(StoreError, match="holds no sweep"):
        export(tmp_path, tmp_path / "new")
    assert list(FORMATS) == ["csv", "iohinspector"]
    assert Store.open(sweep.directory).finished


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("method", ["..", ".hidden", "../../x", "/tmp/x"])
def test_whatever_a_method_is_called_its_folder_lies_in_the_target(form, method, tmp_path):
    """A store that somebody else has sent may hold any name."""
    store = Store.create(tmp_path / "sweep", {"experiment": "sent", "settings": {}})
    task = Task("sent", "function:sphere", 2, 1.0, 1000, method, 0)
    store.add(Record(task, Scores(1, 0.5, None, None, 9, 1, "budget spent"), [(9, 0.5)]))
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    target = export(store.directory, tmp_path / "deep" / "export", form)
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert len(written) == 3
    assert all(target in path.parents for path in written)
    assert not [path for path in target.iterdir() if path.name.startswith(".")]
