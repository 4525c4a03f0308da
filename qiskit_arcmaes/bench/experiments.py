"""What an experiment is: a few grids of runs, declared, and how they unfold into tasks."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.baselines import incompatibility, solver_for
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.device import sample_oracle
from qiskit_arcmaes.bench.goals import Goal
from qiskit_arcmaes.bench.landscapes import LANDSCAPES
from qiskit_arcmaes.bench.method_names import base_name
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.bench.tasks import DEVICE, EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.oracles import GaussianOracle
from qiskit_arcmaes.problems import (
    DEVELOPMENT_PROBLEMS,
    PROBLEMS,
    SCALING_PROBLEMS,
    get_problem,
)


@dataclass(frozen=True)
class Grid:
    """Every problem with every dimension, noise level, budget and method.

    Attributes:
        problems: ``function:NAME``, or names of quantum problems.
        budgets: Shots, integers >= 1.
        methods: Names as ``solver_for`` takes them, or ``name@B/N``: M = budget/N shots an
            evaluation (at least 1), for methods whose runs would take too many generations.
        dims: Dimensions of test functions; quantum problems have their own.
        noise: Variances of one shot, for test functions.
    """

    problems: tuple[str, ...]
    budgets: tuple[int, ...]
    methods: tuple[str, ...]
    dims: tuple[int, ...] = ()
    noise: tuple[float, ...] = ()


@dataclass(frozen=True)
class Changes:
    """What a user wants otherwise; None leaves a setting as the experiment has it.

    Attributes:
        runs: Repetitions, >= 1.
        budgets: Shots.
        dims: Dimensions of the test functions.
        noise: Variances of one shot.
        methods: Methods.
        problems: Problems; a test function may go without ``function:``.
        without: Methods that are left out, named without their settings.
    """

    runs: int | None = None
    budgets: tuple[int, ...] | None = None
    dims: tuple[int, ...] | None = None
    noise: tuple[float, ...] | None = None
    methods: tuple[str, ...] | None = None
    problems: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A named question, and the runs that answer it.

    Attributes:
        name: Name on the command line.
        title: One line for lists and headings.
        shows: Which parts a report of it has, names of ``SECTIONS`` in the report.
        grids: The runs.
        runs: Repetitions of each.
        quick: What is changed for a look in seconds.
        notes: Sentences that belong under its tables.
        goals: What its report compares the results with.

    Example:
        >>> grid = Grid(("function:sphere",), (1000,), ("frugal", "cma@B/100"), (2, 3), (1.0,))
        >>> experiment = Experiment("demo", "A demonstration", ("errors",), (grid,), runs=2)
        >>> len(experiment.tasks())
        8
    """

    name: str
    title: str
    shows: tuple[str, ...]
    grids: tuple[Grid, ...]
    runs: int = 20
    quick: Changes = field(default_factory=Changes)
    notes: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()

    def changed(self, changes: Changes) -> Experiment:
        """The experiment with some settings replaced in all its grids.

        Raises:
            ValueError: A setting is out of range; the message names it.
        """
        given = {
            item.name: getattr(changes, item.name)
            for item in fields(Changes)
            if getattr(changes, item.name) is not None
        }
        without = given.pop("without")
        runs = given.pop("runs", self.runs)
        if runs < 1:
            raise ValueError(f"runs must be at least 1, not {runs}.")
        if "problems" in given:
            given["problems"] = tuple(map(full_name, given["problems"]))
        grids = tuple(dict.fromkeys(replace(grid, **given) for grid in self.grids))
        return replace(self, grids=_without(grids, without), runs=runs)

    def quickened(self) -> Experiment:
        """The experiment as ``--quick`` runs it."""
        return self.changed(self.quick)

    def tasks(self) -> list[Task]:
        """All runs, each once, in canonical order; methods only where they apply."""
        found = {
            Task(self.name, problem, dim, noise, budget, method, run)
            for grid in self.grids
            for problem, dim, noise in _conditions(grid)
            for budget, method in itertools.product(grid.budgets, grid.methods)
            if applies(resolve_method(method, budget), problem)
            for run in range(self.runs)
        }
        return sorted(found, key=lambda task: task.rank)

    def check(self) -> None:
        """Refuse settings under which a task could not run, before any does.

        Raises:
            ValueError: Something is unknown or out of range; the message names it.
        """
        for grid in self.grids:
            for name in grid.problems:
                full_name(name)
            checks = {"budgets": grid.budgets, "dims": grid.dims}
            for name, values in checks.items():
                if any(value < 1 for value in values):
                    raise ValueError(f"{name} must be at least 1, not {min(values)}.")
            if any(not 0 <= value < math.inf for value in grid.noise):
                raise ValueError(f"noise must be finite and >= 0, not {grid.noise}.")
            for method, budget in itertools.product(grid.methods, grid.budgets):
                check_method(resolve_method(method, budget))

    def settings(self) -> dict[str, Any]:
        """What makes two sweeps of this experiment the same, as JSON data."""
        return {"runs": self.runs, "grids": [asdict(grid) for grid in self.grids]}


