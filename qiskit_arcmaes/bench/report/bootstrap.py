"""Figures compared with the limit of a goal, with bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.goals import Goal
from qiskit_arcmaes.bench.report.groups import Condition, Group

Array = NDArray[np.float64]

_RESAMPLES = 2000
_INTERVAL = (0.025, 0.975)
_SEED = 7  # of the bootstrap, so that a report is the same whenever it is written


class Outcome(StrEnum):
    """What a figure says about a goal."""

    MET = "met"
    OPEN = "open"
    MISSED = "missed"


@dataclass(frozen=True)
class Verdict:
    """A figure compared with a goal.

    Attributes:
        cell: Where it was measured; None for a figure over all cells.
        figure: What the goal limits.
        low: Lower end of its 95% bootstrap interval.
        high: Upper end.
        own: Runs of the method whose goal it is; None over all cells.
        best: The best other method; None where none is compared.
        outcome: Met where the figure is within the limit, missed where the whole interval is above
            it, open between.
    """

    cell: Condition | None
    figure: float
    low: float
    high: float
    own: Group | None
    best: Group | None
    outcome: Outcome


def cell_verdict(
    goal: Goal, figure: float, drawn: Array, own: Group, best: Group | None
) -> Verdict:
    """The verdict of one cell.

    Args:
        goal: The goal.
        figure: What it limits.
        drawn: The figure of resampled runs.
        own: Runs of the method whose goal it is.
        best: The best other method.
    """
    return _verdict(goal, own.condition, figure, drawn, own, best)


def overall_verdict(goal: Goal, figure: float, drawn: Array) -> Verdict:
    """The verdict of a figure over all cells; arguments as for ``cell_verdict``."""
    return _verdict(goal, None, figure, drawn, None, None)


def _verdict(
    goal: Goal,
    cell: Condition | None,
    figure: float,
    drawn: Array,
    own: Group | None,
    best: Group | None,
) -> Verdict:
    low, high = (float(end) for end in np.quantile(drawn, _INTERVAL))
    outcome = Outcome.MET
    if figure > goal.limit:
        outcome = Outcome.MISSED if low > goal.limit else Outcome.OPEN
    return Verdict(cell, figure, low, high, own, best, outcome)


def resampled_medians(errors: Array) -> Array:
    """Medians of resampled runs, failed runs infinite; equal numbers of runs, equal draws."""
    known = np.where(np.isnan(errors), np.inf, errors)
    draws = np.random.default_rng(_SEED).integers(0, len(known), (_RESAMPLES, len(known)))
    return np.asarray(np.median(known[draws], axis=1))


def ratio(own: Group, best: Group, floor: float) -> float:
    """The ratio of two medians, errors below the floor raised to it."""
    return max(own.median, floor) / max(best.median, floor)


def log_ratios(own: Group, best: Group, floor: float) -> Array:
    """Logarithms of ratios of medians; runs with the same start are drawn together."""
    return np.asarray(
        np.log(np.maximum(resampled_medians(own.errors), floor))
        - np.log(np.maximum(resampled_medians(best.errors), floor))
    )
