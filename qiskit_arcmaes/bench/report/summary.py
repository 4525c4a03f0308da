"""One figure that sums a sweep up: who reaches which error where, at the largest budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.method_names import split_conditions
from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import (
    Condition,
    Group,
    at_largest_budget,
    label_of,
    unit_of,
)
from qiskit_arcmaes.bench.report.numbers import shots
from qiskit_arcmaes.bench.report.style import Stroke, family_of, strokes_of
from qiskit_arcmaes.bench.report.tables import FLOOR
from qiskit_arcmaes.viz.colours import written_name

SUMMARY = "summary"  # the figure's name
MOST_ROWS = 16  # problems that are shown one by one
MOST_FAMILIES = 6  # colours can be told apart at a glance
WIDTH = 3.8  # inches: letters stay readable on a telephone

_OURS = "frugal"

Place = dict[str, Group]  # a row of the figure: families, and the best setting of each


def summary_figure(groups: Sequence[Group]) -> tuple[Figure, str, str] | None:
    """Draw the best methods on every problem at its largest budget, or over many problems.

    Args:
        groups: Of a sweep, those that started.

    Returns:
        Figure, name and caption; None without groups.
    """
    there = at_largest_budget(groups)
    if not there:
        return None
    budgets = [group.condition.budget for group in there]
    where = " to ".join(map(shots, sorted({min(budgets), max(budgets)}))) + " shots"
    rows = _rows(there)
    names = _families(list(rows.values()))
    few = len(rows) <= MOST_ROWS
    height = 1.3 + (0.34 * len(rows) if few else 0.22 * len(names))
    figure = Figure((WIDTH, height), layout="constrained")
    best = "of each baseline the best of its settings; further left is better"
    if few:
        _draw_problems(figure.subplots(), rows, names)
        drawing.add_legend(figure)
        caption = f"Median error and quartiles at {where}, {best}"
    else:
        _draw_ratios(figure.subplots(), list(rows.values()), names)
        caption = (
            "Median error over that of the best method: median and quartiles over "
            f"{len(rows)} problems at {where}, {best}"
        )
    drawing.logarithmic(figure.axes[0].xaxis)
    return figure, SUMMARY, caption


def _rows(groups: Sequence[Group]) -> dict[str, Place]:
    """What each row shows, by its label; runs with limits on their jobs have rows of their own."""
    conditions = list(dict.fromkeys(group.condition for group in groups))
    jobs = {group.method: split_conditions(group.method)[1].jobs or 0 for group in groups}
    labels, rows = _labels(conditions), dict[str, Place]()
    for condition in conditions:
        there = [group for group in groups if group.condition == condition]
        for group in sorted(there, key=lambda each: (jobs[each.method], each.median)):
            limit = f", {jobs[group.method]} jobs" if jobs[group.method] else ""
            place = rows.setdefault(labels[condition] + limit, {})
            place.setdefault(family_of(group.method), group)  # the first is the best
    return rows


def _families(rows: Sequence[Place]) -> list[str]:
    """Our own method, and the others: first the best of each row, then those often near it."""
    others = [[name for name in place if name != _OURS] for place in rows]  # the best first
    votes: dict[str, float] = defaultdict(float)
    for order in others:
        for rank, name in enumerate(order):
            votes[name] += (len(rows) + 1.0) ** -rank  # a first place outweighs all seconds
    ours = [_OURS] if any(_OURS in place for place in rows) else []
    ranked = sorted(votes, key=votes.__getitem__, reverse=True)
    return [*ours, *ranked[: MOST_FAMILIES - len(ours)]]


def _draw_problems(axes: Axes, rows: dict[str, Place], names: Sequence[str]) -> None:
    """A row for each problem, in it a mark for each family; chemical accuracy is a line."""
    strokes = strokes_of(names)
    units = {unit_of(group.condition.problem) for each in rows.values() for group in each.values()}
    for row, place in enumerate(rows.values()):
        for turn, name in enumerate(names):
            if name in place:
                height = row + 0.6 * ((turn + 0.5) / len(names) - 0.5)
                _mark(axes, height, place[name].quartiles, written_name(name), strokes[name])
    if "hartree" in units:
        axes.axvline(CHEMICAL_ACCURACY, color=drawing.INK, linestyle="--", linewidth=0.8)
        words = "chemical accuracy" + (" (molecules)" if len(units) > 1 else "")
        spot = axes.get_xaxis_transform()
        axes.text(CHEMICAL_ACCURACY, 1.01, words, transform=spot, ha="center", size=7)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel(f"error ({units.pop()})" if len(units) == 1 else "error, each in its own unit")
    axes.set(xscale="log", ylim=(len(rows) - 0.5, -0.5))


def _draw_ratios(axes: Axes, rows: Sequence[Place], names: Sequence[str]) -> None:
    """A row for each family: its median errors over the lowest ones."""
    strokes = strokes_of(names)
    least = [max(min(group.median for group in place.values()), FLOOR) for place in rows]
    for row, name in enumerate(names):
        ratios = [
            max(place[name].median, FLOOR) / lowest
            for place, lowest in zip(rows, least, strict=True)
            if name in place
        ]
        _mark(axes, row, np.quantile(ratios, (0.25, 0.5, 0.75)), name, strokes[name])
    axes.axvline(1.0, color=drawing.INK, linestyle="--", linewidth=0.8)
    axes.set_yticks(range(len(names)), map(written_name, names))
    axes.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="times the error of the best")


def _mark(axes: Axes, height: float, quartiles: drawing.Array, name: str, stroke: Stroke) -> None:
    low, middle, high = np.maximum(quartiles, FLOOR)
    size = 2.5 * stroke.width**0.8
    axes.plot([low, high], [height, height], color=stroke.colour, linewidth=1.2, alpha=0.6)
    axes.plot(middle, height, stroke.marker, color=stroke.colour, markersize=size, label=name)


def _labels(conditions: Sequence[Condition]) -> dict[Condition, str]:
    """Names of the problems, with what tells those of the same name apart."""
    dims = len({(each.problem, each.dim) for each in conditions}) > len(
        {each.problem for each in conditions}
    )
    levels = len({each.noise for each in conditions}) > 1
    return {
        each: label_of(each.problem)
        + (f", d = {each.dim}" if dims else "")
        + (f", τ² = {each.noise:g}" if levels and each.noise is not None else "")
        for each in conditions
    }
