"""The section of a results page that says which goals are met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qiskit_arcmaes.bench.goals import Goal, read_goal
from qiskit_arcmaes.bench.report.groups import Condition, Group, groups_of, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.starts import starts_of
from qiskit_arcmaes.bench.report.verdicts import Outcome, Verdict, judge
from qiskit_arcmaes.bench.store import Store

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


def summary_rows(judged: Sequence[tuple[Goal, list[Verdict]]]) -> list[Row]:
    """One row per goal: words, cells, met, open, missed."""
    rows = []
    for goal, verdicts in judged:
        counts = [sum(each.outcome is outcome for each in verdicts) for outcome in Outcome]
        share = f" ({counts[2] / len(verdicts):.0%})" if verdicts else ""
        rows.append([goal.words, str(len(verdicts)), *map(str, counts[:2]), f"{counts[2]}{share}"])
    return rows


def cell_rows(goal: Goal, verdicts: Sequence[Verdict]) -> Iterator[Row]:
    """One row per cell: where, our median, the best other's, figure and interval, verdict."""
    for each in verdicts:
        yield [
            "all cells" if each.cell is None else _place(each.cell),
            _errors(each.own),
            "—" if each.best is None else f"{each.best.method}: {_errors(each.best)}",
            f"{short(each.figure)} [{short(each.low)}, {short(each.high)}]",
            short(goal.limit),
            each.outcome.value,
        ]


def _place(cell: Condition) -> str:
    noise = "" if cell.noise is None else f", d = {cell.dim}, τ = {cell.noise**0.5:g}"
    return f"{label_of(cell.problem)}{noise}, {shots(cell.budget)}"


def _errors(group: Group | None) -> str:
    if group is None:
        return "—"
    low, _, high = group.quartiles
    return f"{short(group.median)} ({short(low)} … {short(high)})"
