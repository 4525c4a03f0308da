import json
import math
import os
import signal
import subprocess
import sys

import pandas
import pytest

from qiskit_arcmaes.bench.store import COLUMNS, Record, Scores, Store, StoreError
from qiskit_arcmaes.bench.tasks import Task

DESCRIPTION = {"experiment": "demo", "settings": {"runs": 2}, "root_seed": 1}
SCORES = Scores(5, 0.1 + 0.2, None, None, 98, 7, 'spent, "all"\nof it')


def record(run, noise=1.0, **rest):
    task = Task("demo", "function:sphere", 2, noise, 100, "frugal", run)
    return Record(task, SCORES, [(1, math.pi), (50, 1e-300)], **rest)


def filled(directory, order=(0, 1, 2)):
    store = Store.create(directory, DESCRIPTION)
    for run in order:
        store.add(record(run, seconds=float(run)))
    store.finish()
    return store


def test_rows_come_back_exactly(tmp_path):
    filled(tmp_path / "s")
    store = Store.open(tmp_path / "s")
    first = store.runs()[0]
    assert first.error == 0.1 + 0.2
    assert first.value is None
    assert first.message == SCORES.message
    assert [(row.shots, row.error) for row in store.trajectories()[:2]] == [
        (1, math.pi),
        (50, 1e-300),
    ]
    assert [row.seconds for row in store.timings()] == [0.0, 1.0, 2.0]


