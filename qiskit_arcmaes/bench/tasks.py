"""What a sweep is made of: one task is one run of one method on one problem."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

FUNCTION = "function:"
"""What the name of a problem begins with that is a test function."""

DEVICE = "device:"
"""What the name of a problem begins with that runs on a noisy fake device."""

EFFICIENCY = "efficiency"
"""The method of a task that measures gain per shot, and is no run."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run, named by what is varied; two tasks with the same fields are the same run.

    Attributes:
        experiment: The experiment it belongs to.
        problem: ``function:NAME`` for a test function, else the name of a quantum problem,
            ``device:NAME`` on a noisy device.
        dim: Number of parameters.
        noise: Variance of one shot (tau squared) for a test function; None for a quantum problem.
        budget: Shots it may spend.
        method: Name of the method, ``name@M`` for M shots per evaluation.
        run: Number of the repetition, from 0.

    Example:
        >>> Task("ecdf", "function:sphere", 10, 1.0, 10_000, "cma@10", 3).key
        'ecdf/function:sphere/10/1.0/10000/cma@10/3'
    """

    experiment: str
    problem: str
    dim: int
    noise: float | None
    budget: int
    method: str
    run: int

    @property
    def key(self) -> str:
        """All fields in one line: the task's name in files and on clusters."""
        return "/".join("" if value is None else str(value) for value in astuple(self))

    @property
    def rank(self) -> tuple[Any, ...]:
        """What the canonical order of a sweep sorts by."""
        return tuple(-1.0 if value is None else value for value in astuple(self))
