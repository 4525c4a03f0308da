"""The exact errors of the starts from which runs began."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import make_instance
from qiskit_arcmaes.bench.tasks import Task

Starts = Callable[[Group], NDArray[np.float64]]
"""The error of the start of each run of a group, in the order of its runs."""


def starts_of(root_seed: int) -> Starts:
    """How the starts of a sweep's runs are found again: they follow from its root seed.

    Args:
        root_seed: The sweep's.

    Example:
        >>> from qiskit_arcmaes.bench.report.groups import Condition
        >>> group = Group(
        ...     Condition("function:sphere", 3, 1.0, 1000), "uh", (0, 1), np.zeros(2)
        ... )
        >>> bool(np.all(starts_of(1)(group) > 0))
        True
    """

    def errors(group: Group) -> NDArray[np.float64]:
        place = group.condition.problem, group.condition.dim, group.condition.noise
        return np.array([_start_error(root_seed, *place, run) for run in group.runs])

    return errors


@cache
def _start_error(root_seed: int, problem: str, dim: int, noise: float | None, run: int) -> float:
    """The error of a run's start, which is the same for all methods and budgets."""
    task = Task("", problem, dim, noise, 1, "", run)
    instance = make_instance(task, seeds_of(task, root_seed))
    return float(instance.error(instance.start.x0))
