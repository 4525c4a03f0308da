"""The section of a results page that says which goals are met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qiskit_arcmaes.bench.goals import Goal, read_goal
from qiskit_arcmaes.bench.report.groups import Condition, Group, groups_of, label_of
from qiskit_arcmaes.bench.report.numbers import escaped, short, shots
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.report.tables import Table
from qiskit_arcmaes.bench.report.verdicts import Outcome, Verdict, judge
from qiskit_arcmaes.bench.store import Status, Store

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


def goal_tables(store: Store, groups: Sequence[Group]) -> Iterator[Table]:
    """One row per goal, then for each goal one row per cell.

    Args:
        store: A sweep.
        groups: Its groups. Cells in which the method of a goal could not start are marked, and
            not scored.
    """
    judged = goals_of(store)
    stuck = {goal: _unstarted(goal, groups) for goal, _ in judged}
    rows = [_summary(goal, verdicts, len(stuck[goal])) for goal, verdicts in judged]
    if rows:
        yield Table(["goal", "cells", "met", "open", "missed"], rows)
    for goal, verdicts in judged:
        cells = [*(_cell(goal, each) for each in verdicts), *stuck[goal]]
        above = f"### {escaped(goal.words)}", "", f"Figure: {goal.measure.value}.", ""
        if cells:
            yield Table(["", goal.own, "best other", "figure", "limit", "verdict"], cells, above)


def _summary(goal: Goal, verdicts: Sequence[Verdict], stuck: int) -> list[str]:
    counts = [sum(each.outcome is outcome for each in verdicts) for outcome in Outcome]
    share = f" ({counts[2] / len(verdicts):.0%})" if verdicts else ""
    cells = f"{len(verdicts)}" + f" ({stuck} could not start)" * (stuck > 0)
    return [goal.words, cells, *map(str, counts[:2]), f"{counts[2]}{share}"]


def _cell(goal: Goal, verdict: Verdict) -> list[str]:
    """Where, our median, the best other's, figure and interval, verdict."""
    best = verdict.best
    return [
        "all cells" if verdict.cell is None else _place(verdict.cell),
        "—" if verdict.own is None else error_text(verdict.own),
        "—" if best is None else f"{best.method}: {error_text(best)}",
        f"{short(verdict.figure)} [{short(verdict.low)}, {short(verdict.high)}]",
        short(goal.limit),
        verdict.outcome.value,
    ]


def _unstarted(goal: Goal, groups: Sequence[Group]) -> list[list[str]]:
    """The cells of a goal in which its method could not start."""
    return [
        [_place(cell), Status.COULD_NOT_START, "—", "—", short(goal.limit), "no score"]
        for cell in (
            each.condition for each in groups if not each.started and each.method == goal.own
        )
        if cell.problem in goal.problems and cell.budget in goal.budgets
    ]


def _place(cell: Condition) -> str:
    noise = "" if cell.noise is None else f", d = {cell.dim}, τ = {cell.noise**0.5:g}"
    return f"{label_of(cell.problem)}{noise}, {shots(cell.budget)}"


def error_text(group: Group) -> str:
    """Median and quartiles of a group."""
    low, _, high = group.quartiles
    return short(group.median) + f" ({short(low)} … {short(high)})" * (len(group.runs) > 1)
