"""The results of a sweep: one directory of plain tables that describe themselves.

While a sweep runs every finished task is one small file, put in place by a rename: a kill at any
moment leaves whole files. At the end they become tables in one canonical order.

>>> import tempfile
>>> from qiskit_arcmaes.bench.tasks import Task
>>> task = Task("demo", "function:sphere", 2, 1.0, 100, "frugal", 0)
>>> with tempfile.TemporaryDirectory() as place:
...     store = Store.create(place, {"experiment": "demo", "settings": {"runs": 1}})
...     store.add(Record(task, Scores(5, 0.25, 0.3, 0.1, 98, 7, "budget spent"), [(50, 0.5)]))
...     store.finish()
...     [(row.method, row.error) for row in Store.open(place).runs()]
[('frugal', 0.25)]
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from qiskit_arcmaes.bench.tasks import TASK_FIELDS, Task

FORMAT = "qiskit-arcmaes sweep"
VERSION = 1

DESCRIPTION, RUNS, TRAJECTORIES, TIMINGS = (
    "sweep.json",
    "runs.csv",
    "trajectories.csv",
    "timings.csv",
)
_PARTS = "parts"

COLUMNS = {
    "experiment": "name of the experiment",
    "problem": "function:NAME for a test function, else the name of a quantum problem",
    "dim": "number of parameters",
    "noise": "variance of one shot (tau squared); empty for a quantum problem",
    "budget": "shots the run might spend",
    "method": "method; name@M takes M shots per evaluation",
    "run": "number of the repetition, from 0; the same start and noise seed for all methods",
    "seed": "seed of the method's own random choices",
    "error": "exact loss at the returned point minus the lowest possible one",
    "value": "loss at the returned point as the method estimates it; empty where it does not",
    "value_std": "standard error of that estimate; empty where unknown",
    "shots": "shots spent (in trajectories: spent when the point was the current recommendation)",
    "jobs": "batches evaluated",
    "message": "why the run ended",
    "seconds": "wall-clock seconds of the run; of runs that went together, an equal share of the "
    "time of all; depends on the machine",
    "cpu_seconds": "processor seconds of the run, or its share; depends on the machine",
    "kind": "in efficiency.csv: bound, mean of all simulations, or one simulation",
    "simulation": "in efficiency.csv: number of the simulation, -1 for the bound and the mean",
    "efficiency": "in efficiency.csv: gain in one generation divided by M, M in column shots",
    "best": "in efficiency.csv: whether it is the curve's maximum",
}
"""What the columns of the tables mean."""


Row = TypeVar("Row", bound=Task)


class StoreError(RuntimeError):
    """A directory cannot be used as a store; the message says why and what to do."""


@dataclass(frozen=True)
class Scores:
    """How one run ended; the columns of ``runs.csv`` after those that name the task."""

    seed: int
    error: float
    value: float | None
    value_std: float | None
    shots: int
    jobs: int
    message: str


@dataclass(frozen=True)
class Record:
    """Everything that is kept of one task.

    Attributes:
        task: Which.
        scores: How it ended; None for a measurement that is not a run.
        trajectory: Pairs (shots, error), thinned.
        tables: Rows of further tables, by table name; every row a dict of column to value, the
            same columns in all rows of a table.
        seconds: Wall-clock time.
        cpu_seconds: Processor time.
    """

    task: Task
    scores: Scores | None
    trajectory: Sequence[tuple[int, float]] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunRow(Task):
    """A row of ``runs.csv``; the columns are described in ``COLUMNS``."""

    seed: int
    error: float
    value: float | None
    value_std: float | None
    shots: int
    jobs: int
    message: str


@dataclass(frozen=True, slots=True)
class TrajectoryRow(Task):
    """A row of ``trajectories.csv``."""

    shots: int
    error: float


@dataclass(frozen=True, slots=True)
class TimingRow(Task):
    """A row of ``timings.csv``."""

    seconds: float
    cpu_seconds: float


class Store:
    """One sweep's directory. Use ``create``, ``open`` or ``resume``.

    Attributes:
        directory: Where.
        description: What ``sweep.json`` holds.
    """

    def __init__(self, directory: Path, description: Mapping[str, Any]) -> None:
        self.directory = directory
        self.description = description

    @classmethod
    def create(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Begin a new store.

        Args:
            directory: Where; made if missing, and must be empty.
            description: JSON data about the sweep: at least ``experiment`` and ``settings``.

        Raises:
            StoreError: Something is there already.
        """
        place = Path(directory)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise StoreError(f"{str(place)!r} is not empty; give another directory.")
        (place / _PARTS).mkdir(parents=True)
        full = {"format": FORMAT, "version": VERSION, **description, "columns": COLUMNS}
        _write(place / DESCRIPTION, [json.dumps(full, indent=2), "\n"])
        return cls(place, full)

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> Store:
        """Open a store that is there, finished or not.

        Raises:
            StoreError: There is none, or it was written by another version.
        """
        place = Path(directory)
        try:
            description = json.loads((place / DESCRIPTION).read_text())
            if description["format"] != FORMAT:
                raise KeyError(FORMAT)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{str(place)!r} holds no sweep ({DESCRIPTION} is missing or damaged); give the "
                "directory that a sweep was written to."
            ) from error
        if description["version"] != VERSION:
            raise StoreError(
                f"{str(place)!r} has format version {description['version']}, this package reads "
                f"version {VERSION}."
            )
        return cls(place, description)

    @classmethod
    def resume(cls, directory: str | os.PathLike[str], description: Mapping[str, Any]) -> Store:
        """Open the sweep that is there if its settings are the same, or begin one.

        Raises:
            StoreError: The directory holds something else, or a sweep with other settings.
        """
        place = Path(directory)
        if not (place / DESCRIPTION).exists():
            return cls.create(place, description)
        store = cls.open(place)
        for name in ("experiment", "settings", "root_seed"):
            there, wanted = store.description.get(name), description.get(name)
            if there != json.loads(json.dumps(wanted)):
                raise StoreError(
                    f"{str(place)!r} holds a sweep with {_difference(name, there, wanted)}; give "
                    "the same settings to go on with it, or another directory."
                )
        return store

    @property
    def finished(self) -> bool:
        """Whether the tables are written."""
        return not (self.directory / _PARTS).exists()

    def add(self, record: Record) -> None:
        """Keep the outcome of a task. Adding the same task again changes nothing else."""
        _write(self._part(record.task), [json.dumps(asdict(record))])

    def has(self, task: Task) -> bool:
        """Whether an unfinished sweep has this task's outcome already."""
        return self._part(task).exists()

    def finish(self) -> None:
        """Turn the files of the tasks into tables, in canonical order."""
        order = self._order()
        tables: dict[str, tuple[type[Task], Callable[[Iterable[Record]], Iterator[Task]]]] = {
            RUNS: (RunRow, _run_rows),
            TRAJECTORIES: (TrajectoryRow, _trajectory_rows),
            TIMINGS: (TimingRow, _timing_rows),
        }
        for name, (kind, rows_of) in tables.items():
            head = [column.name for column in fields(kind)]
            rows = map(operator.attrgetter(*head), rows_of(map(_load, order)))
            _write(self.directory / name, _as_csv(itertools.chain([head], rows)))
        for name in sorted({name for record in map(_load, order) for name in record.tables}):
            found = [row for record in map(_load, order) for row in record.tables.get(name, ())]
            lines = [list(found[0]), *(list(row.values()) for row in found)]
            _write(self.directory / f"{name}.csv", _as_csv(lines))
        self._clear()

    def runs(self) -> list[RunRow]:
        """How every run ended; of an unfinished sweep, those that did."""
        if not self.finished:
            return list(_run_rows(self._records()))
        return _read_rows(RunRow, self.directory / RUNS)

    def trajectories(self) -> list[TrajectoryRow]:
        """Error over shots of every run, thinned."""
        if not self.finished:
            return list(_trajectory_rows(self._records()))
        return _read_rows(TrajectoryRow, self.directory / TRAJECTORIES)

    def timings(self) -> list[TimingRow]:
        """How long every task took."""
        if not self.finished:
            return list(_timing_rows(self._records()))
        return _read_rows(TimingRow, self.directory / TIMINGS)

    def table(self, name: str) -> list[dict[str, str]]:
        """A further table of a finished sweep, every group as text; empty if there is none."""
        path = self.directory / f"{name}.csv"
        if not path.exists():
            return []
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _part(self, task: Task) -> Path:
        name = hashlib.sha256(task.key.encode()).hexdigest()[:32]
        return self.directory / _PARTS / f"{name}.json"

    def _records(self) -> Iterator[Record]:
        return map(_load, self._order())

    def _order(self) -> list[Path]:
        """The files of the tasks in canonical order; their contents need not fit in memory."""
        ranks = {path: _load(path).task.rank for path in (self.directory / _PARTS).glob("*.json")}
        return sorted(ranks, key=ranks.__getitem__)

    def _clear(self) -> None:
        """Remove the files of the tasks: first the folder's name, so that no half is left."""
        parts = self.directory / _PARTS
        leaving = parts.rename(self.directory / ".leaving")
        for path in leaving.iterdir():
            path.unlink()
        leaving.rmdir()


