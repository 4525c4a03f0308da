"""The tables of a report as plain data: rankings, and how fast the error falls with the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from qiskit_arcmaes.bench.report.groups import Group, grouped
from qiskit_arcmaes.bench.report.style import method_rank

FLOOR = 1e-16  # errors of 0 count as this in means of logarithms


class Best(str):
    """A cell of a table that stands out as the best of its row."""

    __slots__ = ()


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes:
        head: Its head.
        rows: Its rows.
        above: Lines of Markdown that stand above it.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    above: tuple[str, ...] = ()


def methods_of(groups: Sequence[Group]) -> list[str]:
    """The methods that occur, our own first."""
    return sorted({group.method for group in groups}, key=method_rank)


def not_started(groups: Sequence[Group]) -> list[str]:
    """The methods that could not start somewhere; no ranking has them."""
    return methods_of([group for group in groups if not group.started])


def ranking(groups: Sequence[Group]) -> pd.DataFrame:
    """Compare all methods that could start, under the conditions that each of them ran.

    Args:
        groups: Of one dimension and budget, or of whatever is to be compared.

    Returns:
        A row for each method, best first: ``mean``, the geometric mean of its median errors;
        ``wins``, under how many of the ``conditions`` its median is the lowest; ``rank``, the mean
        rank of its error among the methods over the runs (those of one number have one start);
        ``chance``, the p-value of the Wilcoxon signed-rank test, run by run, that it differs from
        the first method, Holm-corrected (NaN for that method, and for a single run). Empty when
        no condition has them all.

    Example:
        >>> from qiskit_arcmaes.bench.report.groups import Condition
        >>> condition = Condition("h2", 4, None, 1000)
        >>> groups = [Group(condition, name, (0,), np.array([error]))
        ...          for name, error in [("frugal", 0.01), ("uh", 0.04)]]
        >>> ranking(groups)[["wins", "rank"]].T.to_dict("list")
        {'frugal': [1.0, 1.0], 'uh': [0.0, 2.0]}
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
    runs = runs.loc[medians.index].dropna()
    found = pd.DataFrame(
        {
            "mean": np.exp(np.log(medians.clip(lower=FLOOR)).mean()),
            "wins": medians.eq(medians.min(axis=1), axis=0).sum(),
            "conditions": len(medians),
            "rank": runs.rank(axis=1).mean(),
        }
    )
    found = found.dropna(subset="mean").sort_values("mean", kind="stable")
    return found.assign(chance=_chances(runs, found.index))


def main_methods(groups: Sequence[Group], most: int) -> set[str]:
    """All methods, or ``frugal`` and the best of the others where they are too many.

    Args:
        groups: Where they are compared.
        most: How many at most.
    """
    names = {group.method for group in groups}
    if len(names) <= most:
        return names
    order = dict.fromkeys(["frugal", *([*ranking(groups).index] or sorted(names))])
    return set([name for name in order if name in names][:most])


def _chances(runs: pd.DataFrame, order: pd.Index) -> pd.Series:
    """Holm-corrected p-values of the methods (columns) against the first, over the runs (rows)."""
    if len(runs) < 2:
        return pd.Series(dtype=float)
    logs, first = np.log(runs.clip(FLOOR, 1 / FLOOR)), order[0]
    chances = {
        name: wilcoxon(logs[name], logs[first], zero_method="zsplit").pvalue for name in order[1:]
    }
    found = pd.Series(chances, dtype=float).sort_values(kind="stable")
    return (found * np.arange(len(found), 0, -1)).clip(upper=1.0).cummax()


@dataclass(frozen=True)
class Slope:
    """A fitted power law.

    Attributes:
        slope: Exponent of the budget: -1 is the law of averaging in the error of a minimum, -1/2
            that of averaging in the values.
        deviation: Its standard error over the runs; NaN for a single run.
        runs: Runs that were fitted.
    """

    slope: float
    deviation: float
    runs: int

    def __str__(self) -> str:
        return f"{self.slope:.2f}" + f" ± {self.deviation:.2f}" * (self.runs > 1)


def fit_slope(errors: Mapping[int, Any]) -> Slope | None:
    """Fit a power law to the errors of the same runs at several budgets.

    A line is fitted to log error over log budget for each run, since run i at one budget has the
    start and the noise seed of run i at another; the slope is the mean of theirs.

    Args:
        errors: Budget in shots to the final error of each run, by the number of the run: a dict or
            a pandas series.

    Returns:
        The law; None with fewer than two budgets, or without a run that has a positive error
        at each of them.

    Example:
        >>> law = fit_slope({100: {0: 0.5, 1: 0.1}, 10_000: {0: 0.005, 1: 0.001}})
        >>> round(law.slope, 6), round(law.deviation, 6), law.runs
        (-1.0, 0.0, 2)
    """
    table = pd.DataFrame(errors)
    table = table[(np.isfinite(table) & (table > 0)).all(axis=1)]
    if len(errors) < 2 or table.empty:
        return None
    fitted, _ = np.polyfit(np.log10(table.columns), np.log10(table.to_numpy().T), 1)
    slopes = pd.Series(fitted)
    return Slope(float(slopes.mean()), float(slopes.sem()), len(slopes))


def slopes(groups: Sequence[Group]) -> dict[tuple[str, int, float | None], dict[str, Slope]]:
    """Power laws of the error over the budget.

    Args:
        groups: With two budgets or more where a law is wanted; those that could not start are left
            out.

    Returns:
        Problem, dimension and noise to the laws of the methods that have one.
    """
    started = [group for group in groups if group.started]
    found: dict[tuple[str, int, float | None], dict[str, Slope]] = {}
    for (*place, method), own in grouped(started, "problem", "dim", "noise", "method").items():
        law = fit_slope({each.condition.budget: pd.Series(each.errors, each.runs) for each in own})
        if law is not None:
            found.setdefault(tuple(place), {})[method] = law
    return found


def scaled_error(group: Group) -> float | None:
    """Median error times budget over noise: constant under the law of averaging.

    Returns:
        The product; None without noise, for a quantum problem, which has no one noise level, and
        where a run could not start.
    """
    budget, noise = group.condition.budget, group.condition.noise
    return group.median * budget / noise if noise and group.started else None
