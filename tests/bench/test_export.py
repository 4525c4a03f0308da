"""What is exported can be read again, by the rules of the formats and by the package for them."""

import csv
import re

import iohinspector
import numpy as np
import pytest

from qiskit_arcmaes.bench.export import DAT_HEAD, FORMATS, export
from qiskit_arcmaes.bench.store import Record, Scores, Store, StoreError
from qiskit_arcmaes.bench.tasks import Task

from .report.sweep import BUDGETS, RUNS, run_small_sweep


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    return run_small_sweep(tmp_path_factory.mktemp("export") / "sweep")


def read_info(path):
    """The blocks of an .info file: three lines each, head, comment, data file and runs."""
    lines = path.read_text().splitlines()
    assert len(lines) % 3 == 0
    for head, comment, record in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        assert comment == "%"
        values = dict(part.split(" = ") for part in head.split(", "))
        data, *runs = record.split(", ")
        yield {name: value.strip("'") for name, value in values.items()}, data, runs


def read_dat(path):
    """The runs of a .dat file, each a table of numbers below its own head."""
    runs = []
    for line in path.read_text().splitlines():
        if line == DAT_HEAD:
            runs.append([])
        else:
            runs[-1].append([float(figure) for figure in line.split(" ")])
    return [np.array(run) for run in runs]


def rows_of(store, **wanted):
    rows = store.table("runs").itertuples()
    return [r for r in rows if all(getattr(r, k) == v for k, v in wanted.items())]


def test_iohanalyzer_files_hold_every_run_and_every_point(sweep, tmp_path):
    target = export(sweep.directory, tmp_path / "ioh")
    budget = BUDGETS[1]
    folder, points = target / "frugal_B2e4", list(sweep.table("trajectories").itertuples())
    found = 0
    for path in folder.glob("*.info"):
        for head, data, runs in read_info(path):
            problem, noise = re.fullmatch(r"(\w+)_noise([\d.]+)", head["funcName"]).groups()
            wanted = {"problem": f"function:{problem}", "noise": float(noise), "method": "frugal"}
            rows = rows_of(sweep, **wanted, budget=budget, dim=int(head["DIM"]))
            tables = read_dat(folder / data)
            assert len(rows) == len(tables) == len(runs) == RUNS
            for row, table, run in zip(rows, tables, runs, strict=True):
                instance, shots, lowest = re.fullmatch(r"(\d+):(\d+)\|(.+)", run).groups()
                assert (int(instance), int(shots)) == (row.run + 1, row.shots)
                assert table[0, 0] == 1
                assert (np.diff(table[:, 0]) > 0).all()
                assert tuple(table[-1, :2]) == (row.shots, row.error)
                assert (table[:, 2] == np.minimum.accumulate(table[:, 1])).all()
                assert float(lowest) == table[-1, 2]
                steps = [s for s in points if (s.run, s.budget) == (row.run, budget)]
                steps = {
                    s.shots: s.error
                    for s in steps
                    if all(getattr(s, name) == value for name, value in wanted.items())
                }
                assert (
                    steps.items()
                    <= {**dict(table[:, :2].tolist()), row.shots: steps.get(row.shots)}.items()
                )
            found += len(rows)
    assert found == len(rows_of(sweep, method="frugal", budget=budget))


def test_no_file_is_left_there_that_iohanalyzer_would_take_for_another_format(sweep, tmp_path):
    target = export(sweep.directory, tmp_path / "ioh")
    endings = {path.suffix for path in target.rglob("*") if path.is_file()}
    assert endings == {".info", ".dat", ".md"}


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
    with pytest.raises(ValueError, match=r"'xml' is unknown; take one of iohanalyzer"):
        export(sweep.directory, tmp_path / "new", "xml")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(ValueError, match="not empty; give another"):
        export(sweep.directory, tmp_path / "full")
    with pytest.raises(StoreError, match="holds no sweep"):
        export(tmp_path, tmp_path / "new")
    assert list(FORMATS) == ["iohanalyzer", "iohinspector", "csv"]
    assert Store.open(sweep.directory).finished


@pytest.mark.parametrize("form", ["iohanalyzer", "iohinspector"])
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


@pytest.mark.parametrize("form", FORMATS)
def test_a_sweep_without_a_run_has_nothing_to_export(form, tmp_path):
    store = Store.create(tmp_path / "sweep", {"experiment": "new", "settings": {}})
    target = export(store.directory, tmp_path / "export", form)
    assert [path.name for path in target.rglob("*")] in ([], ["functions.md"])
