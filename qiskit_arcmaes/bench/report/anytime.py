"""What a run's recommendation was worth while the run went on.

The store has the exact error of the recommendation over shots, thinned to twenty per decade; here
it is read on one ladder for all runs, and as the shots that a run took to a target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.report.groups import GROUP, NO_LEVEL, Group, groups_of, unit_of
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.bench.tasks import FUNCTION

Array = NDArray[np.float64]

PER_DECADE = 8
"""Steps of the ladder of shots."""

START_SHARE = 0.1
"""Of the start's error: the target where there is no chemical accuracy."""

_FIRST = 1  # decade: the ladder begins at ten shots
_RUN = [*GROUP, "run"]


@dataclass(frozen=True, eq=False)
class Course:
    """One run: what its recommendation was worth after how many shots.

    Attributes:
        shots: Shots spent, ascending, the first 0 where the start is known, shape (n,).
        errors: Exact error of the recommendation from then on, shape (n,).
    """

    shots: Array
    errors: Array

    def at(self, shots: ArrayLike) -> Array:
        """The errors after numbers of shots.

        Example:
            >>> Course(np.array([0.0, 50, 90]), np.array([1.0, 0.3, 0.1])).at([10, 50, 1000])
            array([1. , 0.3, 0.1])
        """
        places = np.searchsorted(self.shots, shots, side="right") - 1
        return np.asarray(self.errors[np.maximum(places, 0)])

    def reached(self, target: float) -> float:
        """The shots from which on the error stays within a target; infinite where it ends above.

        Example:
            >>> course = Course(np.array([0.0, 50, 70, 90]), np.array([1.0, 0.1, 0.3, 0.2]))
            >>> course.reached(0.2), course.reached(0.1)
            (90.0, inf)
        """
        above = np.flatnonzero(~(self.errors <= target))  # a failed run is above everything
        if not len(above):
            return float(self.shots[0])
        last = int(above[-1])
        return float(self.shots[last + 1]) if last + 1 < len(self.shots) else float("inf")


@dataclass(frozen=True, eq=False)
class Anytime(Group):
    """The runs of a group that started, while they went on.

    Attributes:
        courses: One for each of its runs, in their order.
    """

    courses: tuple[Course, ...] = ()

    @property
    def ladder(self) -> Array:
        """The ladder of shots up to the budget, which is its last step."""
        return ladder_to(self.condition.budget)

    @property
    def quartiles_on_ladder(self) -> Array:
        """Lower quartile, median and upper quartile of the error on the ladder, shape (3, n)."""
        errors = [course.at(self.ladder) for course in self.courses]
        return np.asarray(np.quantile(errors, (0.25, 0.5, 0.75), axis=0))

    def shots_to_target(self) -> Array:
        """Shots of each run to the target of its problem, infinite where it was not reached."""
        problem = self.condition.problem
        return np.array(
            [course.reached(target_of(problem, course.errors[0])) for course in self.courses]
        )


def target_of(problem: str, start_error: float) -> float:
    """The error that runs are timed to: chemical accuracy, or a tenth of the start's error.

    Example:
        >>> target_of("ucc_lih", 0.5), target_of("ising6", 7.0)
        (0.0016, 0.7000000000000001)
    """
    return CHEMICAL_ACCURACY if unit_of(problem) == "hartree" else START_SHARE * start_error


def ladder_to(budget: int) -> Array:
    """Numbers of shots, eight per decade from ten on, and the budget.

    Example:
        >>> ladder_to(30)
        array([10., 13., 18., 24., 30.])
    """
    last = int(np.floor(PER_DECADE * np.log10(budget) + 1e-9))
    powers = np.arange(PER_DECADE * _FIRST, last + 1) / PER_DECADE
    steps = np.rint(10**powers)
    return np.array([*steps[steps < budget], float(budget)])


def on_circuits(group: Group) -> bool:
    """Whether a group has runs on a circuit that all started."""
    return group.started and not group.condition.problem.startswith(FUNCTION)


def on_functions(group: Group) -> bool:
    """Whether a group has runs on a test function that all started."""
    return group.started and not on_circuits(group)


def anytime_of(store: Store) -> list[Anytime]:
    """The courses of all groups on circuits that started, in the order of reports.

    Args:
        store: A sweep, finished or not.
    """
    groups = [group for group in groups_of(store) if on_circuits(group)]
    if not groups:
        return []
    starts = starts_of(int(store.description["root_seed"]))
    return _courses(store, groups, [[(0, error) for error in starts(group)] for group in groups])


def convergence_of(store: Store) -> list[Anytime]:
    """The same of test functions; their courses begin with the first recommendation.

    Args:
        store: A sweep, finished or not.
    """
    groups = [group for group in groups_of(store) if on_functions(group)]
    return _courses(store, groups, [[None] * len(group.runs) for group in groups])


def _courses(
    store: Store, groups: Sequence[Group], starts: Sequence[Sequence[tuple[int, float] | None]]
) -> list[Anytime]:
    """Start, where it is given, recommendations on the way, and the end of every run."""
    runs, notes = (_with_level(store.table(name)) for name in ("runs", "trajectories"))
    ends = runs.set_index(_RUN).shots
    noted = {
        key: list(zip(own.shots, own.error, strict=True))
        for key, own in notes.groupby(_RUN, sort=False)
    }
    found = []
    for group, firsts in zip(groups, starts, strict=True):
        courses = []
        for run, first, last in zip(group.runs, firsts, group.errors, strict=True):
            key = _key(group, run)
            steps = [*([first] if first else []), *noted.get(key, []), (ends[key], last)]
            courses.append(Course(*np.array(steps, dtype=float).T))
        found.append(Anytime(**vars(group), courses=tuple(courses)))
    return found


def anytime_table(store: Store) -> pd.DataFrame:
    """One row per run on a circuit: its errors on the ladder of shots.

    Args:
        store: A sweep, finished or not.

    Returns:
        The columns that name the run, its ``status``, the error of its ``start``, and one column
        per number of shots, empty above the run's budget; errors have four digits. A run that
        could not start has no numbers. Empty without runs on circuits.
    """
    runs = _with_level(store.table("runs"))
    runs = runs[~runs.problem.str.startswith(FUNCTION)]
    steps = sorted({step for budget in runs.budget.unique() for step in ladder_to(budget)})
    lines = {}
    for each in anytime_of(store):
        own = [step for step in steps if step <= each.condition.budget]
        for run, course in zip(each.runs, each.courses, strict=True):
            errors = course.errors[0], *course.at(own)
            lines[_key(each, run)] = [f"{error:.4g}" for error in errors]
    rows = []
    for key, status in zip(runs[_RUN].itertuples(index=False, name=None), runs.status, strict=True):
        texts = lines.get(key, [])
        rows.append([*key, status, *texts, *[""] * (1 + len(steps) - len(texts))])
    names = [f"{step:.0f}" for step in steps]
    table = pd.DataFrame(rows, columns=[*_RUN, "status", "start", *names])
    return table.drop(columns="noise")  # circuits have none


def _with_level(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a number for the noise of every problem."""
    return table.fillna({"noise": NO_LEVEL})


def _key(group: Group, run: int) -> tuple[object, ...]:
    """The columns that name a run."""
    where = group.condition
    return where.problem, where.dim, where.level, where.budget, group.method, run
