"""One figure that sums a sweep up: who reaches which error where, at the largest budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import Condition, Group, grouped, label_of, unit_of
from qiskit_arcmaes.bench.report.numbers import shots
from qiskit_arcmaes.bench.report.style import Stroke
from qiskit_arcmaes.bench.report.tables import FLOOR, main_methods

SUMMARY = "summary"  # the figure's name
MOST_ROWS = 16  # problems that are shown one by one
MOST_METHODS = 5  # of these; colours can be told apart at a glance
WIDTH = 3.8  # inches: letters stay readable on a telephone


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
    places = [
        [group for group in same if group.condition.budget == _largest(same)]
        for same in grouped(groups, "problem", "dim", "noise").values()
    ]
    if not places:
        return None
    there = [group for same in places for group in same]
    budgets = sorted({group.condition.budget for group in there})
    where = " to ".join(map(shots, dict.fromkeys([budgets[0], budgets[-1]]))) + " shots"
    few = len(places) <= MOST_ROWS
    chosen = main_methods(there, MOST_METHODS if few else drawing.MOST)
    names = [name for name in strokes if name in chosen]
    rows = len(places) if few else len(names)
    figure = Figure((WIDTH, 1.3 + (0.34 if few else 0.22) * rows), layout="constrained")
    axes = figure.subplots()
    if few:
        _draw_problems(axes, places, names, strokes)
        drawing.add_legend(figure)
        caption = f"Median error and quartiles at {where}; further left is better"
    else:
        _draw_ratios(axes, places, names, strokes)
        caption = (
            f"Median error over that of the best method: median and quartiles over {len(places)} "
            f"problems at {where}; 1 is the best, further left is better"
        )
    drawing.logarithmic(axes.xaxis)
    return figure, SUMMARY, caption


def _largest(groups: Iterable[Group]) -> int:
    return max(group.condition.budget for group in groups)


def _draw_problems(
    axes: Axes, places: Sequence[Sequence[Group]], names: Sequence[str], strokes: dict[str, Stroke]
) -> None:
    """A row for each problem, in it a mark for each method; chemical accuracy is a line."""
    conditions = [same[0].condition for same in places]
    units = {unit_of(condition.problem) for condition in conditions}
    for row, same in enumerate(places):
        for group in same:
            if group.method in names:
                height = row + 0.6 * ((names.index(group.method) + 0.5) / len(names) - 0.5)
                _mark(axes, height, group.quartiles, group.method, strokes)
    if "hartree" in units:
        axes.axvline(CHEMICAL_ACCURACY, color=drawing.INK, linestyle="--", linewidth=0.8)
        place = axes.get_xaxis_transform()
        words = "chemical accuracy" + (" (molecules)" if len(units) > 1 else "")
        axes.text(CHEMICAL_ACCURACY, 1.01, words, transform=place, ha="center", size=7)
    axes.set_yticks(range(len(places)), _labels(conditions))
    axes.set_xlabel(f"error ({units.pop()})" if len(units) == 1 else "error, each in its own unit")
    axes.set(xscale="log", ylim=(len(places) - 0.5, -0.5))


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
        _mark(axes, row, np.quantile(ratios, (0.25, 0.5, 0.75)), name, strokes)
    axes.axvline(1.0, color=drawing.INK, linestyle="--", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="times the error of the best")


def _mark(
    axes: Axes, height: float, quartiles: drawing.Array, name: str, strokes: dict[str, Stroke]
) -> None:
    low, middle, high = np.maximum(quartiles, FLOOR)
    stroke, size = strokes[name], 2.5 * strokes[name].width ** 0.8
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
