"""The figures of a report: PDF for a paper, PNG for a text, SVG for the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.anytime import anytime_of, convergence_of
from qiskit_arcmaes.bench.report.groups import (
    Group,
    at_largest_budget,
    grouped,
    groups_of,
    label_of,
)
from qiskit_arcmaes.bench.report.numbers import shots, shots_in_names
from qiskit_arcmaes.bench.report.scaling import growth_of, is_scaling
from qiskit_arcmaes.bench.report.scaling_page import scaling_figure
from qiskit_arcmaes.bench.report.style import Stroke, strokes_of
from qiskit_arcmaes.bench.report.summary import summary_figure
from qiskit_arcmaes.bench.report.tables import main_methods, slopes
from qiskit_arcmaes.bench.store import Store

WIDE = 3  # panels in a row, where there is one noise level
DPI = 220

Draw = Callable[[Axes, Sequence[Any], dict[str, Stroke]], None]
Made = tuple[Figure, str, str]  # figure, name, caption
Panel = tuple[str, list[Group]]  # title and what is drawn

_CAPTIONS = {
    "budget": "Error against budget{}: medians and quartiles over the runs",
    "convergence": "Error over shots{}: median and quartiles over the runs",
    "anytime": "Error during the run at the largest budget: median and quartiles over the runs",
}
"""Of the figures that there is one of for each dimension."""


@dataclass(frozen=True)
class Written:
    """A figure on disk.

    Attributes:
        name: File name without its ending; there is a ``.pdf`` and a ``.png``.
        caption: What it shows.
        svg: The figure itself, for a page.
    """

    name: str
    caption: str
    svg: str


def write_figures(store: Store, folder: Path) -> list[Written]:
    """Draw every figure that the sweep has the data for.

    Args:
        store: A sweep, finished or not.
        folder: Where the files go; made if missing.

    Returns:
        The figures, in the order of the report.
    """
    groups = [group for group in groups_of(store) if group.started]
    wanted = store.description.get("shows") or ("ecdf", "budget", "convergence")
    strokes = strokes_of(group.method for group in groups)
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(drawing.RC):
        summary = scaling_figure(growth_of(store), strokes) or summary_figure(groups)
        made = [] if summary is None else [summary]
        made += _ecdfs(groups, strokes) if "ecdf" in wanted else []
        if "budget" in wanted:
            places = grouped(groups, "problem", "dim", "noise")
            fitted = [group for place in slopes(groups) for group in places[place]]
            made += _by_size("budget", fitted, strokes)
        if "convergence" in wanted:
            made += _by_size("convergence", at_largest_budget(convergence_of(store)), strokes)
        if not is_scaling(groups):
            made += _by_size("anytime", at_largest_budget(anytime_of(store)), strokes)
        made += _efficiency(store.table("efficiency"))
        return [_save(folder, *each) for each in made]


def _ecdfs(groups: Sequence[Group], strokes: dict[str, Stroke]) -> Iterator[Made]:
    """Over everything; noise level by noise level; problem by problem."""
    for (dim, budget), there in grouped(groups, "dim", "budget").items():
        name, where = f"d{dim}-B{shots_in_names(budget)}", f"d = {dim}, {shots(budget)} shots"
        made = [("ecdf", [[("", there)]], "How often which error is reached")]
        levels = grouped(sorted(there, key=lambda each: each.condition.level), "noise")
        if len(levels) > 1:
            row = [(_level(level), same) for level, same in levels.items()]
            made.append(("ecdf-noise", [row], "The same for each noise level"))
        if len(grouped(there, "problem")) > 1:
            made.append(("ecdf-problems", _grid(there), "The same for each problem"))
        for kind, grid, words in made:
            figure = _figure(grid, drawing.draw_ecdf, strokes)
            yield figure, f"{kind}-{name}", f"{words}, {where}"


def _by_size(kind: str, groups: Sequence[Group], strokes: dict[str, Stroke]) -> Iterator[Made]:
    """One figure for each dimension of the functions, and one for all circuits."""
    draw = drawing.draw_budget if kind == "budget" else drawing.draw_anytime
    for size, there in grouped(groups, "size").items():
        ending, where = (f"-d{size}", f", d = {size}") if size else ("", "")
        yield _figure(_grid(there), draw, strokes), kind + ending, _CAPTIONS[kind].format(where)


def _efficiency(rows: pd.DataFrame) -> Iterator[Made]:
    """Gain per shot on the first problem of the table."""
    if rows.empty:
        return
    (problem, dim, noise), own = next(iter(rows.groupby(["problem", "dim", "noise"], sort=False)))
    title = f"{label_of(problem)}, d = {dim}, τ² = {noise:g}"
    figure = Figure((drawing.COLUMN, 2.6), layout="constrained")
    axes = figure.subplots()
    drawing.draw_efficiency(axes, own)
    axes.set_title(title)
    drawing.add_legend(figure)
    yield figure, "efficiency", f"Gain per shot over M, {title}"


def _grid(groups: Sequence[Group]) -> list[list[Panel]]:
    """A panel for each problem and noise level: levels side by side, or problems where one."""
    levels = list(grouped(sorted(groups, key=lambda each: each.condition.level), "noise"))
    rows = []
    for problem, same in grouped(groups, "problem").items():
        label, by_level = label_of(problem), grouped(same, "noise")
        titles = {each: label if each is None else f"{label}, {_level(each)}" for each in levels}
        rows.append([(titles[each], by_level.get(each, [])) for each in levels])
    if len(levels) > 1:
        return rows
    width = min(WIDE, len(rows))
    panels = [*(row[0] for row in rows), *[("", [])] * (-len(rows) % width)]
    return [panels[first : first + width] for first in range(0, len(panels), width)]


def _figure(grid: Sequence[Sequence[Panel]], draw: Draw, strokes: dict[str, Stroke]) -> Figure:
    """Panels in rows, with one legend below them."""
    rows, columns = len(grid), len(grid[0])
    everything = [group for row in grid for _, groups in row for group in groups]
    chosen = main_methods(everything, drawing.MOST)
    width = drawing.COLUMN if columns == 1 else drawing.PAGE
    figure = Figure((width, 2.7 if rows == 1 else 1.5 * rows + 0.6), layout="constrained")
    for (row, column), axes in np.ndenumerate(figure.subplots(rows, columns, squeeze=False)):
        title, groups = grid[row][column]
        shown = [group for group in groups if group.method in chosen]
        if not shown:
            axes.set_axis_off()
            continue
        draw(axes, shown, strokes)
        axes.set_title(title)
        if column > 0:
            axes.set_ylabel("")
        if row < rows - 1 and grid[row + 1][column][1]:
            axes.set_xlabel("")
    total = len({group.method for group in everything})
    left_out = f"{len(chosen)} of {total} methods" if len(chosen) < total else None
    drawing.add_legend(figure, left_out)
    return figure


def _save(folder: Path, figure: Figure, name: str, caption: str) -> Written:
    figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})
    figure.set_layout_engine("none")  # laid out once is enough
    figure.savefig(folder / f"{name}.png", dpi=DPI)
    return Written(name, caption, _svg(figure, name))


def _svg(figure: Figure, name: str) -> str:
    """The figure for a page: fixed names that no other figure has, and the page's own ink."""
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", transparent=True)
    unused = r'<metadata>.*?</metadata>|<!--.*?-->| id="\w+_\d+"'
    svg = re.sub(unused, "", text.getvalue(), flags=re.DOTALL)
    svg = svg[svg.index("<svg") :]  # in whose lines tenths of a point are enough
    svg = re.sub(r'(?<= d=")[^"]+', lambda path: re.sub(r"(\.\d)\d+", r"\1", path[0]), svg)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    return svg.replace(drawing.INK, "currentColor").replace(drawing.GRID, "var(--line)")


def _level(level: float | None) -> str:
    return "shot noise" if level is None else f"τ² = {level:g}"
