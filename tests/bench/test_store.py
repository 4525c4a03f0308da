import json
import math
import os
import resource
import signal
import subprocess
import sys

import pandas
import pytest

from qiskit_arcmaes.bench.store import COLUMNS, Record, Scores, Store, StoreError, exclusive
from qiskit_arcmaes.bench.store.records import TABLES
from qiskit_arcmaes.bench.tasks import Task

from ..durability import written

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
    first = store.table("runs").iloc[0]
    assert first.error == 0.1 + 0.2
    assert math.isnan(first.value)
    assert first.message == SCORES.message
    paths = store.table("trajectories")
    assert list(zip(paths.shots[:2], paths.error[:2], strict=True)) == [(1, math.pi), (50, 1e-300)]
    assert list(store.table("timings").seconds) == [0.0, 1.0, 2.0]


def test_an_unfinished_sweep_reads_as_a_finished_one(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    for run, noise in ((1, None), (0, 1.0)):
        store.add(record(run, noise))
    before = {name: store.table(name) for name in TABLES}
    store.finish()
    for name, frame in before.items():
        pandas.testing.assert_frame_equal(Store.open(tmp_path / "s").table(name), frame)


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
    assert len(store.table("runs")) == 1
    store.finish()
    assert len(store.table("runs")) == 1


def test_an_unfinished_sweep_can_be_read(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    assert store.table("runs").empty
    store.add(record(1))
    again = Store.open(tmp_path / "s")
    assert not again.finished
    assert list(again.table("runs").run) == [1]
    assert len(again.table("trajectories")) == 2
    assert again.done() == {record(1).task}


def test_what_is_left_in_the_end_are_plain_tables(tmp_path):
    filled(tmp_path / "s")
    names = sorted(path.name for path in (tmp_path / "s").iterdir())
    assert names == ["runs.csv", "sweep.json", "timings.csv", "trajectories.csv"]


def test_a_kill_while_the_tables_are_written_loses_nothing(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    store.add(record(0))
    for name in ("runs.csv", "sweep.json"):
        (tmp_path / "s" / name).write_text("experiment,prob")  # as if cut off
    again = Store.resume(tmp_path / "s", DESCRIPTION)
    assert not again.finished
    again.finish()
    assert list(Store.open(tmp_path / "s").table("runs").run) == [0]


def test_tables_are_on_the_disk_before_the_outcomes_go(tmp_path, monkeypatch):
    """Their content and their names: a power cut at any moment leaves one or the other."""
    store, seen = unfinished(tmp_path / "s"), written(monkeypatch)
    store.finish()
    names = ["runs.csv", "trajectories.csv", "timings.csv", "sweep.json"]
    assert seen == [*(("sync", name) for name in names), ("sync", "s"), ("unlink", "sweep.sqlite")]


def test_a_kill_in_the_middle_of_a_transaction_leaves_whole_outcomes(tmp_path):
    """A real kill of a process that has written, but not finished, an outcome."""
    unfinished(tmp_path / "s")
    code = (
        "import os, signal, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('PRAGMA cache_spill = 1')\n"
        "database.execute('PRAGMA cache_size = 1')\n"
        "database.execute('BEGIN')\n"
        "database.execute(\"UPDATE outcomes SET outcome = 'half' || zeroblob(100000)\")\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s" / "sweep.sqlite")])
    assert killed.returncode == -signal.SIGKILL
    again = Store.resume(tmp_path / "s", DESCRIPTION)
    assert len(again.done()) == 2
    again.finish()
    store = unfinished(tmp_path / "whole")
    store.finish()
    for name in ("runs.csv", "trajectories.csv"):
        assert (tmp_path / "s" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_further_tables(tmp_path):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    store.add(Record(record(0).task, None, tables={"efficiency": [{"shots": 1, "gain": 0.5}]}))
    store.finish()
    assert store.table("efficiency").to_dict("records") == [{"shots": 1, "gain": 0.5}]
    assert store.table("runs").empty


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
        Store.open(tmp_path / "s").table("runs")


def test_what_an_older_version_left_unfinished_is_refused(tmp_path):
    filled(tmp_path / "s")
    (tmp_path / "s" / "runs.csv").unlink()
    with pytest.raises(StoreError, match=r"lacks runs\.csv; go on with that version"):
        Store.resume(tmp_path / "s", DESCRIPTION)


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


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"no database" + data[11:],
        lambda data: data.replace(b'"error"', b'"eror" ').replace(b'"task"', b'"tusk"'),
        lambda data: data.replace(b'"run": 0', b'"run": 7'),
    ],
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, damage):
    unfinished(tmp_path / "s")
    path = tmp_path / "s" / "sweep.sqlite"
    changed = damage(path.read_bytes())
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    with pytest.raises(StoreError, match=rf"{path.name}.* is damaged.* delete it") as caught:
        Store.resume(tmp_path / "s", DESCRIPTION).done()
    assert str(path) in str(caught.value)
    path.unlink()
    assert Store.resume(tmp_path / "s", DESCRIPTION).done() == set()


def test_a_full_disk_is_not_called_damage_and_loses_nothing(tmp_path):
    """Files of this process may not grow for a moment, which looks like a full disk."""
    store = unfinished(tmp_path / "s")
    large = Record(record(2).task, Scores(5, 0.1, None, None, 98, 7, "x" * 10**6))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * 10**5, before[1]))
    try:
        with pytest.raises(StoreError, match=r"sweep\.sqlite.* cannot be used: .*nothing is lost"):
            store.add(large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(store.done()) == 2
    store.add(large)
    assert len(store.done()) == 3


@pytest.mark.parametrize("name", ["../../x", "a/b", "", ".hidden", "runs", "sweep", "A b"])
def test_a_table_keeps_to_its_store(tmp_path, name):
    store = Store.create(tmp_path / "s", DESCRIPTION)
    bad = Record(record(0).task, None, tables={name: [{"shots": 1}]})
    with pytest.raises(ValueError, match="is unknown; take one of efficiency"):
        store.add(bad)
    if name != "runs":
        with pytest.raises(ValueError, match="is unknown; take one of runs, trajectories, "):
            store.table(name)
    assert store.done() == set()


def test_one_store_has_one_writer_and_the_second_is_told_who_writes(tmp_path):
    second = exclusive(tmp_path / "s")
    said = rf"process {os.getpid()} on .* writes to"
    with exclusive(tmp_path / "s"), pytest.raises(StoreError, match=said):
        second.__enter__()
    with exclusive(tmp_path / "s"):
        assert Store.resume(tmp_path / "s", DESCRIPTION).table("runs").empty


def test_a_lock_that_is_no_lock_is_named(tmp_path):
    (tmp_path / "sweep.lock").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"sweep\.lock.* cannot be used"):
        exclusive(tmp_path).__enter__()


def test_the_lock_of_a_killed_process_is_no_lock(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from qiskit_arcmaes.bench.store import exclusive\n"
        "with exclusive(sys.argv[1]):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")])
    assert killed.returncode == -signal.SIGKILL
    with exclusive(tmp_path / "s"):
        assert Store.resume(tmp_path / "s", DESCRIPTION).table("runs").empty


def test_a_kill_at_the_beginning_leaves_a_directory_that_can_be_used(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "sweep.sqlite").touch()
    assert Store.resume(tmp_path / "s", DESCRIPTION).table("runs").empty
