"""How fast the error falls with the budget: ``error ~ budget ** slope``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiskit_arcmaes.bench.report.groups import Group, grouped


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
    if len(errors) < 2:
        return None
    table = pd.DataFrame(errors)
    table = table[(np.isfinite(table) & (table > 0)).all(axis=1)]
    if table.empty:
        return None
    slopes, _ = np.polyfit(np.log10(table.columns), np.log10(table.to_numpy().T), 1)
    count = int(slopes.size)
    deviation = float(np.std(slopes, ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return Slope(float(np.mean(slopes)), deviation, count)


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
    for place, same in grouped(started, "problem", "dim", "noise").items():
        for method, own in grouped(same, "method").items():
            law = fit_slope(
                {each.condition.budget: pd.Series(each.errors, each.runs) for each in own}
            )
            if law is not None:
                found.setdefault(place, {})[method] = law
    return found
