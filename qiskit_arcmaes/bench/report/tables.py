"""The tables of a report, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.bench.grouping import distinct
from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.report.slopes import Slope, fit_slope
from qiskit_arcmaes.bench.report.style import method_rank

FLOOR = 1e-16  # errors of 0 count as this in means of logarithms


@dataclass(frozen=True)
class Ranked:
    """How a method did over several problems.

    Attributes:
        method: Its name.
        mean: Geometric mean of its median errors.
        wins: Under how many conditions its median is the lowest.
        conditions: Number of conditions compared: those under which every method ran.
    """

    method: str
    mean: float
    wins: int
    conditions: int


def methods_of(groups: Sequence[Group]) -> list[str]:
    """The methods that occur, our own first."""
    return sorted({group.method for group in groups}, key=method_rank)


def not_started(groups: Sequence[Group]) -> list[str]:
    """The methods that could not start somewhere; no ranking has them."""
    return methods_of([group for group in groups if not group.started])


def ranking(groups: Sequence[Group]) -> list[Ranked]:
    """Compare all methods that could start, under the conditions that each of them ran.

    Args:
        groups: Of one dimension and budget, or of whatever is to be compared.

    Returns:
        The methods, best first; empty when no condition has them all.

    Example:
        >>> import numpy as np
        >>> from qiskit_arcmaes.bench.report.groups import Condition
        >>> condition = Condition("h2", 4, None, 1000)
        >>> groups = [Group(condition, name, (0,), np.array([error]), None, None, None)
        ...          for name, error in [("frugal", 0.01), ("uh", 0.04)]]
        >>> [(row.method, round(row.mean, 6), row.wins) for row in ranking(groups)]
        [('frugal', 0.01, 1), ('uh', 0.04, 0)]
    """
    left_out = not_started(groups)
    groups = [group for group in groups if group.method not in left_out]
    methods = methods_of(groups)
    table = {(group.condition, group.method): group.median for group in groups}
    conditions = [
        condition
        for condition in distinct(group.condition for group in groups)
        if all((condition, method) in table for method in methods)
    ]
    if not conditions:
        return []
    medians = np.array(
        [[table[condition, method] for condition in conditions] for method in methods]
    )
    best = medians == medians.min(axis=0)
    means = np.exp(np.log(np.maximum(medians, FLOOR)).mean(axis=1))
    rows = [
        Ranked(method, float(mean), int(wins), len(conditions))
        for method, mean, wins in zip(methods, means, best.sum(axis=1), strict=True)
    ]
    return sorted(rows, key=lambda row: row.mean)


def slopes(groups: Sequence[Group]) -> dict[tuple[str, int, float | None, str], Slope]:
    """Power laws of the error over the budget.

    Args:
        groups: With two budgets or more where a law is wanted.

    Returns:
        (problem, dim, noise, method) to the law.
    """
    found: dict[tuple[str, int, float | None, str], dict[int, dict[int, float]]] = {}
    for group in groups:
        if group.started:
            condition = group.condition
            key = (condition.problem, condition.dim, condition.noise, group.method)
            found.setdefault(key, {})[condition.budget] = dict(
                zip(group.runs, group.errors.tolist(), strict=True)
            )
    laws = {key: fit_slope(errors) for key, errors in found.items()}
    return {key: law for key, law in laws.items() if law is not None}


def scaled_error(group: Group) -> float | None:
    """Median error times budget over noise: constant under the law of averaging.

    Returns:
        The product; None without noise, for a quantum problem, which has no one noise level, and
        where a run could not start.
    """
    budget, noise = group.condition.budget, group.condition.noise
    return group.median * budget / noise if noise and group.started else None
