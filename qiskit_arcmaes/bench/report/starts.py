"""The exact errors of the starts from which runs began."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import make_instance
from qiskit_arcmaes.bench.tasks import Task
from qiskit_arcmaes.problems import get_problem

Starts = Callable[[Group], NDArray[np.float64]]
"""The error of the start of each run of a group, in the order of its runs."""


def start_error(problem: str) -> float:
    """The exact error of the given start of a quantum problem.

    Example:
        >>> round(start_error("ucc_h2"), 4)
        0.0203
    """
    found = get_problem(problem)
    return float(found.energy(found.start(np.random.default_rng(0)))[0]) - found.best_energy


def starts_of(root_seed: int) -> Starts:
    """How the starts of a sweep's runs are found again: they follow from its root seed.

    Args:
        root_seed: The sweep's.

    Example:
        >>> group = Group(
        ...     Condition("function:sphere", 3, 1.0, 1000), "uh", (0, 1), np.zeros(2)
        ... )
        >>> bool(np.all(starts_of(1)(group) > 0))
        True
    """
    known: dict[tuple[Condition, int], float] = {}

    def error(condition: Condition, run: int) -> float:
        if (condition, run) not in known:
            place = condition.problem, condition.dim, condition.noise, condition.budget
            task = Task("", *place, "", run)
            instance = make_instance(task, seeds_of(task, root_seed))
            known[condition, run] = instance.error(instance.start.x0)
        return known[condition, run]

    return lambda group: np.array([error(group.condition, run) for run in group.runs])
