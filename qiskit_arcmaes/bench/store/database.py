"""The outcomes of an unfinished sweep: one SQLite file, every outcome a transaction of its own."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from qiskit_arcmaes.bench.store.records import Record
from qiskit_arcmaes.bench.tasks import Task

FILE, LOCK = "sweep.sqlite", "sweep.lock"
_PATIENCE = 60.0  # seconds to wait while another process reads or writes an outcome
_BEGINNING = 0.2  # seconds to wait while another process writes its name
_NAMES = ", ".join(Task.__slots__)


class StoreError(RuntimeError):
    """A directory cannot be used as a store; the message says why and what to do."""


@contextmanager
def exclusive(directory: str | os.PathLike[str]) -> Iterator[None]:
    """Be the only writer of a store; the lock ends with its process, however that ends.

    Args:
        directory: Where the store is, or will be; made if missing.

    Raises:
        StoreError: Another process, or another part of this one, writes there; the message names
            it.
    """
    path = Path(directory)
    if path.exists() and not path.is_dir():
        raise StoreError(f"{str(path)!r} is not a directory; give another one.")
    path.mkdir(parents=True, exist_ok=True)
    with closing(_connect(path / LOCK, _BEGINNING)) as lock:
        try:
            lock.execute("CREATE TABLE IF NOT EXISTS writer (id PRIMARY KEY, name)")
            name = f"process {os.getpid()} on {platform.node()}"
            lock.execute("INSERT OR REPLACE INTO writer VALUES (1, ?)", (name,))
            lock.execute("BEGIN IMMEDIATE")  # others may read, and not write
        except sqlite3.DatabaseError as error:
            raise StoreError(_refusal(lock, path)) from error
        yield


def _refusal(lock: sqlite3.Connection, path: Path) -> str:
    try:
        ((holder,),) = lock.execute("SELECT name FROM writer").fetchall()
    except sqlite3.DatabaseError as error:
        return f"{str(path / LOCK)!r} cannot be used: {error}; give another directory."
    return f"{holder} writes to {str(path)!r}; wait until it has ended, or give another directory."


class Database:
    """The file of an unfinished sweep.

    Args:
        directory: The sweep's.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE

    @property
    def begun(self) -> bool:
        """Whether there is a sweep in the file; a kill at its beginning may leave none."""
        query = "SELECT 1 FROM sqlite_master WHERE name = 'outcomes'"
        return self.path.exists() and bool(self._execute(query))

    def begin(self, description: Mapping[str, Any]) -> None:
        """Make the file."""
        text = json.dumps(description)
        with self._connected() as connection:
            connection.execute("BEGIN")
            connection.execute("CREATE TABLE description (text)")
            connection.execute(f"CREATE TABLE outcomes (key PRIMARY KEY, {_NAMES}, outcome)")
            connection.execute("INSERT INTO description VALUES (?)", (text,))
            connection.execute("COMMIT")

    def description(self) -> Any:
        """What was said about the sweep when it began."""
        return json.loads(self._execute("SELECT text FROM description")[0][0])

    def add(self, record: Record) -> None:
        """Keep an outcome; it replaces an earlier one of the same task."""
        values = record.task.key, *astuple(record.task), json.dumps(asdict(record))
        marks = ", ".join("?" * len(values))
        self._execute(f"INSERT OR REPLACE INTO outcomes VALUES ({marks})", *values)

    def check(self) -> None:
        """Raise a StoreError where the file is damaged."""
        if self._execute("PRAGMA integrity_check") != [("ok",)]:
            raise self._unusable("its pages do not fit together")

    def outcomes(self) -> Iterator[dict[str, Any]]:
        """The records as JSON data, in canonical order; all of them need not fit in memory."""
        query = f"SELECT key, outcome FROM outcomes ORDER BY {_NAMES}"
        with self._connected() as connection:
            for key, text in connection.execute(query):
                outcome = json.loads(text)
                if Task(**outcome["task"]).key != key:
                    raise ValueError(f"{key} has the outcome of another task")
                yield outcome

    def _execute(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that come from one statement."""
        with self._connected() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The file; what cannot be done with it, or what it should not contain, is an error."""
        with closing(_connect(self.path)) as connection:
            try:
                yield connection
            except (sqlite3.DatabaseError, ValueError, TypeError, KeyError) as error:
                raise self._unusable(error) from error

    def _unusable(self, error: object) -> StoreError:
        if isinstance(error, sqlite3.OperationalError):  # a full disk, no permission, ...
            return StoreError(f"{str(self.path)!r} cannot be used: {error}; nothing is lost there.")
        return StoreError(
            f"{str(self.path)!r} is damaged ({error!r}); delete it and give the command again: "
            "the sweep then begins anew."
        )


def _connect(path: Path, patience: float = _PATIENCE) -> sqlite3.Connection:
    """A connection in which each statement is a transaction, unless it says BEGIN."""
    return sqlite3.connect(path, timeout=patience, isolation_level=None)
