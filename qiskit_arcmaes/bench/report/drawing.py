"""Panels of matplotlib figures: one function for each kind of plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from numpy.typing import NDArray

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.report.anytime import Anytime
from qiskit_arcmaes.bench.report.groups import Group, grouped, unit_of
from qiskit_arcmaes.bench.report.numbers import ten_to
from qiskit_arcmaes.bench.report.style import Stroke
from qiskit_arcmaes.bench.report.tables import FLOOR, methods_of
from qiskit_arcmaes.viz.colours import GREEN, SKY, VERMILION

Array = NDArray[np.float64]

COLUMN, PAGE = 3.33, 7.0  # inches: one column, and the width of two
DECADES_SHOWN = 1e3  # of the shots of a run: before, most methods are still at their start
MOST = 8  # methods in one figure; the tables have the others
INK, GRID = "#16191d", "#e6e9ec"  # of letters, axes and grid; the page has others in the dark
RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 8.0),
    **dict.fromkeys(("legend.fontsize", "xtick.labelsize", "ytick.labelsize"), 7.0),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": GRID,
    **dict.fromkeys(("axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "text.color": INK,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "pdf.fonttype": 42,  # letters stay letters
    "svg.fonttype": "none",
}
"""Settings under which figures are drawn and saved."""

Strokes = Mapping[str, Stroke]


def line_style(stroke: Stroke) -> dict[str, Any]:
    """A stroke in matplotlib's words."""
    dashes = (0, tuple(length / stroke.width for length in stroke.dashes))
    return {
        "color": stroke.colour,
        "linewidth": stroke.width * 0.75,
        "linestyle": dashes if stroke.dashes else "-",
        "zorder": 2 + stroke.width / 10,
    }


def logarithmic(*axes: Axis) -> None:
    """Few ticks, on powers of ten only: others would crowd small panels and take long to draw.

    Where fewer than two are in view, the axis is widened to those next to its ends.
    """
    for axis in axes:
        low, high = np.log10(np.sort(axis.get_view_interval()))
        if np.floor(high) - np.ceil(low) < 1:
            axis.set_view_interval(10 ** np.floor(low), 10 ** np.ceil(high), ignore=True)
        axis.set_major_locator(LogLocator(numticks=7))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(lambda value, _: ten_to(round(np.log10(value))))


def draw_ecdf(axes: Axes, groups: Sequence[Group], strokes: Strokes) -> None:
    """The share of runs with at most an error, for each method over all the groups given."""
    own = grouped(groups, "method")
    pooled = {
        name: np.concatenate([each.errors for each in own[name]]) for name in methods_of(groups)
    }
    finite = np.concatenate(list(pooled.values()))
    finite = np.maximum(finite[np.isfinite(finite)], FLOOR)
    low, high = finite.min() / 1.5, finite.max() * 1.5
    for method, errors in pooled.items():  # a run that failed reaches no error that is shown
        shown = np.where(np.isfinite(errors), np.maximum(errors, FLOOR), 2 * high)
        axes.ecdf(shown, label=method, **line_style(strokes[method]))
    axes.set(xscale="log", xlim=(low, high), ylim=(0, 1.02))
    axes.set(xlabel="error of the returned point", ylabel="share of the runs")
    logarithmic(axes.xaxis)


def draw_anytime(axes: Axes, groups: Sequence[Anytime], strokes: Strokes) -> None:
    """Median error during the run, quartiles as a band; chemical accuracy is a line."""
    for group in groups:
        style = line_style(strokes[group.method])
        low, middle, high = np.maximum(group.quartiles_on_ladder, FLOOR)
        axes.fill_between(
            group.ladder, low, high, step="post", color=style["color"], alpha=0.13, linewidth=0
        )
        axes.step(group.ladder, middle, where="post", label=group.method, **style)
    if unit_of(groups[0].condition.problem) == "hartree":
        axes.axhline(CHEMICAL_ACCURACY, color=INK, linestyle="--", linewidth=0.8)
        place = axes.get_yaxis_transform()
        axes.text(0.01, CHEMICAL_ACCURACY, "1.6 mHa", transform=place, va="bottom", size=6)
    budget = groups[0].condition.budget
    axes.set(xscale="log", yscale="log", xlim=(budget / DECADES_SHOWN, 1.2 * budget))
    on_function = groups[0].condition.size > 0
    axes.set(xlabel="shots spent", ylabel="error" + " of the current point" * on_function)
    logarithmic(axes.xaxis, axes.yaxis)


def draw_budget(axes: Axes, groups: Sequence[Group], strokes: Strokes) -> None:
    """Medians with quartiles at each budget, joined by lines, of one problem."""
    by_method = grouped(groups, "method")
    for method in methods_of(groups):
        own = by_method[method]
        budgets = [group.condition.budget for group in own]
        low, middle, high = np.maximum([group.quartiles for group in own], FLOOR).T
        bars = np.array([middle - low, high - middle])
        style = line_style(strokes[method])
        axes.errorbar(
            budgets, middle, bars, label=method, marker="o", markersize=2.5, elinewidth=0.8, **style
        )
    axes.set(xscale="log", yscale="log", xlabel="budget in shots", ylabel="final error")
    logarithmic(axes.xaxis, axes.yaxis)


def draw_efficiency(axes: Axes, rows: pd.DataFrame) -> None:
    """Gain per shot over M: simulations, their mean and the bound, maxima starred.

    Args:
        axes: Where.
        rows: Of the store's table ``efficiency``, of one function.
    """
    curves = rows.pivot(index="shots", columns=["kind", "simulation"], values="efficiency")
    axes.plot(curves["simulation"], color=SKY, alpha=0.25, linewidth=0.5)
    named = {"mean of simulations": ("mean", VERMILION), "lower bound": ("bound", GREEN)}
    for name, (kind, colour) in named.items():
        gains = curves[kind].iloc[:, 0]
        text = f"{name}, best M = {gains.idxmax():g}"
        axes.plot(gains, color=colour, linewidth=1.6, label=text)
        axes.plot(gains.idxmax(), gains.max(), "*", color=colour, markersize=10, zorder=3)
    peak = 1.6 * curves[["mean", "bound"]].max(axis=None)
    axes.set(xscale="log", ylim=(-0.6 * peak, peak))
    axes.set(xlabel="shots per evaluation, M", ylabel="gain per shot")
    logarithmic(axes.xaxis)


def add_legend(figure: Figure, title: str | None = None) -> None:
    """One legend below all panels, each label once, in as many columns as there is room for."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        found |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    widest = 0.65 + 0.055 * max(map(len, found))  # inches
    columns = max(1, int(figure.get_figwidth() / widest))
    figure.legend(
        found.values(), found.keys(), loc="outside lower center", ncols=columns, title=title
    )
