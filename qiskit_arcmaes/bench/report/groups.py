"""A sweep sorted for a report: one group for each method on each problem at each budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.style import method_rank
from qiskit_arcmaes.bench.store import Store, TrajectoryRow
from qiskit_arcmaes.bench.tasks import FUNCTION, Task
from qiskit_arcmaes.functions import FUNCTIONS

Array = NDArray[np.float64]

Key = tuple[str, int, float | None, int, str]
Item = TypeVar("Item")
Row = TypeVar("Row", bound=Task)

CURVE_POINTS = 40  # of a convergence curve


@dataclass(frozen=True)
class Condition:
    """What methods are compared under: a problem with its dimension and noise, and a budget."""

    problem: str
    dim: int
    noise: float | None
    budget: int


@dataclass(frozen=True)
class Curve:
    """Error of the current recommendation over shots spent: quartiles over the runs.

    Attributes:
        shots: Shots spent, ascending, shape (n,).
        quartiles: Lower quartile, median and upper quartile of the error, shape (3, n).
    """

    shots: Array
    quartiles: Array


@dataclass(frozen=True)
class Group:
    """All runs of one method at one condition.

    Attributes:
        condition: The problem and the budget.
        method: Name as in the store.
        runs: Numbers of the runs, ascending.
        errors: Final error of each of them.
        curve: How they converged; None where no trajectory was kept.
        seconds: Mean wall-clock seconds of a run; None where unknown.
        seconds_std: Their standard deviation; None for a single run.
    """

    condition: Condition
    method: str
    runs: tuple[int, ...]
    errors: Array
    curve: Curve | None
    seconds: float | None
    seconds_std: float | None

    @property
    def median(self) -> float:
        """Median of the final errors; failed runs (NaN) count as infinite."""
        return float(np.median(np.where(np.isnan(self.errors), np.inf, self.errors)))


def groups_of(store: Store) -> list[Group]:
    """Sort the rows of a store into groups, in the order in which reports show them.

    Args:
        store: A sweep, finished or not.

    Returns:
        The groups, problems in the paper's order, our own methods first.
    """
    errors = _collect(store.runs())
    paths = _collect(store.trajectories())
    times = _collect(store.timings())
    groups = []
    for key, rows in errors.items():
        seconds = np.array([row.seconds for row in times.get(key, [])])
        groups.append(
            Group(
                condition=Condition(*key[:4]),
                method=key[4],
                runs=tuple(row.run for row in rows),
                errors=np.array([row.error for row in rows]),
                curve=_curve(paths.get(key, []), key[3]),
                seconds=float(seconds.mean()) if seconds.size else None,
                seconds_std=float(np.std(seconds, ddof=1)) if seconds.size > 1 else None,
            )
        )
    return sorted(groups, key=_order)


def label_of(problem: str) -> str:
    """A problem as people say it.

    Example:
        >>> label_of("function:rotated_hyper_ellipsoid"), label_of("lih")
        ('rotated hyper ellipsoid', 'LiH')
    """
    known = {"h2": "H₂", "lih": "LiH", "h4": "H₄"}
    return known.get(problem, problem.removeprefix(FUNCTION).replace("_", " "))


def distinct(items: Iterable[Item]) -> list[Item]:
    """The items, each once, in the order of their first appearance.

    Example:
        >>> distinct([3, 1, 3])
        [3, 1]
    """
    return list(dict.fromkeys(items))


def _collect(rows: Iterable[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.problem, row.dim, row.noise, row.budget, row.method].append(row)
    return found


def _curve(rows: Sequence[TrajectoryRow], budget: int) -> Curve | None:
    """Quartiles over the runs on a common ladder of shots."""
    runs: dict[int, list[TrajectoryRow]] = defaultdict(list)
    for row in rows:
        runs[row.run].append(row)
    if not runs:
        return None
    first = min(max(path[0].shots, 1) for path in runs.values())
    ladder = np.geomspace(first, max(budget, first), CURVE_POINTS)
    errors = np.array([_on_ladder(path, ladder) for path in runs.values()])
    return Curve(ladder, np.quantile(errors, (0.25, 0.5, 0.75), axis=0))


def _on_ladder(path: Sequence[TrajectoryRow], ladder: Array) -> Array:
    """The error of the current recommendation when so many shots were spent."""
    spent = np.array([row.shots for row in path], dtype=float)
    errors = np.array([row.error for row in path])
    return errors[np.maximum(np.searchsorted(spent, ladder, side="right") - 1, 0)]


def _order(group: Group) -> tuple[object, ...]:
    condition = group.condition
    name = condition.problem.removeprefix(FUNCTION)
    known = list(FUNCTIONS)
    rank = known.index(name) if name in known else len(known)
    noise = -1.0 if condition.noise is None else condition.noise
    return (rank, name, condition.dim, noise, condition.budget, method_rank(group.method))
