"""The section of a results page that says which goals are met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qiskit_arcmaes.bench.goals import Goal, read_goal
from qiskit_arcmaes.bench.report.groups import Condition, Group, groups_of, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.report.verdicts import Outcome, Verdict, judge
from qiskit_arcmaes.bench.store import Status, Store

Row = list[str]

READING = (
    "A goal is met in a cell (a problem with its noise, at a budget) where the figure is at most "
    "its limit, missed where its whole 95% bootstrap interval lies above, and open between. The "
    "best other method is the one with the lowest median of all that ran in the cell; its runs "
    "have the same starts."
)


def goals_of(store: Store) -> list[tuple[Goal, list[Verdict]]]:
    """The goals of a sweep with what its runs say of them; a goal without runs has none."""
    goals = [read_goal(data) for data in store.description.get("goals") or ()]
    if not goals:
        return []
    groups, starts = groups_of(store), starts_of(int(store.description["root_seed"]))
    return [(goal, judge(goal, groups, starts)) for goal in goals]


def unstarted(goal: Goal, groups: Sequence[Group]) -> list[Condition]:
    """The cells of a goal in which its method could not start: they are marked, and not scored."""
    return [
        group.condition
        for group in groups
        if group.method == goal.own and not group.started
        if group.condition.problem in goal.problems and group.condition.budget in goal.budgets
    ]


def unstarted_rows(goal: Goal, groups: Sequence[Group]) -> Iterator[Row]:
    """One row per such cell, as ``cell_rows`` has them."""
    for cell in unstarted(goal, groups):
        yield [_place(cell), Status.COULD_NOT_START.value, "—", "—", short(goal.limit), "no score"]


def summary_rows(
    judged: Sequence[tuple[Goal, list[Verdict]]], groups: Sequence[Group]
) -> list[Row]:
    """One row per goal: words, cells, met, open, missed.

    Args:
        judged: What ``goals_of`` returned.
        groups: Of the same sweep: cells in which the method could not start are told beside those
            that are scored.
    """
    rows = []
    for goal, verdicts in judged:
        counts = [sum(each.outcome is outcome for each in verdicts) for outcome in Outcome]
        share = f" ({counts[2] / len(verdicts):.0%})" if verdicts else ""
        stuck = len(unstarted(goal, groups))
        cells = f"{len(verdicts)}" + f" ({stuck} could not start)" * (stuck > 0)
        rows.append([goal.words, cells, *map(str, counts[:2]), f"{counts[2]}{share}"])
    return rows


def cell_rows(goal: Goal, verdicts: Sequence[Verdict]) -> Iterator[Row]:
    """One row per cell: where, our median, the best other's, figure and interval, verdict."""
    for each in verdicts:
        yield [
            "all cells" if each.cell is None else _place(each.cell),
            error_text(each.own),
            "—" if each.best is None else f"{each.best.method}: {error_text(each.best)}",
            f"{short(each.figure)} [{short(each.low)}, {short(each.high)}]",
            short(goal.limit),
            each.outcome.value,
        ]


def _place(cell: Condition) -> str:
    noise = "" if cell.noise is None else f", d = {cell.dim}, τ = {cell.noise**0.5:g}"
    return f"{label_of(cell.problem)}{noise}, {shots(cell.budget)}"


def error_text(group: Group | None) -> str:
    """Median and quartiles of a group."""
    if group is None:
        return "—"
    low, _, high = group.quartiles
    return short(group.median) + f" ({short(low)} … {short(high)})" * (len(group.runs) > 1)