def test_the_order_of_arrival_leaves_no_trace(tmp_path):
    filled(tmp_path / "a")
    filled(tmp_path / "b", order=(2, 0, 1))
    for name in ("runs.csv", "trajectories.csv", "timings.csv", "sweep.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_pandas_reads_it_in_one_line_and_every_column_is_described(tmp_path):
    filled(tmp_path / "s")
    frame = pandas.read_csv(tmp_path / "s" / "runs.csv")
    assert list(frame.error) == [0.1 + 0.2] * 3
    described = json.loads((tmp_path / "s" / "sweep.json").read_text())["columns"]
    for table in ("runs", "trajectories", "timings"):
        assert set(pandas.read_csv(tmp_path / "s" / f"{table}.csv").columns) <= set(described)
    assert described == COLUMNS


def test_adding_a_task_twice_keeps_one(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    store.add(record(0))
    store.add(record(0))
    assert len(store.runs()) == 1
    store.finish()
    assert len(store.runs()) == 1


def test_an_unfinished_sweep_can_be_read(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    assert store.runs() == []
    store.add(record(1))
    again = Store.open(tmp_path / "s")
    assert not again.finished
    assert [row.run for row in again.runs()] == [1]
    assert len(again.trajectories()) == 2
    assert again.has(record(1).task)
    assert not again.has(record(0).task)


def test_a_half_written_file_is_not_seen(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    (tmp_path / "s" / "parts" / ".abc.tmp").write_text('{"task": ')  # what a kill leaves
    store.add(record(0))
    store.finish()
    assert [row.run for row in store.runs()] == [0]
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == [
        "runs.csv",
        "sweep.json",
        "timings.csv",
        "trajectories.csv",
    ]


def test_a_kill_while_the_tables_are_written_loses_nothing(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    store.add(record(0))
    (tmp_path / "s" / "runs.csv").write_text("experiment,prob")  # as if cut off
    again = Store.resume(tmp_path / "s", DESCRIPTION)
    assert not again.finished
    again.finish()
    assert [row.run for row in again.runs()] == [0]


def test_further_tables(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    store.add(Record(record(0).task, None, tables={"curve": [{"shots": 1, "gain": 0.5}]}))
    store.finish()
    assert store.table("curve") == [{"shots": "1", "gain": "0.5"}]
    assert store.table("other") == []
    assert store.runs() == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settings": {"runs": 3}}, "runs = 2, not 3"),
        ({"experiment": "other"}, "experiment = demo, not other"),
        ({"root_seed": 2}, "root_seed = 1, not 2"),
    ],
)
def test_other_settings_are_refused_in_one_sentence(tmp_path, change, said):
    filled(tmp_path / "s")
    before = (tmp_path / "s" / "runs.csv").read_bytes()
    with pytest.raises(StoreError, match=said):
        Store.resume(tmp_path / "s", DESCRIPTION | change)
    assert (tmp_path / "s" / "runs.csv").read_bytes() == before


def test_a_directory_with_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="not empty"):
        Store.resume(tmp_path, DESCRIPTION)
    with pytest.raises(StoreError, match="holds no sweep"):
        Store.open(tmp_path)


def test_another_version_is_refused(tmp_path):
    filled(tmp_path / "s")
    path = tmp_path / "s" / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(StoreError, match="version 99"):
        Store.open(tmp_path / "s")


def test_a_table_with_other_columns_is_refused(tmp_path):
    filled(tmp_path / "s")
    (tmp_path / "s" / "runs.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StoreError, match="other columns"):
        Store.open(tmp_path / "s").runs()


def test_files_have_the_usual_permissions(tmp_path):
    """Others in a group can read a sweep, as any file that one writes."""
    (tmp_path / "usual").write_text("")
    filled(tmp_path / "s")
    usual = (tmp_path / "usual").stat().st_mode
    assert {path.stat().st_mode for path in (tmp_path / "s").iterdir()} == {usual}


def unfinished(directory):
    store = Store.create(directory, DESCRIPTION)
    store.add(record(0))
    store.add(record(1))
    return store


def parts(directory):
    return sorted((directory / "parts").glob("*.json"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace('"run": 0', '"run": 7').replace('"run": 1', '"run": 7'),
        lambda text: text.replace('"error"', '"eror"'),
        lambda text: text.replace('"tables": {}', '"tables": {"../../x": []}'),
    ],
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, damage):
    store = unfinished(tmp_path / "s")
    path = parts(tmp_path / "s")[0]
    changed = damage(path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    for look in (store.check, store.runs, store.finish):
        with pytest.raises(StoreError, match=rf"{path.name}.* is damaged.* delete it") as caught:
            look()
        assert str(path) in str(caught.value)
    path.unlink()
    store.check()


@pytest.mark.parametrize("name", ["../../x", "a/b", "", ".hidden", "runs", "sweep", "A b"])
def test_a_table_keeps_to_its_store(tmp_path, name):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    bad = Record(record(0).task, None, tables={name: [{"shots": 1}]})
    with pytest.raises(ValueError, match="letters, digits"):
        store.add(bad)
    with pytest.raises(ValueError, match="letters, digits"):
        store.table(name)
    assert parts(tmp_path / "s") == []


def test_one_store_has_one_writer_and_the_second_is_told_who_writes(tmp_path):
    second = Store.locked(tmp_path / "s")
    said = rf"process {os.getpid()} on .* writes to"
    with Store.locked(tmp_path / "s"), pytest.raises(StoreError, match=said):
        second.__enter__()
    with Store.locked(tmp_path / "s"):
        pass
    assert list((tmp_path / "s").iterdir()) == []


def test_the_lock_of_a_killed_process_is_no_lock(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from qiskit_arcmaes.bench.store import Store\n"
        "with Store.locked(sys.argv[1]):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")])
    assert killed.returncode == -signal.SIGKILL
    with Store.locked(tmp_path / "s"):
        assert Store.resume(tmp_path / "s", DESCRIPTION).runs() == []


def test_what_kills_left_is_removed_at_the_next_start(tmp_path):
    unfinished(tmp_path / "s")
    left = [tmp_path / "s" / ".runs.csv.123.tmp", tmp_path / "s" / "parts" / ".ab.json.9.tmp"]
    for path in left:
        path.write_text("half")
    leaving = tmp_path / "s" / ".leaving"
    leaving.mkdir()
    (leaving / "old.json").write_text("{}")
    with Store.locked(tmp_path / "s"):
        again = Store.resume(tmp_path / "s", DESCRIPTION)
    assert not leaving.exists()
    assert not any(path.exists() for path in left)
    assert len(again.runs()) == 2


def test_a_kill_before_the_description_leaves_a_directory_that_can_be_used(tmp_path):
    (tmp_path / "s" / "parts").mkdir(parents=True)
    (tmp_path / "s" / ".sweep.json.77.tmp").write_text("{")
    assert Store.resume(tmp_path / "s", DESCRIPTION).runs() == []
