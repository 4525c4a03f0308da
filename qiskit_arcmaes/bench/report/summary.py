"""One figure that sums a sweep up: who reaches which error where, at the largest budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.method_names import split_conditions
from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import Condition, Group, grouped, label_of, unit_of
from qiskit_arcmaes.bench.report.numbers import shots
from qiskit_arcmaes.bench.report.style import Stroke, family_label, family_of, strokes_of
from qiskit_arcmaes.bench.report.tables import FLOOR, main_methods

SUMMARY = "summary"  # the figure's name
MOST_ROWS = 16  # problems that are shown one by one
MOST_FAMILIES = 6  # of these; colours can be told apart at a glance
WIDTH = 3.8  # inches: letters stay readable on a telephone

_OURS = "frugal"

Place = dict[str, Group]  # a row of the figure: families, and the best setting of each


def summary_figure(
    groups: Sequence[Group], strokes: dict[str, Stroke]
) -> tuple[Figure, str, str] | None:
    """Draw the best methods on every problem at its largest budget, or over many problems.

    Args:
        groups: Of a sweep, those that started.
        strokes: Of the methods.

    Returns:
        Figure, name and caption; None without groups.
    """
    largest = [
        [group for group in same if group.condition.budget == _largest(same)]
        for same in grouped(groups, "problem", "dim", "noise").values()
    ]
    if not largest:
        return None
    there = [group for same in largest for group in same]
    budgets = sorted({group.condition.budget for group in there})
    where = " to ".join(map(shots, dict.fromkeys([budgets[0], budgets[-1]]))) + " shots"
    rows = _rows(there)
    if len(rows) <= MOST_ROWS:
        figure = Figure((WIDTH, 1.3 + 0.34 * len(rows)), layout="constrained")
        _draw_problems(figure.subplots(), rows)
        drawing.add_legend(figure)
        caption = (
            f"Median error and quartiles at {where}, of each baseline the best of its settings; "
            "further left is better"
        )
    else:
        chosen = main_methods(there, drawing.MOST)
        names = [name for name in strokes if name in chosen]
        figure = Figure((WIDTH, 1.3 + 0.22 * len(names)), layout="constrained")
        _draw_ratios(figure.subplots(), largest, names, strokes)
        caption = (
            f"Median error over that of the best method: median and quartiles over {len(largest)} "
            f"problems at {where}; 1 is the best, further left is better"
        )
    drawing.logarithmic(figure.axes[0].xaxis)
    return figure, SUMMARY, caption


def _largest(groups: Iterable[Group]) -> int:
    return max(group.condition.budget for group in groups)


def _rows(groups: Sequence[Group]) -> dict[str, Place]:
    """What each row shows, by its label; runs with limits on their jobs have rows of their own."""
    found: dict[Condition, dict[int, list[Group]]] = {}
    for group in groups:
        jobs = split_conditions(group.method)[1].jobs or 0
        found.setdefault(group.condition, {}).setdefault(jobs, []).append(group)
    places = {(where, jobs): found[where][jobs] for where in found for jobs in sorted(found[where])}
    conditions, limits = zip(*places, strict=True)
    labels = [
        name + (f", {jobs} jobs" if jobs else "")
        for name, jobs in zip(_labels(conditions), limits, strict=True)
    ]
    best: list[Place] = [{} for _ in places]
    for place, same in zip(best, places.values(), strict=True):
        for group in sorted(same, key=lambda each: each.median):
            place.setdefault(family_of(group.method), group)  # the first is the best
    return dict(zip(labels, best, strict=True))


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


def _draw_problems(axes: Axes, rows: dict[str, Place]) -> None:
    """A row for each problem, in it a mark for each family; chemical accuracy is a line."""
    names = _families(list(rows.values()))
    strokes = strokes_of(names)
    problems = {group.condition.problem for place in rows.values() for group in place.values()}
    units = {*map(unit_of, problems)}
    for row, place in enumerate(rows.values()):
        for turn, name in enumerate(names):
            if name in place:
                height = row + 0.6 * ((turn + 0.5) / len(names) - 0.5)
                _mark(axes, height, place[name].quartiles, family_label(name), strokes[name])
    if "hartree" in units:
        axes.axvline(CHEMICAL_ACCURACY, color=drawing.INK, linestyle="--", linewidth=0.8)
        words = "chemical accuracy" + (" (molecules)" if len(units) > 1 else "")
        spot = axes.get_xaxis_transform()
        axes.text(CHEMICAL_ACCURACY, 1.01, words, transform=spot, ha="center", size=7)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel(f"error ({units.pop()})" if len(units) == 1 else "error, each in its own unit")
    axes.set(xscale="log", ylim=(len(rows) - 0.5, -0.5))


def _draw_ratios(
    axes: Axes, places: Sequence[Sequence[Group]], names: Sequence[str], strokes: dict[str, Stroke]
) -> None:
    """A row for each method: its median errors over the lowest ones."""
    least = [max(min(group.median for group in same), FLOOR) for same in places]
    for row, name in enumerate(names):
        ratios = [
            max(group.median, FLOOR) / lowest
            for same, lowest in zip(places, least, strict=True)
            for group in same
            if group.method == name
        ]
        _mark(axes, row, np.quantile(ratios, (0.25, 0.5, 0.75)), name, strokes[name])
    axes.axvline(1.0, color=drawing.INK, linestyle="--", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="times the error of the best")


def _mark(axes: Axes, height: float, quartiles: drawing.Array, name: str, stroke: Stroke) -> None:
    low, middle, high = np.maximum(quartiles, FLOOR)
    size = 2.5 * stroke.width**0.8
    axes.plot([low, high], [height, height], color=stroke.colour, linewidth=1.2, alpha=0.6)
    axes.plot(middle, height, stroke.marker, color=stroke.colour, markersize=size, label=name)


def _labels(conditions: Sequence[Condition]) -> list[str]:
    """Names of the problems, with what tells those of the same name apart."""
    names = [label_of(condition.problem) for condition in conditions]
    dims = len({(each.problem, each.dim) for each in conditions}) > len(set(names))
    levels = len({each.noise for each in conditions}) > 1
    return [
        name
        + (f", d = {each.dim}" if dims else "")
        + (f", τ² = {each.noise:g}" if levels and each.noise is not None else "")
        for name, each in zip(names, conditions, strict=True)
    ]
