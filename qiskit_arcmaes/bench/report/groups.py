"""A sweep sorted for a report: one group for each method on each problem at each budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.grouping import GroupKey, group_by, group_key
from qiskit_arcmaes.bench.report.style import method_rank
from qiskit_arcmaes.bench.store import RunRow, Store, TimingRow, TrajectoryRow
from qiskit_arcmaes.bench.tasks import DEVICE, FUNCTION
from qiskit_arcmaes.functions import FUNCTIONS

Array = NDArray[np.float64]

_UCC = "ucc_"

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
    """All runs of one method under one condition.

    Attributes:
        condition: The problem and the budget.
        method: Name as in the store.
        runs: Numbers of the runs that have an error, ascending.
        errors: Final error of each of them.
        curve: How they converged; None where no trajectory was kept.
        seconds: Mean wall-clock seconds of a run; None where unknown.
        seconds_std: Their standard deviation; None for a single run.
        could_not_start: Runs that could not pay their first step, or lack a package: without error.
    """

    condition: Condition
    method: str
    runs: tuple[int, ...]
    errors: Array
    curve: Curve | None
    seconds: float | None
    seconds_std: float | None
    could_not_start: int = 0

    @property
    def started(self) -> bool:
        """Whether every run could start; otherwise the group enters no median and no ratio."""
        return self.could_not_start == 0

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
    paths = group_by(store.trajectories(), group_key)
    times = group_by(store.timings(), group_key)
    groups = [
        _group(key, rows, paths.get(key, []), times.get(key, []))
        for key, rows in group_by(store.runs(), group_key).items()
    ]
    return sorted(groups, key=_order)


def label_of(problem: str) -> str:
    """A problem as people say it.

    Example:
        >>> label_of("function:rotated_hyper_ellipsoid"), label_of("lih")
        ('rotated hyper ellipsoid', 'LiH')
    """
    known = {"h2": "H₂", "lih": "LiH", "h4": "H₄", "beh2": "BeH₂"}
    if problem.startswith(DEVICE):
        return f"{label_of(problem.removeprefix(DEVICE))} on a noisy device"
    if problem.startswith(_UCC):
        return f"{known.get(problem.removeprefix(_UCC), problem)} UCCSD"
    return known.get(problem, problem.removeprefix(FUNCTION).replace("_", " "))


def _group(
    key: GroupKey,
    rows: Sequence[RunRow],
    path: Sequence[TrajectoryRow],
    times: Sequence[TimingRow],
) -> Group:
    scored = [(row.run, row.error) for row in rows if row.error is not None]
    seconds = np.array([row.seconds for row in times])
    return Group(
        condition=Condition(*key[:4]),
        method=key.method,
        runs=tuple(run for run, _ in scored),
        errors=np.array([error for _, error in scored]),
        curve=_curve(path, key.budget),
        seconds=float(seconds.mean()) if seconds.size else None,
        seconds_std=float(np.std(seconds, ddof=1)) if seconds.size > 1 else None,
        could_not_start=len(rows) - len(scored),
    )


def _curve(rows: Sequence[TrajectoryRow], budget: int) -> Curve | None:
    """Quartiles over the runs on a common ladder of shots."""
    runs = group_by(rows, lambda row: row.run)
    if not runs:
        return None
    first = min(max(path[0].shots, 1) for path in runs.values())
    ladder = np.geomspace(first, max(budget, first), CURVE_POINTS)
    errors = np.array([_on_ladder(path, ladder) for path in runs.values()])
    return Curve(ladder, np.quantile(errors, (0.25, 0.5, 0.75), axis=0))


def _on_ladder(path: Sequence[TrajectoryRow], ladder: Array) -> Array:
    """The error of the recommendation that was current at each number of shots."""
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
