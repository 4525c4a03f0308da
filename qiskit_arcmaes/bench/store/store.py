"""One sweep's directory.

While a sweep runs every finished task is one small file, put in place by a rename: a kill at any
moment leaves complete files. At the end they become tables in one canonical order.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import operator
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from qiskit_arcmaes.bench.store import records
from qiskit_arcmaes.bench.store.errors import StoreError
from qiskit_arcmaes.bench.store.files import (
    as_csv,
    is_draft,
    read_rows,
    remove_directory,
    remove_drafts,
    write_atomically,
)
from qiskit_arcmaes.bench.store.lock import LOCK, exclusive
from qiskit_arcmaes.bench.store.records import Record, RunRow, TimingRow, TrajectoryRow
from qiskit_arcmaes.bench.tasks import Task

FORMAT = "qiskit-arcmaes sweep"
VERSION = 2

DESCRIPTION, RUNS, TRAJECTORIES, TIMINGS = (
    "sweep.json",
    "runs.csv",
    "trajectories.csv",
    "timings.csv",
)
_PARTS, _LEAVING = "parts", ".leaving"

Row = TypeVar("Row", bound=Task)
RowsOf = Callable[[Iterable[Record]], Iterator[Row]]


class Store:
    """One sweep's directory. Use ``create``, ``open`` or ``resume``.

    Attributes:
        directory: Where.
        description: What ``sweep.json`` holds.
    """

    def __init__(self, directory: Path, description: Mapping[str, Any]) -> None:
        self.directory = directory
        self.description = description

    @staticmethod
    @contextmanager
    def locked(directory: str | os.PathLike[str]) -> Iterator[None]:
        """Be the only writer of a store, and remove what killed writers left of their drafts.

        Args:
            directory: Where the store is, or will be; made if missing.

        Raises:
            StoreError: Another process writes there.
        """
        path = Path(directory)
        if path.exists() and not path.is_dir():
            raise StoreError(f"{str(path)!r} is not a directory; give another one.")
        path.mkdir(parents=True, exist_ok=True)
        with exclusive(path):
            remove_drafts(path)
            remove_drafts(path / _PARTS)
            shutil.rmtree(path / _LEAVING, ignore_errors=True)
            yield

    @classmethod
    def create(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Begin a new store.

        Args:
            directory: Where; made if missing, and must be empty.
            description: JSON data about the sweep: at least ``experiment`` and ``settings``.

        Raises:
            StoreError: Something is there already.
        """
        path = Path(directory)
        if not _is_unused(path):
            raise StoreError(f"{str(path)!r} is not empty; give another directory.")
        (path / _PARTS).mkdir(parents=True, exist_ok=True)
        full = {"format": FORMAT, "version": VERSION, **description, "columns": records.COLUMNS}
        write_atomically(path / DESCRIPTION, [json.dumps(full, indent=2), "\n"])
        return cls(path, full)

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> Store:
        """Open a store that is there, finished or not.

        Raises:
            StoreError: There is none, or it was written by another version.
        """
        path = Path(directory)
        try:
            description = json.loads((path / DESCRIPTION).read_text())
            if description["format"] != FORMAT:
                raise KeyError(FORMAT)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{str(path)!r} holds no sweep ({DESCRIPTION} is missing or damaged); give the "
                "directory that a sweep was written to."
            ) from error
        if description["version"] != VERSION:
            raise StoreError(
                f"{str(path)!r} has format version {description['version']}, this package reads "
                f"version {VERSION}."
            )
        return cls(path, description)

    @classmethod
    def resume(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Open the sweep that is there if its settings are the same, or begin one.

        Raises:
            StoreError: The directory holds something else, or a sweep with other settings.
        """
        path = Path(directory)
        if not (path / DESCRIPTION).exists():
            return cls.create(path, description)
        store = cls.open(path)
        for name in ("experiment", "settings", "root_seed"):
            there, wanted = store.description.get(name), description.get(name)
            if there != json.loads(json.dumps(wanted)):
                raise StoreError(
                    f"{str(path)!r} holds a sweep with {_difference(name, there, wanted)}; give "
                    "the same settings to go on with it, or another directory."
                )
        return store

    @property
    def finished(self) -> bool:
        """Whether the tables are written."""
        return not (self.directory / _PARTS).exists()

    def add(self, record: Record) -> None:
        """Keep the outcome of a task. Adding the same task again changes nothing else.

        Raises:
            ValueError: The name of a further table is refused.
        """
        write_atomically(self._part(record.task), [records.to_text(record)])

    def has(self, task: Task) -> bool:
        """Whether an unfinished sweep has this task's outcome already."""
        return self._part(task).exists()

    def check(self) -> None:
        """Read the outcomes of an unfinished sweep.

        Raises:
            StoreError: One is damaged; the message names its file and what to do.
        """
        self._order()

    def finish(self) -> None:
        """Turn the files of the tasks into tables, in canonical order."""
        order = self._order()
        tables: dict[str, tuple[type[Task], RowsOf[Any]]] = {
            RUNS: (RunRow, records.run_rows),
            TRAJECTORIES: (TrajectoryRow, records.trajectory_rows),
            TIMINGS: (TimingRow, records.timing_rows),
        }
        for name, (kind, rows_of) in tables.items():
            head = [column.name for column in fields(kind)]
            rows = map(operator.attrgetter(*head), rows_of(map(self._load, order)))
            write_atomically(self.directory / name, as_csv(itertools.chain([head], rows)))
        for name in sorted({name for path in order for name in self._load(path).tables}):
            found = [row for path in order for row in self._load(path).tables.get(name, ())]
            lines = [list(found[0]), *(list(row.values()) for row in found)]
            write_atomically(self._table(name), as_csv(lines))
        remove_directory(self.directory / _PARTS, self.directory / _LEAVING)

    def runs(self) -> list[RunRow]:
        """How every run ended; of an unfinished sweep, those that did."""
        return self._rows(RunRow, RUNS, records.run_rows)

    def trajectories(self) -> list[TrajectoryRow]:
        """Error over shots of every run, thinned."""
        return self._rows(TrajectoryRow, TRAJECTORIES, records.trajectory_rows)

    def timings(self) -> list[TimingRow]:
        """How long every task took."""
        return self._rows(TimingRow, TIMINGS, records.timing_rows)

    def table(self, name: str) -> list[dict[str, str]]:
        """A further table of a finished sweep, every entry as text; empty if there is none.

        Raises:
            ValueError: The name is refused, see ``records.check_table_name``.
        """
        path = self._table(name)
        if not path.exists():
            return []
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _rows(self, kind: type[Row], name: str, rows_of: RowsOf[Row]) -> list[Row]:
        if self.finished:
            return read_rows(kind, self.directory / name)
        return list(rows_of(map(self._load, self._order())))

    def _table(self, name: str) -> Path:
        records.check_table_name(name)
        return self.directory / f"{name}.csv"

    def _part(self, task: Task) -> Path:
        name = hashlib.sha256(task.key.encode()).hexdigest()[:32]
        return self.directory / _PARTS / f"{name}.json"

    def _order(self) -> list[Path]:
        """The files of the tasks in canonical order; their contents need not fit in memory."""
        paths = (self.directory / _PARTS).glob("*.json")
        ranks = {path: self._load(path).task.rank for path in paths}
        return sorted(ranks, key=ranks.__getitem__)

    def _load(self, path: Path) -> Record:
        try:
            record = records.from_text(path.read_text(encoding="utf-8"))
            if self._part(record.task).name != path.name:
                raise ValueError(f"it holds the task {record.task.key}")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StoreError(
                f"{str(path)!r} is damaged ({error!r}); delete it and give the command again: its "
                "task then runs again."
            ) from error
        return record


def _is_unused(path: Path) -> bool:
    """Whether nothing is there but what a process leaves that is killed before it has begun."""
    if not path.exists():
        return True
    if not path.is_dir():
        return False
    others = [each for each in path.iterdir() if each.name != LOCK and not is_draft(each)]
    return all(each.name == _PARTS and not any(each.iterdir()) for each in others)


def _difference(name: str, there: Any, wanted: Any) -> str:
    """Name the first setting that differs."""
    if isinstance(there, dict) and isinstance(wanted, Mapping):
        for key in (*there, *wanted):
            if there.get(key) != wanted.get(key):
                return f"{key} = {there.get(key)}, not {wanted.get(key)}"
    return f"{name} = {there}, not {wanted}"
