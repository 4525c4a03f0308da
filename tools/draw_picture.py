"""The picture of the README and the table behind it.

``python tools/draw_picture.py out/bench/vqe`` takes a sweep of ``arcmaes bench run vqe`` and writes
energy_error.png and energy_error.md in docs/. Nothing in them is typed in: medians and quartiles of
the exact energies of the returned points. ``python tools/draw_picture.py docs/energy_error.md``
draws the picture again from the published table, which has no quartiles.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.grouping import group_by
from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import groups_of
from qiskit_arcmaes.bench.report.numbers import shots
from qiskit_arcmaes.bench.report.style import (
    BLUE,
    GREEN,
    GREY,
    OLIVE,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    base_name,
)
from qiskit_arcmaes.bench.report.tables import FLOOR
from qiskit_arcmaes.bench.store import Status, Store
from qiskit_arcmaes.problems import get_problem

DOCS = Path(__file__).parent.parent / "docs"
PANELS = ("h2", "lih", "ising6")
MOLECULES = ("h2", "lih")  # in Hartree, so that chemical accuracy means something
CHEMICAL_ACCURACY = 1.6e-3
METHODS = {
    "frugal": ("ShotFrugal", BLUE),
    "ar": ("AR-CMA-ES", ORANGE),
    "uh": ("UH-CMA-ES", GREY),
    "adam-pairs": ("Adam on pairs, our baseline", PURPLE),
    "gcans": ("gCANS", OLIVE),
    "spsa": ("SPSA", VERMILION),
    "nft": ("NFT", SKY),
    "cobyla": ("COBYLA", GREEN),
}  # one curve for each idea, each in its own colour; the report has all
SHOWN = ("frugal", "ar", "uh", "adam-pairs", "gcans", "spsa@100", "nft@100", "cobyla@1000")


@dataclass(frozen=True)
class Point:
    """The energy error of a method on a problem at a budget.

    Attributes:
        problem: Name of the problem.
        method: Name of the method.
        budget: Shots.
        quartiles: Lower quartile, median, upper quartile; None where it could not start.
        runs: How many; 0 where unknown.
    """

    problem: str
    method: str
    budget: int
    quartiles: tuple[float, float, float] | None
    runs: int = 0


def points_of(store: Store) -> list[Point]:
    """What is shown of a sweep, in the order of the panels and of the methods."""
    points = []
    for group in groups_of(store):
        where = group.condition
        if where.problem in PANELS and group.method in SHOWN:
            quartiles = None
            if group.started:
                low, middle, high = np.quantile(group.errors, (0.25, 0.5, 0.75)).tolist()
                quartiles = low, middle, high
            runs = len(group.runs)
            points.append(Point(where.problem, group.method, where.budget, quartiles, runs))
    return sorted(points, key=_order)


def points_in(page: str) -> list[Point]:
    """The medians of a page that ``table`` wrote."""
    titles = {get_problem(name).description: name for name in PANELS}
    budgets: list[int] = []
    problem, points = "", []
    for line in page.splitlines():
        entries = [entry.strip(" `") for entry in line.strip("|").split("|")]
        if line.startswith("## "):
            problem = titles[line[3:]]
        elif line.startswith("| method"):
            budgets = [_budget(entry) for entry in entries[1:]]
        elif line.startswith("| `"):
            for budget, entry in zip(budgets, entries[1:], strict=True):
                middle = float(entry)
                points.append(Point(problem, entries[0], budget, (middle, middle, middle)))
    return sorted(points, key=_order)


def _budget(text: str) -> int:
    """Read what ``shots`` writes.

    Example:
        >>> _budget("3·10⁵ shots"), _budget("10⁶ shots")
        (300000, 1000000)
    """
    number = text.removesuffix(" shots")
    factor, _, power = number.rpartition("10")
    raised = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    return int(factor.rstrip("·") or 1) * 10**raised


def _order(point: Point) -> tuple[int, int, int]:
    return PANELS.index(point.problem), SHOWN.index(point.method), point.budget


def draw(axes: Axes, points: Sequence[Point]) -> None:
    """Median energy error with quartiles at each budget."""
    for method, own in group_by(points, lambda point: point.method).items():
        started = [(point.budget, point.quartiles) for point in own if point.quartiles]
        if not started:
            continue
        budgets = [budget for budget, _ in started]
        low, middle, high = np.maximum(np.array([each for _, each in started]).T, FLOOR)
        label, colour = METHODS[base_name(method)]
        main = method in ("frugal", "ar")
        width, layer = (1.8, 3) if main else (1.0, 2)
        axes.plot(budgets, middle, "o-", label=label, color=colour, ms=2.5, lw=width, zorder=layer)
        axes.fill_between(budgets, low, high, color=colour, alpha=0.12, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="shots")


def picture(points: Sequence[Point], target: Path) -> None:
    """One panel for each problem."""
    problems = group_by(points, lambda point: point.problem)
    with mpl.rc_context(drawing.RC):
        figure = Figure((8.0, 3.4), layout="constrained")
        panels = figure.subplots(1, len(problems), squeeze=False)[0]
        for axes, (name, own) in zip(panels, problems.items(), strict=True):
            draw(axes, own)
            problem = get_problem(name)
            short = problem.description.partition(",")[0]
            axes.set_title(f"{short}: {problem.dim} parameters")
            if name in MOLECULES:
                axes.axhline(CHEMICAL_ACCURACY, color="0.35", linestyle="--", linewidth=0.8)
                axes.annotate(
                    "chemical accuracy",
                    xy=(0.01, CHEMICAL_ACCURACY),
                    xycoords=("axes fraction", "data"),
                    xytext=(0, 2),
                    textcoords="offset points",
                    fontsize=7,
                    color="0.35",
                )
        panels[0].set_ylabel("energy error")
        drawing.add_legend(figure, 4)
        figure.savefig(target, dpi=160)


def table(points: Sequence[Point], command: str) -> str:
    """The same in numbers, with the command that made them."""
    runs = sorted({point.runs for point in points if point.quartiles})
    words = shlex.split(command)
    place = words[words.index("--out") + 1] if "--out" in words else "out/bench/vqe"
    lines = [
        "# Energy error against shots",
        "",
        "Median over the runs of the exact energy of the returned point above the lowest energy of",
        f"the ansatz ({' or '.join(map(str, runs))} runs each). Made by",
        "",
        "```console",
        f"$ {command}",
        f"$ python tools/draw_picture.py {place}",
        "```",
        "",
        "![Energy error against shots](energy_error.png)",
    ]
    for name, there in group_by(points, lambda point: point.problem).items():
        budgets = sorted({point.budget for point in there})
        lines += ["", f"## {get_problem(name).description}", ""]
        lines += ["| method | " + " | ".join(f"{shots(each)} shots" for each in budgets) + " |"]
        lines += ["|---" * (len(budgets) + 1) + "|"]
        for method, own in group_by(there, lambda point: point.method).items():
            texts = {
                point.budget: f"{point.quartiles[1]:.1e}"
                if point.quartiles
                else str(Status.COULD_NOT_START)
                for point in own
            }
            row = " | ".join(texts.get(budget, "") for budget in budgets)
            lines.append(f"| `{method}` | {row} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read a sweep and write both, or read the table and draw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="directory of a sweep, or the published table")
    source = parser.parse_args().source
    if source.is_file():
        picture(points_in(source.read_text(encoding="utf-8")), DOCS / "energy_error.png")
        return
    store = Store.open(source)
    points = points_of(store)
    picture(points, DOCS / "energy_error.png")
    page = table(points, store.description["command"])
    (DOCS / "energy_error.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