def _load(path: Path) -> Record:
    data = json.loads(path.read_text())
    scores = None if data["scores"] is None else Scores(**data["scores"])
    return Record(**{**data, "task": Task(**data["task"]), "scores": scores})


def _run_rows(records: Iterable[Record]) -> Iterator[RunRow]:
    for record in records:
        if record.scores is not None:
            yield RunRow(*_names(record), *astuple(record.scores))


def _trajectory_rows(records: Iterable[Record]) -> Iterator[TrajectoryRow]:
    for record in records:
        names = _names(record)
        for shots, error in record.trajectory:
            yield TrajectoryRow(*names, shots=shots, error=error)


def _timing_rows(records: Iterable[Record]) -> Iterator[TimingRow]:
    for record in records:
        yield TimingRow(*_names(record), seconds=record.seconds, cpu_seconds=record.cpu_seconds)


def _names(record: Record) -> tuple[str, str, int, float | None, int, str, int]:
    """The groups that name a record's task."""
    task = record.task
    return (
        task.experiment,
        task.problem,
        task.dim,
        task.noise,
        task.budget,
        task.method,
        task.run,
    )


def _difference(name: str, there: Any, wanted: Any) -> str:
    """Name the first setting that differs."""
    if isinstance(there, dict) and isinstance(wanted, Mapping):
        for key in (*there, *wanted):
            if there.get(key) != wanted.get(key):
                return f"{key} = {there.get(key)}, not {wanted.get(key)}"
    return f"{name} = {there}, not {wanted}"


def _write(path: Path, text: Iterable[str]) -> None:
    """Write a file so that a reader finds it whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines(text)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _as_csv(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """The lines of a table, floats with all their digits."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _read_rows(kind: type[Row], path: Path) -> list[Row]:
    """The rows of a table as dataclasses, whose fields are its columns."""
    convert = [_converter(str(column.type)) for column in fields(kind)]
    with path.open(encoding="utf-8", newline="") as file:
        groups = csv.reader(file)
        head = next(groups, None)
        if head != [column.name for column in fields(kind)]:
            raise StoreError(f"{str(path)!r} has other columns than this package writes: {head}.")
        return [
            kind(*(make(text) for make, text in zip(convert, row, strict=True))) for row in groups
        ]


def _converter(annotation: str) -> Callable[[str], Any]:
    """What makes a field's value of a group's text; an empty group of an optional field is None."""
    types: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": sys.intern}
    name, _, optional = annotation.partition(" | ")
    make = types[name]
    return (lambda text: None if text == "" else make(text)) if optional else make


__all__ = [
    "COLUMNS",
    "TASK_FIELDS",
    "Record",
    "RunRow",
    "Scores",
    "Store",
    "StoreError",
    "TimingRow",
    "TrajectoryRow",
]
