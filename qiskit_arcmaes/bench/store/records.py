"""What is kept of a task, and the rows of the tables that are made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from qiskit_arcmaes.bench.tasks import EFFICIENCY, Task

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
    "method could not start, or returned a point without a loss",
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

FLOATS = ("noise", "error", "value", "value_std")
"""Columns that may be empty."""


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
        tables: Rows of the tables that name their own columns, by name; every row a dict of column
            to value, the same columns in all rows of a table.
        seconds: Wall-clock time.
        cpu_seconds: Processor time.
    """

    task: Task
    scores: Scores | None
    trajectory: Sequence[tuple[int, float]] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


_TASK = [each.name for each in fields(Task)]
TABLES: dict[str, list[str] | None] = {
    "runs": [*_TASK, *(each.name for each in fields(Scores))],
    "trajectories": [*_TASK, "shots", "error"],
    "timings": [*_TASK, "seconds", "cpu_seconds"],
    EFFICIENCY: None,
}
"""The columns of the tables; None for one that only some sweeps have, and whose rows name them."""


def rows_of(outcome: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """The rows of each table that come from one record.

    Args:
        outcome: The record as JSON data.
    """
    task, scores = outcome["task"].values(), outcome["scores"]
    return {
        "runs": [] if scores is None else [(*task, *scores.values())],
        "trajectories": [(*task, *point) for point in outcome["trajectory"]],
        "timings": [(*task, outcome["seconds"], outcome["cpu_seconds"])],
        **outcome["tables"],
    }
