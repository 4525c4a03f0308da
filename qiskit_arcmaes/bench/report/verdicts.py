"""Whether goals are met: figures with bootstrap intervals, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY, Goal, Measure
from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.report.tables import FLOOR
from qiskit_arcmaes.problems import get_problem

Array = NDArray[np.float64]
Cell = tuple[str, int]

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
        cell: Problem and budget; None for a figure over all cells.
        figure: What the goal limits.
        low: Lower end of its 95% bootstrap interval.
        high: Upper end.
        own: Runs of the method whose goal it is; None over all cells.
        best: The best other method; None where none is compared.
        outcome: Met where the figure is within the limit, missed where the whole interval is above
            it, open between.
    """

    cell: Cell | None
    figure: float
    low: float
    high: float
    own: Group | None
    best: Group | None
    outcome: Outcome


def judge(
    goal: Goal, groups: Sequence[Group], unused: Mapping[tuple[str, int, str], float]
) -> list[Verdict]:
    """Compare a sweep with one goal.

    Args:
        goal: The goal.
        groups: Of the sweep; methods that could not start are not compared.
        unused: Median share of the budget that a method left, by problem, budget and method.

    Returns:
        One verdict per cell that ran, or one over all cells for a geometric mean.
    """
    cells = [(problem, budget) for problem in goal.problems for budget in goal.budgets]
    pairs = [_pair(goal, cell, groups) for cell in cells]
    if goal.measure is Measure.MEAN_RATIO:
        return _mean_ratio(goal, [(own, best) for own, best in pairs if own and best])
    found = [
        _judge_cell(goal, cell, own, best, unused)
        for cell, (own, best) in zip(cells, pairs, strict=True)
        if own is not None
    ]
    return [verdict for verdict in found if verdict is not None]


def _pair(goal: Goal, cell: Cell, groups: Sequence[Group]) -> tuple[Group | None, Group | None]:
    """Our runs in a cell, and those of the best other method."""
    there = {
        group.method: group
        for group in groups
        if (group.condition.problem, group.condition.budget) == cell and group.started
    }
    names = [name for name in there if name != goal.own]
    if goal.others is not None:
        names = [name for name in names if name in goal.others]
    best = min((there[name] for name in names), key=lambda group: group.median, default=None)
    return there.get(goal.own), best


def _judge_cell(
    goal: Goal,
    cell: Cell,
    own: Group,
    best: Group | None,
    unused: Mapping[tuple[str, int, str], float],
) -> Verdict | None:
    if goal.measure is Measure.UNUSED:
        share = unused[(*cell, goal.own)]
        return _verdict(goal, cell, share, np.full(1, share), own, best)
    if goal.measure is Measure.RATIO:
        if best is None:
            return None
        drawn = np.exp(_log_ratios(own, best))
        return _verdict(goal, cell, _ratio(own, best), drawn, own, best)
    medians = _medians(own)
    if goal.measure is Measure.ERROR:
        return _verdict(goal, cell, own.median, medians, own, best)
    start = start_error(cell[0])
    if goal.measure is Measure.START:
        return _verdict(goal, cell, own.median / start, medians / start, own, best)
    if goal.measure is Measure.WORST:
        margin = max(CHEMICAL_ACCURACY, 0.1 * start)
        worst = (float(np.max(own.errors)) - start) / margin
        return _verdict(goal, cell, worst, np.full(1, worst), own, best)
    if best is None or best.median > start / 2:
        return None
    return _verdict(goal, cell, 2 * own.median / start, 2 * medians / start, own, best)


def _mean_ratio(goal: Goal, pairs: Sequence[tuple[Group, Group]]) -> list[Verdict]:
    if not pairs:
        return []
    figure = float(np.exp(np.mean([np.log(_ratio(own, best)) for own, best in pairs])))
    drawn = np.exp(np.mean([_log_ratios(own, best) for own, best in pairs], axis=0))
    return [_verdict(goal, None, figure, drawn, None, None)]


def _verdict(
    goal: Goal,
    cell: Cell | None,
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


def _ratio(own: Group, best: Group) -> float:
    return max(own.median, FLOOR) / max(best.median, FLOOR)


def _draws(runs: int) -> NDArray[np.int_]:
    return np.random.default_rng(_SEED).integers(0, runs, (_RESAMPLES, runs))


def _medians(group: Group) -> Array:
    """Medians of resampled runs, failed runs infinite."""
    errors = np.where(np.isnan(group.errors), np.inf, group.errors)
    return np.asarray(np.median(errors[_draws(len(errors))], axis=1))


def _log_ratios(own: Group, best: Group) -> Array:
    """Logarithms of ratios of medians; runs with the same start are drawn together."""
    return np.asarray(
        np.log(np.maximum(_medians(own), FLOOR)) - np.log(np.maximum(_medians(best), FLOOR))
    )


def start_error(problem: str) -> float:
    """The exact error of a given start.

    Example:
        >>> round(start_error("ucc_h2"), 4)
        0.0203
    """
    found = get_problem(problem)
    return float(found.energy(found.start(np.random.default_rng(0)))[0]) - found.best_energy
