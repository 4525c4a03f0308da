"""What is kept of a task, and the rows of the tables that are made of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from enum import StrEnum
from typing import Any

from qiskit_arcmaes.bench.tasks import Task

COLUMNS = {
    "experiment": "name of the experiment",
    "problem": "function:NAME for a test function, else the name of a quantum problem",
    "dim": "number of parameters",
    "noise": "variance of one shot (tau squared); empty for a quantum problem",
    "budget": "shots the run might spend",
    "method": "method; name@M takes M shots per evaluation",
    "run": "number of the repetition, from 0; the same start and noise seed for all methods",
    "seed": "seed of the method's own random choices",
    "error": "exact loss at the returned point minus the lowest possible one; empty where the "
    "method could not start",
    "value": "loss at the returned point as the method estimates it; empty where it does not",
    "value_std": "standard error of that estimate; empty where unknown",
    "shots": "shots spent (in trajectories: spent when the point was recommended)",
    "jobs": "batches evaluated",
    "message": "why the run ended",
    "status": "finished, or could not start: the budget does not pay the method's first step, or "
    "its package is not installed; the message says which",
    "seconds": "wall-clock seconds of the run; depends on the machine",
    "cpu_seconds": "processor seconds of the run; depends on the machine",
    "kind": "in efficiency.csv: bound, mean of all simulations, or one simulation",
    "simulation": "in efficiency.csv: number of the simulation, -1 for the bound and the mean",
    "efficiency": "in efficiency.csv: gain in one generation divided by M, M in column shots",
    "best": "in efficiency.csv: whether it is the curve's maximum",
}
"""What the columns of the tables mean."""

_TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_RESERVED = ("runs", "trajectories", "timings", "sweep")


class Status(StrEnum):
    """Whether a run has a score."""

    FINISHED = "finished"
    COULD_NOT_START = "could not start"


@dataclass(frozen=True)
class Scores:
    """How one run ended; the columns of ``runs.csv`` after those that name the task."""

    seed: int
    error: float | None
    value: float | None
    value_std: float | None
    shots: int
    jobs: int
    message: str
    status: Status = Status.FINISHED


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
    error: float | None
    value: float | None
    value_std: float | None
    shots: int
    jobs: int
    message: str
    status: Status


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


def check_table_name(name: str) -> None:
    """Refuse a name that would leave the store's directory or hide one of its own tables.

    Raises:
        ValueError: It is such a name.

    Example:
        >>> check_table_name("efficiency")
        >>> check_table_name("../../x")
        Traceback (most recent call last):
        ...
        ValueError: table name '../../x' must be made of small letters, digits, - and _, and must \
not be one of runs, trajectories, timings, sweep.
    """
    if not _TABLE_NAME.fullmatch(name) or name in _RESERVED:
        raise ValueError(
            f"table name {name!r} must be made of small letters, digits, - and _, and must not be "
            f"one of {', '.join(_RESERVED)}."
        )


def to_text(record: Record) -> str:
    """A record as JSON text.

    Raises:
        ValueError: The name of a further table is refused, see ``check_table_name``.
    """
    for name in record.tables:
        check_table_name(name)
    return json.dumps(asdict(record))


def from_text(text: str) -> Record:
    """A record from its JSON text.

    Raises:
        ValueError, TypeError, KeyError: The text is no record.
    """
    data = json.loads(text)
    scores = None
    if data["scores"] is not None:
        scores = Scores(**{**data["scores"], "status": Status(data["scores"]["status"])})
    for name in data["tables"]:
        check_table_name(name)
    return Record(**{**data, "task": Task(**data["task"]), "scores": scores})


def run_rows(records: Iterable[Record]) -> Iterator[RunRow]:
    """The rows of ``runs.csv``."""
    for record in records:
        if record.scores is not None:
            yield RunRow(*_names(record.task), *astuple(record.scores))


def trajectory_rows(records: Iterable[Record]) -> Iterator[TrajectoryRow]:
    """The rows of ``trajectories.csv``."""
    for record in records:
        names = _names(record.task)
        for shots, error in record.trajectory:
            yield TrajectoryRow(*names, shots=shots, error=error)


def timing_rows(records: Iterable[Record]) -> Iterator[TimingRow]:
    """The rows of ``timings.csv``."""
    for record in records:
        names = _names(record.task)
        yield TimingRow(*names, seconds=record.seconds, cpu_seconds=record.cpu_seconds)


def _names(task: Task) -> tuple[str, str, int, float | None, int, str, int]:
    """The columns that name a task."""
    first = task.experiment, task.problem, task.dim, task.noise
    return (*first, task.budget, task.method, task.run)
