"""Goals on test functions: errors count in units of the start's, and not below a floor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.goals import Goal, Measure
from qiskit_arcmaes.bench.report.bootstrap import (
    Verdict,
    cell_verdict,
    log_ratios,
    overall_verdict,
    ratio,
    resampled_medians,
)
from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.report.starts import Starts

Array = NDArray[np.float64]

FLOOR_SHARE = 1e-8
"""Errors below this share of the start's count as this."""

MEASURES = (Measure.GAINING_RATIO, Measure.HIGH_RATIO, Measure.RISE, Measure.FLOORED_RATIO)
"""What is judged here."""

_HIGH = 0.9  # the quantile of ``Measure.HIGH_RATIO``


@dataclass(frozen=True)
class _Pair:
    """Our runs in a cell, those of the best other method, and the median error of the starts."""

    own: Group
    best: Group
    start: float

    @property
    def floor(self) -> float:
        return FLOOR_SHARE * self.start

    @property
    def gaining(self) -> bool:
        """Whether the best method gains a factor 2 and stays above the floor."""
        return self.floor < min(self.own.median, self.best.median) <= self.start / 2

    @property
    def ratio(self) -> float:
        return ratio(self.own, self.best, self.floor)

    @property
    def log_ratios(self) -> Array:
        return log_ratios(self.own, self.best, self.floor)


def judge_floored(
    goal: Goal, pairs: Sequence[tuple[Group | None, Group | None]], starts: Starts
) -> list[Verdict]:
    """Compare a sweep with a goal of ``MEASURES``.

    Args:
        goal: The goal.
        pairs: Our runs and those of the best other method, cell by cell.
        starts: Gives the errors of the starts.
    """
    if goal.measure is Measure.RISE:
        return [_rise(goal, own, best, starts) for own, best in pairs if own is not None]
    found = [
        _Pair(own, best, float(np.median(starts(own))))
        for own, best in pairs
        if own is not None and best is not None
    ]
    if goal.measure is Measure.FLOORED_RATIO:
        return [
            cell_verdict(goal, pair.ratio, np.exp(pair.log_ratios), pair.own, pair.best)
            for pair in sorted(found, key=lambda pair: -pair.ratio)
        ]
    if goal.measure is Measure.GAINING_RATIO:
        return _overall(goal, [pair for pair in found if pair.gaining], _mean)
    return _overall(goal, found, _high)


def _overall(
    goal: Goal, pairs: Sequence[_Pair], summary: Callable[[Array], Array]
) -> list[Verdict]:
    if not pairs:
        return []
    figure = np.exp(summary(np.log([pair.ratio for pair in pairs])))
    drawn = np.exp(summary(np.array([pair.log_ratios for pair in pairs])))
    return [overall_verdict(goal, float(figure), drawn)]


def _mean(logs: Array) -> Array:
    return np.asarray(np.mean(logs, axis=0))


def _high(logs: Array) -> Array:
    return np.asarray(np.quantile(logs, _HIGH, axis=0))


def _rise(goal: Goal, own: Group, best: Group | None, starts: Starts) -> Verdict:
    """How far runs end above their starts, over what noise explains.

    Two points that share the budget are told apart up to a standard error of 2τ/√B: twice that.
    """
    begun = starts(own)
    rises = own.errors - begun
    explained = 4 * math.sqrt((own.condition.noise or 0.0) / own.condition.budget)
    margin = max(explained, FLOOR_SHARE * float(np.median(begun)))
    drawn = resampled_medians(rises) / margin
    median = float(np.median(np.where(np.isnan(rises), np.inf, rises)))
    return cell_verdict(goal, median / margin, drawn, own, best)
