"""The tables of a report, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.report.slopes import Slope, fit_slope
from qiskit_arcmaes.bench.report.style import method_rank

FLOOR = 1e-16  # errors of 0 count as this in means of logarithms


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes:
        words: Lines that say what it shows.
        head: Its head.
        rows: Its rows.
        title: Stands above the words; empty for none.
    """

    words: tuple[str, ...]
    head: list[str]
    rows: list[list[str]]
    title: str = ""


@dataclass(frozen=True)
class Ranked:
    """How a method did over several problems.

    Attributes:
        method: Its name.
        mean: Geometric mean of its median errors.
        wins: Under how many conditions its median is the lowest.
        conditions: Number of conditions compared: those under which every method ran.
        rank: Mean rank of its error among the methods, over the runs; runs of the same number
            have the same start.
        chance: p-value of the Wilcoxon signed-rank test, run by run, that it differs from the
            method with the lowest mean, Holm-corrected; None for that method, and for a single run.
    """

    method: str
    mean: float
    wins: int
    conditions: int
    rank: float
    chance: float | None


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
        >>> from qiskit_arcmaes.bench.report.groups import Condition
        >>> condition = Condition("h2", 4, None, 1000)
        >>> groups = [Group(condition, name, (0,), np.array([error]))
        ...          for name, error in [("frugal", 0.01), ("uh", 0.04)]]
        >>> [(row.method, round(row.mean, 6), row.wins, row.rank) for row in ranking(groups)]
        [('frugal', 0.01, 1, 1.0), ('uh', 0.04, 0, 2.0)]
    """
    left_out = not_started(groups)
    rows = [
        (repr(group.condition), run, group.method, np.inf if np.isnan(error) else error)
        for group in groups
        if group.method not in left_out
        for run, error in zip(group.runs, group.errors.tolist(), strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["condition", "run", "method", "error"])
    runs = frame.pivot(index=["condition", "run"], columns="method", values="error")
    medians = runs.groupby("condition").median().dropna()
    if medians.empty:
        return []
    runs = runs.loc[medians.index].dropna()
    means = np.exp(np.log(medians.clip(lower=FLOOR)).mean()).sort_values(kind="stable")
    wins = medians.eq(medians.min(axis=1), axis=0).sum()
    ranks, chances = runs.rank(axis=1).mean(), _chances(runs, str(means.index[0]))
    return [
        Ranked(name, mean, int(wins[name]), len(medians), float(ranks[name]), chances.get(name))
        for name, mean in means.items()
    ]


def main_methods(groups: Sequence[Group], most: int) -> set[str]:
    """All methods, or ``frugal`` and the best of the others where they are too many.

    Args:
        groups: Where they are compared.
        most: How many at most.
    """
    names = {group.method for group in groups}
    if len(names) <= most:
        return names
    order = [row.method for row in ranking(groups)] or sorted(names)
    ours = ["frugal"] if "frugal" in names else []
    return set([*dict.fromkeys([*ours, *order])][:most])


def _chances(runs: pd.DataFrame, first: str) -> dict[str, float]:
    """Holm-corrected p-values of the methods (columns) against the first, over the runs (rows)."""
    if len(runs) < 2:
        return {}
    logs = np.log(runs.clip(FLOOR, 1 / FLOOR))
    found = {
        name: float(wilcoxon(logs[name], logs[first], zero_method="zsplit").pvalue)
        for name in logs
        if name != first
    }
    order = sorted(found, key=found.__getitem__)
    steps = [min((len(order) - i) * found[name], 1.0) for i, name in enumerate(order)]
    return dict(zip(order, np.maximum.accumulate(steps).tolist(), strict=True))


def slopes(groups: Sequence[Group]) -> dict[tuple[str, int, float | None, str], Slope]:
    """Power laws of the error over the budget.

    Args:
        groups: With two budgets or more where a law is wanted.

    Returns:
        (problem, dim, noise, method) to the law.
    """
    found: dict[tuple[str, int, float | None, str], dict[int, pd.Series]] = {}
    for group in groups:
        if group.started:
            condition = group.condition
            key = (condition.problem, condition.dim, condition.noise, group.method)
            errors = pd.Series(group.errors, index=group.runs)
            found.setdefault(key, {})[condition.budget] = errors
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
