"""Whether goals are met: figures with bootstrap intervals, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY, Goal, Measure
from qiskit_arcmaes.bench.grouping import distinct
from qiskit_arcmaes.bench.report.bootstrap import (
    Verdict,
    cell_verdict,
    log_ratios,
    overall_verdict,
    ratio,
    resampled_medians,
)
from qiskit_arcmaes.bench.report.floored import MEASURES, judge_floored
from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.starts import Starts, start_error
from qiskit_arcmaes.bench.report.tables import FLOOR


def judge(
    goal: Goal,
    groups: Sequence[Group],
    unused: Mapping[tuple[str, int, str], float],
    starts: Starts,
) -> list[Verdict]:
    """Compare a sweep with one goal.

    Args:
        goal: The goal.
        groups: Of the sweep; methods that could not start are not compared.
        unused: Median share of the budget that a method left, by problem, budget and method.
        starts: Gives the errors of the starts of runs on test functions.

    Returns:
        One verdict per cell that ran, or one over all cells for a mean or a percentile.
    """
    pairs = [_pair(goal, cell, groups) for cell in _cells(goal, groups)]
    if goal.measure in MEASURES:
        return judge_floored(goal, pairs, starts)
    if goal.measure is Measure.MEAN_RATIO:
        return _mean_ratio(goal, [(own, best) for own, best in pairs if own and best])
    found = [_judge_cell(goal, own, best, unused) for own, best in pairs if own is not None]
    return [verdict for verdict in found if verdict is not None]


def _cells(goal: Goal, groups: Sequence[Group]) -> list[Condition]:
    """Where the goal holds and the sweep has runs, in the order of the goal."""
    known = distinct(group.condition for group in groups)
    return [
        cell
        for problem in goal.problems
        for budget in goal.budgets
        for cell in known
        if (cell.problem, cell.budget) == (problem, budget)
    ]


def _pair(
    goal: Goal, cell: Condition, groups: Sequence[Group]
) -> tuple[Group | None, Group | None]:
    """Our runs in a cell, and those of the best other method."""
    there = {group.method: group for group in groups if group.condition == cell and group.started}
    names = [name for name in there if name != goal.own]
    if goal.others is not None:
        names = [name for name in names if name in goal.others]
    best = min((there[name] for name in names), key=lambda group: group.median, default=None)
    return there.get(goal.own), best


def _judge_cell(
    goal: Goal,
    own: Group,
    best: Group | None,
    unused: Mapping[tuple[str, int, str], float],
) -> Verdict | None:
    problem, budget = own.condition.problem, own.condition.budget
    if goal.measure is Measure.UNUSED:
        share = unused[problem, budget, goal.own]
        return cell_verdict(goal, share, np.full(1, share), own, best)
    if goal.measure is Measure.RATIO:
        if best is None:
            return None
        drawn = np.exp(log_ratios(own, best, FLOOR))
        return cell_verdict(goal, ratio(own, best, FLOOR), drawn, own, best)
    medians = resampled_medians(own.errors)
    if goal.measure is Measure.ERROR:
        return cell_verdict(goal, own.median, medians, own, best)
    start = start_error(problem)
    if goal.measure is Measure.START:
        return cell_verdict(goal, own.median / start, medians / start, own, best)
    if goal.measure is Measure.WORST:
        margin = max(CHEMICAL_ACCURACY, 0.1 * start)
        worst = (float(np.max(own.errors)) - start) / margin
        return cell_verdict(goal, worst, np.full(1, worst), own, best)
    if best is None or best.median > start / 2:
        return None
    return cell_verdict(goal, 2 * own.median / start, 2 * medians / start, own, best)


def _mean_ratio(goal: Goal, pairs: Sequence[tuple[Group, Group]]) -> list[Verdict]:
    if not pairs:
        return []
    figure = float(np.exp(np.mean([np.log(ratio(own, best, FLOOR)) for own, best in pairs])))
    drawn = np.exp(np.mean([log_ratios(own, best, FLOOR) for own, best in pairs], axis=0))
    return [overall_verdict(goal, figure, drawn)]
