"""One sweep's directory.

While a sweep runs, everything is in one SQLite file; at the end it becomes tables (CSV) in one
canonical order, and the file goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from qiskit_arcmaes.bench.store.database import FILE, LOCK, Database, StoreError
from qiskit_arcmaes.bench.store.records import COLUMNS, FLOATS, TABLES, Record, rows_of
from qiskit_arcmaes.bench.tasks import Task
from qiskit_arcmaes.engine.checkpoint import sync_folder

FORMAT, VERSION, DESCRIPTION = "qiskit-arcmaes sweep", 2, "sweep.json"


class Store:
    """One sweep's directory. Use ``create``, ``open`` or ``resume``.

    Attributes:
        directory: Where.
        description: What ``sweep.json`` holds when the sweep is finished.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self.description: Mapping[str, Any] = {}
        self._database = Database(self.directory)

    @classmethod
    def create(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Begin a new store.

        Args:
            directory: Where; made if missing, and must be empty.
            description: JSON data about the sweep: at least ``experiment`` and ``settings``.

        Raises:
            StoreError: Something is there already.
        """
        store = cls(directory)
        store.directory.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in store.directory.iterdir()}
        if names - {LOCK, FILE, f"{FILE}-journal"} or store._database.begun:
            raise StoreError(f"{str(directory)!r} is not empty; give another directory.")
        full = {"format": FORMAT, "version": VERSION, **description, "columns": COLUMNS}
        store._database.begin(full)
        return cls.open(directory)

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> Store:
        """Open a store that is there, finished or not.

        Raises:
            StoreError: There is none, it is damaged, or another version wrote it.
        """
        store = cls(directory)
        try:
            if store._database.begun:
                store.description = store._database.description()
            else:
                store.description = json.loads((store.directory / DESCRIPTION).read_text())
            if store.description["format"] != FORMAT:
                raise KeyError(FORMAT)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{str(directory)!r} holds no sweep ({DESCRIPTION} is missing or damaged); give "
                "the directory that a sweep was written to."
            ) from error
        version = store.description["version"]
        if version != VERSION or (store.finished and not (store.directory / "runs.csv").exists()):
            raise StoreError(
                f"{str(directory)!r} was written by another version of this package (format "
                f"version {version}, this one has {VERSION}) or lacks runs.csv; go on with that "
                "version, or give another directory."
            )
        return store

    @classmethod
    def resume(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Open the sweep that is there if its settings and sources are the same, or begin one.

        Raises:
            StoreError: The directory holds something else, or a sweep with other settings.
        """
        there = cls(directory)
        if not there._database.begun and not (there.directory / DESCRIPTION).exists():
            return cls.create(directory, description)
        store = cls.open(directory)
        old, new = map(_identity, (store.description, json.loads(json.dumps(description))))
        for name in (*old, *new):
            if old.get(name) != new.get(name):
                raise StoreError(
                    f"{str(directory)!r} holds a sweep with {name} = {old.get(name)}, not "
                    f"{new.get(name)}; give the same settings to go on with it, or another "
                    "directory."
                )
        return store

    @property
    def finished(self) -> bool:
        """Whether the tables are written."""
        return not self._database.path.exists()

    def add(self, record: Record) -> None:
        """Keep the outcome of a task. Adding the same task again changes nothing else.

        Raises:
            ValueError: It has rows of an unknown table.
        """
        for name in record.tables:
            _check(name, [key for key, columns in TABLES.items() if columns is None])
        self._database.add(record)

    def done(self) -> set[Task]:
        """The tasks whose outcomes an unfinished sweep has.

        Raises:
            StoreError: The file is damaged; the message names it and what to do.
        """
        self._database.check()
        return {Task(**outcome["task"]) for outcome in self._database.outcomes()}

    def finish(self) -> None:
        """Turn the outcomes into tables, in canonical order."""
        for name, columns in TABLES.items():
            table = self.table(name)
            if columns or len(table):
                text = table.to_csv(index=False, lineterminator="\n")
                _write(self.directory / f"{name}.csv", text)
        _write(self.directory / DESCRIPTION, json.dumps(self.description, indent=2) + "\n")
        sync_folder(self.directory)  # the tables' names, too, before the outcomes go
        self._database.path.unlink()

    def table(self, name: str) -> pd.DataFrame:
        """A table, its columns described in ``COLUMNS``; of an unfinished sweep what there is.

        Args:
            name: ``runs`` (how each run ended), ``trajectories`` (its error over shots, thinned),
                ``timings`` (how long it took), or ``efficiency``; empty if there is none.

        Raises:
            ValueError: The name is unknown.
            StoreError: A file is damaged, or has other columns.
        """
        _check(name, TABLES)
        columns = TABLES[name]
        if not self.finished:
            rows = [
                row for each in self._database.outcomes() for row in rows_of(each).get(name, ())
            ]
            frame = pd.DataFrame(rows, columns=columns)
            return frame.astype({column: float for column in FLOATS if column in frame})
        path = self.directory / f"{name}.csv"
        if columns is None and not path.exists():
            return pd.DataFrame()
        frame = pd.read_csv(path, keep_default_na=False, na_values={key: [""] for key in FLOATS})
        if columns not in (None, list(frame)):
            raise StoreError(
                f"{str(path)!r} has other columns than this package writes: {list(frame)}."
            )
        return frame


def _check(name: str, known: Collection[str]) -> None:
    """Refuse the other names: one from elsewhere might lead out of the directory."""
    if name not in known:
        raise ValueError(f"table name {name!r} is unknown; take one of {', '.join(known)}.")


def _write(path: Path, text: str) -> None:
    """Write a file and wait until it is on the disk."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _identity(description: Mapping[str, Any]) -> dict[str, Any]:
    """What two sweeps have in common that are the same."""
    names = "experiment", "root_seed", "reused"
    return {**{name: description.get(name) for name in names}, **description["settings"]}
