"""How cost grows with the number of qubits: the figure and the tables of a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.scaling import FAMILIES, PER_SITE, Growth, Point
from qiskit_arcmaes.bench.report.style import Stroke
from qiskit_arcmaes.bench.report.summary import SUMMARY
from qiskit_arcmaes.bench.report.tables import Table
from qiskit_arcmaes.bench.store import Status

_UNITS = {"ising": "couplings", "heisenberg": "couplings", "qaoa": "edge weights"}
_HEIGHT = 2.6  # inches


def scaling_figure(
    growths: Sequence[Growth], strokes: dict[str, Stroke]
) -> tuple[Figure, str, str] | None:
    """Shots to a fixed error per site over qubits: a panel for each family.

    Args:
        growths: What ``growth_of`` found.
        strokes: Of the methods.

    Returns:
        Figure, name and caption; None where no method gets there.
    """
    there = [family for family in FAMILIES if any(each.family == family for each in growths)]
    if not any(math.isfinite(point.shots) for each in growths for point in each.points):
        return None
    figure = Figure((drawing.PAGE, _HEIGHT), layout="constrained")
    (row,) = figure.subplots(1, len(there), squeeze=False, sharey=True)
    for family, axes in zip(there, row, strict=True):
        own = [each for each in growths if each.family == family]
        _draw(axes, own, strokes)
        unit = f"{PER_SITE[family]:g} {_UNITS[family]} per qubit"
        axes.set_title(f"{FAMILIES[family]}\nto {unit}")
        axes.set_xlabel("qubits")
    row[0].set_ylabel("shots")
    drawing.add_legend(figure)
    caption = (
        "Median shots to a fixed error per qubit, with the fitted power laws; lower is better, and "
        "flatter grows more slowly"
    )
    return figure, SUMMARY, caption


def _draw(axes: Axes, growths: Sequence[Growth], strokes: dict[str, Stroke]) -> None:
    """Points where half of the runs get there, and the laws through them."""
    sizes = sorted({point.size for each in growths for point in each.points})
    for each in growths:
        known = [point for point in each.points if math.isfinite(point.shots)]
        style = drawing.line_style(strokes[each.method])
        places, taken = [point.size for point in known], [point.shots for point in known]
        marker = strokes[each.method].marker
        axes.plot(places, taken, marker, color=style["color"], markersize=3.5, label=each.method)
        if math.isfinite(each.exponent):
            level = np.mean(np.log(taken)) - each.exponent * np.mean(np.log(places))
            law = np.exp(level) * np.array(places) ** each.exponent
            axes.plot(places, law, **style)
            words, place = f" n^{each.exponent:.1f}", (places[-1], law[-1])
            axes.annotate(words, place, color=style["color"], va="center", size=7)
    axes.set(xscale="log", yscale="log", xlim=(0.9 * sizes[0], 1.3 * sizes[-1]))
    drawing.logarithmic(axes.yaxis)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(sizes, [str(size) for size in sizes])


def scaling_tables(growths: Sequence[Growth]) -> Iterator[Table]:
    """Shots with their exponents, then processor seconds and jobs, family by family.

    Args:
        growths: What ``growth_of`` found.
    """
    yield from _tables(growths, _SHOTS, "exponent", _shots, _exponent)
    yield from _tables(growths, _COSTS, "exponents", _costs, _cost_exponents)


_SHOTS = (
    "Shots from which on the exact error of the recommendation stays within the given error per",
    "qubit, median over the runs; of several budgets the one with which a method gets there",
    "first, since methods plan by their budget. A run that ends above never gets there and",
    "counts as infinite. The exponent is that of shots ∝ qubits^exponent, a log-log fit over the",
    "sizes at which half of the runs get there, with its 95% bootstrap interval over the runs.",
    "",
)
_COSTS = (
    "Processor seconds / jobs of a whole run with that budget, medians; what the simulator takes",
    "is part of the seconds. Exponents as above, without intervals.",
    "",
)


def _tables(
    growths: Sequence[Growth],
    words: tuple[str, ...],
    last: str,
    write: Callable[[Point], str],
    conclude: Callable[[Growth], str],
) -> Iterator[Table]:
    """A table for each family; the words stand before the first."""
    for family in FAMILIES:
        own = [each for each in growths if each.family == family]
        if own:
            sizes = sorted({point.size for each in own for point in each.points})
            rows = []
            for each in own:
                texts = {point.size: write(point) for point in each.points}
                cells = [texts.get(size, Status.COULD_NOT_START.value) for size in sizes]
                rows.append([each.method, *cells, conclude(each)])
            where = f"{FAMILIES[family]}, {PER_SITE[family]:g} {_UNITS[family]} per qubit"
            yield Table([where, *(f"{size} qubits" for size in sizes), last], rows, words)
            words = ("",)


def _shots(point: Point) -> str:
    never = f" ({point.never} of {point.runs} never)" if point.never else ""
    return f"{short(point.shots)}{never}, of {shots(point.budget)}"


def _exponent(growth: Growth) -> str:
    if math.isnan(growth.exponent):
        return "—"
    return f"{growth.exponent:.1f} [{growth.low:.1f}, {growth.high:.1f}]"


def _costs(point: Point) -> str:
    return f"{short(point.seconds)} / {point.jobs:.0f}"


def _cost_exponents(growth: Growth) -> str:
    exponents = growth.second_exponent, growth.job_exponent
    return " / ".join("—" if math.isnan(each) else f"{each:.1f}" for each in exponents)
