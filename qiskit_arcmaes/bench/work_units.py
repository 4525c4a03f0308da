"""Units of work: what a process or a worker of a cluster is handed at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qiskit_arcmaes.bench.batched import has_lockstep, run_batched
from qiskit_arcmaes.bench.grouping import group_by
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import Task

_MOST = 16  # tasks per unit: their arrays fit in a cache, and a kill loses little


@dataclass(frozen=True)
class WorkUnit:
    """Tasks that are handed out as one.

    Attributes:
        tasks: At least one.
        batched: Whether they run as arrays; else there is one task, which runs by itself.
    """

    tasks: tuple[Task, ...]
    batched: bool

    @property
    def key(self) -> str:
        """Its first task's name: no task is in two units of a sweep."""
        return self.tasks[0].key


def work_units_of(tasks: Sequence[Task], timed: bool = False) -> list[WorkUnit]:
    """Put tasks into batches where they can run so; how they are grouped changes no outcome.

    Args:
        tasks: Tasks in canonical order, each once.
        timed: Whether every run is timed by itself, so that none run in a batch.

    Example:
        >>> tasks = [
        ...     Task("demo", "function:sphere", 3, 1.0, 1000, method, run)
        ...     for method in ("frugal", "lra@1")
        ...     for run in range(3)
        ... ]
        >>> [len(unit.tasks) for unit in work_units_of(tasks)]
        [1, 1, 1, 3]
    """
    if timed:
        return [WorkUnit((task,), batched=False) for task in tasks]
    units = [WorkUnit((task,), batched=False) for task in tasks if not has_lockstep(task)]
    for members in group_by(filter(has_lockstep, tasks), _batch_key).values():
        group = tuple(members)
        size = math.ceil(len(group) / math.ceil(len(group) / _MOST))
        parts = [group[first : first + size] for first in range(0, len(group), size)]
        units += [WorkUnit(part, batched=True) for part in parts]
    return units


def run_work_unit(unit: WorkUnit, root_seed: int) -> list[Record]:
    """Run the tasks of a unit; see ``run_task`` and ``run_batched``."""
    if unit.batched:
        return run_batched(unit.tasks, root_seed)
    return [run_task(task, root_seed) for task in unit.tasks]


def _batch_key(task: Task) -> tuple[str, str, int, int, str]:
    """What tasks that run as one batch have in common: all but noise and run."""
    return task.experiment, task.problem, task.dim, task.budget, task.method
