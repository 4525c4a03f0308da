"""Results in groups: what belongs together by a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from qiskit_arcmaes.bench.tasks import Task

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


class GroupKey(NamedTuple):
    """What the runs of one group have in common: everything but the number of the run.

    Attributes:
        problem: Problem.
        dim: Number of parameters.
        noise: Variance of one shot, None for a quantum problem.
        budget: Shots.
        method: Method.
    """

    problem: str
    dim: int
    noise: float | None
    budget: int
    method: str


def group_key(task: Task) -> GroupKey:
    """The group of a task, or of a row of a table.

    Example:
        >>> group_key(Task("ecdf", "h2", 4, None, 1000, "uh", 3)).method
        'uh'
    """
    return GroupKey(task.problem, task.dim, task.noise, task.budget, task.method)


def group_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items with the same key together, keys in the order of their first appearance.

    Args:
        items: What to group.
        key: What the items of a group have in common.

    Example:
        >>> group_by([3, 10, 4, 12], lambda number: number > 9)
        {False: [3, 4], True: [10, 12]}
    """
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def distinct(items: Iterable[Item]) -> list[Item]:
    """The items, each once, in the order of their first appearance.

    Example:
        >>> distinct([3, 1, 3])
        [3, 1]
    """
    return list(dict.fromkeys(items))
