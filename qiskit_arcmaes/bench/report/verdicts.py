"""Whether goals are met: figures with bootstrap intervals, cell by cell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY, Goal, Measure
from qiskit_arcmaes.bench.report.groups import Condition, Group, grouped
from qiskit_arcmaes.bench.report.starts import Starts
from qiskit_arcmaes.bench.report.tables import FLOOR

Array = NDArray[np.float64]
Figure = tuple[float, Array]  # what a goal limits, and the same of resampled runs

FLOOR_SHARE = 1e-8
"""On test functions, errors below this share of the start's count as this."""

_RESAMPLES, _INTERVAL = 2000, (0.025, 0.975)
_SEED = 7  # of the bootstrap, so that a report is the same whenever it is written
_HIGH = 0.9  # the quantile of ``Measure.HIGH_RATIO``
_OVERALL = (Measure.MEAN_RATIO, Measure.GAINING_RATIO, Measure.HIGH_RATIO)


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


def judge(goal: Goal, groups: Sequence[Group], starts: Starts) -> list[Verdict]:
    """Compare a sweep with one goal.

    Args:
        goal: The goal.
        groups: Of the sweep; methods that could not start are not compared.
        starts: Gives the errors of the starts of runs.

    Returns:
        One verdict per cell that ran, or one over all cells for a mean or a percentile.
    """
    pairs = _pairs(goal, groups)
    if goal.measure in _OVERALL:
        overall = _overall(goal.measure, pairs, starts)
        return [] if overall is None else [_verdict(goal, overall)]
    figures = [_figure(goal.measure, own, best, starts) for own, best in pairs]
    found = [
        _verdict(goal, figure, own, best)
        for (own, best), figure in zip(pairs, figures, strict=True)
        if figure is not None
    ]
    if goal.measure is Measure.FLOORED_RATIO:
        found.sort(key=lambda verdict: -verdict.figure)
    return found


def _pairs(goal: Goal, groups: Sequence[Group]) -> list[tuple[Group, Group | None]]:
    """Our runs and those of the best other method, in the order of the goal's cells."""
    cells = grouped((group for group in groups if group.started), "problem", "budget")
    pairs = []
    for place in itertools.product(goal.problems, goal.budgets):
        there = cells.get(place, [])
        for own in (group for group in there if group.method == goal.own):
            others = [
                group
                for group in there
                if group.condition == own.condition and group is not own
                if goal.others is None or group.method in goal.others
            ]
            pairs.append((own, min(others, key=lambda group: group.median, default=None)))
    return pairs


def _verdict(
    goal: Goal, figure: Figure, own: Group | None = None, best: Group | None = None
) -> Verdict:
    value, drawn = figure
    low, high = (float(end) for end in np.quantile(drawn, _INTERVAL))
    outcome = Outcome.MET
    if value > goal.limit:
        outcome = Outcome.MISSED if low > goal.limit else Outcome.OPEN
    return Verdict(own.condition if own else None, value, low, high, own, best, outcome)


def _figure(measure: Measure, own: Group, best: Group | None, starts: Starts) -> Figure | None:
    """The figure of one cell; None where it has none."""
    if measure is Measure.UNUSED:
        return own.unused, np.full(1, own.unused)
    if measure is Measure.RISE:
        return _rise(own, starts)
    if measure in (Measure.RATIO, Measure.FLOORED_RATIO):
        floor = FLOOR if measure is Measure.RATIO else _floor(own, starts)
        return None if best is None else _ratio(own, best, floor)
    medians = _resampled_medians(own.errors)
    if measure is Measure.ERROR:
        return own.median, medians
    start = float(np.median(starts(own)))
    if measure is Measure.START:
        return own.median / start, medians / start
    if measure is Measure.WORST:
        worst = (float(np.max(own.errors)) - start) / max(CHEMICAL_ACCURACY, 0.1 * start)
        return worst, np.full(1, worst)
    if best is None or best.median > start / 2:
        return None
    return 2 * own.median / start, 2 * medians / start


def _overall(
    measure: Measure, pairs: Sequence[tuple[Group, Group | None]], starts: Starts
) -> Figure | None:
    """The figure over all cells; None where no cell counts."""
    ratios = []
    for own, best in pairs:
        if best is not None:
            floor = FLOOR if measure is Measure.MEAN_RATIO else _floor(own, starts)
            lowest = min(own.median, best.median)
            gaining = floor < lowest <= floor / FLOOR_SHARE / 2
            if gaining or measure is not Measure.GAINING_RATIO:
                ratios.append(_ratio(own, best, floor))
    if not ratios:
        return None
    values = np.log([value for value, _ in ratios])
    drawn = np.log([resampled for _, resampled in ratios])
    if measure is Measure.HIGH_RATIO:
        return float(np.exp(np.quantile(values, _HIGH))), np.exp(np.quantile(drawn, _HIGH, axis=0))
    return float(np.exp(np.mean(values))), np.exp(np.mean(drawn, axis=0))


def _floor(own: Group, starts: Starts) -> float:
    return FLOOR_SHARE * float(np.median(starts(own)))


def _resampled_medians(errors: Array) -> Array:
    """Medians of resampled runs, failed runs infinite; equal numbers of runs, equal draws."""
    known = np.where(np.isnan(errors), np.inf, errors)
    draws = np.random.default_rng(_SEED).integers(0, len(known), (_RESAMPLES, len(known)))
    return np.asarray(np.median(known[draws], axis=1))


def _ratio(own: Group, best: Group, floor: float) -> Figure:
    """The ratio of two medians, not below a floor; runs with the same start are drawn together."""
    ours, theirs = (
        np.maximum([group.median, *_resampled_medians(group.errors)], floor)
        for group in (own, best)
    )
    ratios = np.exp(np.log(ours) - np.log(theirs))
    return float(ours[0] / theirs[0]), ratios[1:]


def _rise(own: Group, starts: Starts) -> Figure:
    """How far runs end above their starts, over what noise explains.

    Two points that share the budget are told apart up to a standard error of 2τ/√B: twice that.
    """
    rises = own.errors - starts(own)
    explained = 4 * math.sqrt((own.condition.noise or 0.0) / own.condition.budget)
    margin = max(explained, _floor(own, starts))
    median = float(np.median(np.where(np.isnan(rises), np.inf, rises)))
    return median / margin, _resampled_medians(rises) / margin