def _without(grids: tuple[Grid, ...], names: tuple[str, ...]) -> tuple[Grid, ...]:
    """The grids without some methods; a name that none of them has is refused."""
    known = {base_name(method) for grid in grids for method in grid.methods}
    for name in names:
        if name not in known:
            raise ValueError(f"without: {name!r} is none of {', '.join(sorted(known))}.")
    return tuple(
        replace(grid, methods=tuple(m for m in grid.methods if base_name(m) not in names))
        for grid in grids
    )


def full_name(problem: str) -> str:
    """The name of a problem as tables have it.

    Example:
        >>> full_name("sphere"), full_name("h2")
        ('function:sphere', 'h2')
    """
    short = problem.removeprefix(FUNCTION)
    if short.partition("~")[0] in LANDSCAPES:
        return FUNCTION + short
    if problem.removeprefix(DEVICE) in (*PROBLEMS, *DEVELOPMENT_PROBLEMS, *SCALING_PROBLEMS):
        return problem
    raise ValueError(
        f"problems: {problem!r} is unknown; take some of {', '.join((*LANDSCAPES, *PROBLEMS))}."
    )


def resolve_method(name: str, budget: int) -> str:
    """The method with its number of shots worked out.

    Args:
        name: ``name``, ``name@M`` or ``name@B/N``.
        budget: Shots of the run.

    Example:
        >>> [resolve_method("lra@B/1e7", budget) for budget in (10**5, 10**7, 10**9)]
        ['lra@1', 'lra@1', 'lra@100']
    """
    base, _, rest = name.partition("@B/")
    if not rest:
        return name
    share, percent, conditions = rest.partition("%")
    try:
        shots = max(round(budget / float(share)), 1)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f"methods: {name!r} must end in a number after 'B/'.") from error
    return f"{base}@{shots}{percent}{conditions}"


def check_method(name: str) -> None:
    """Refuse a method that no task could run, with the names that there are."""
    if name != EFFICIENCY:
        solver_for(name)


def applies(method: str, problem: str) -> bool:
    """Whether a method can work on a problem: some need angles, or single rotations.

    Example:
        >>> applies("nft@100", "h2"), applies("nft@100", "maxcut8"), applies("frugal", "maxcut8")
        (True, False, True)
    """
    return method == EFFICIENCY or incompatibility(method, _sample(problem)) is None


@functools.cache
def _sample(problem: str) -> BudgetOracle:
    """An oracle of the problem's kind, to ask what it has."""
    if problem.startswith(FUNCTION):
        return BudgetOracle(GaussianOracle(np.zeros_like), 1)
    if problem.startswith(DEVICE):
        return sample_oracle(problem)
    return budgeted(get_problem(problem), 1)


def _conditions(grid: Grid) -> Iterator[tuple[str, int, float | None]]:
    for problem in grid.problems:
        if problem.startswith(FUNCTION):
            for dim, noise in itertools.product(grid.dims, grid.noise):
                yield problem, int(dim), float(noise)
        else:
            yield problem, get_problem(problem.removeprefix(DEVICE)).dim, None
