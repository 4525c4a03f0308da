"""The picture of the README and the table behind it, from a sweep of ``arcmaes bench run vqe``.

``python tools/draw_picture.py out/bench/vqe`` writes energy_error.png and energy_error.md in docs/.
Nothing in them is typed in: medians and quartiles of the exact energies of the returned points.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import Group, distinct, groups_of
from qiskit_arcmaes.bench.report.numbers import shots
from qiskit_arcmaes.bench.report.style import Stroke, strokes_of
from qiskit_arcmaes.bench.report.tables import FLOOR, methods_of
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.problems import get_problem

DOCS = Path(__file__).parent.parent / "docs"
PANELS = ("h2", "lih", "ising6")
METHODS = (
    *("frugal", "ar", "uh", "adam-pairs", "gcans"),
    *("spsa@100", "nft@100", "cobyla@1000"),
)  # one curve for each idea; the report has all


def draw(axes: Axes, groups: Sequence[Group], strokes: dict[str, Stroke]) -> None:
    """Median energy error with quartiles at each budget."""
    for method in methods_of(groups):
        own = sorted((c for c in groups if c.method == method), key=lambda c: c.condition.budget)
        budgets = [group.condition.budget for group in own]
        quartiles = np.array([np.quantile(group.errors, (0.25, 0.5, 0.75)) for group in own]).T
        low, middle, high = np.maximum(quartiles, FLOOR)
        style = drawing.line_style(strokes[method])
        axes.plot(budgets, middle, "o", label=method, markersize=2.5, **style)
        axes.fill_between(budgets, low, high, color=style["color"], alpha=0.12, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel="shots")


def picture(groups: Sequence[Group], target: Path) -> None:
    """One panel for each problem."""
    problems = distinct(group.condition.problem for group in groups)
    strokes = strokes_of(group.method for group in groups)
    with mpl.rc_context(drawing.RC):
        figure = Figure((8.0, 3.2), layout="constrained")
        for axes, name in zip(figure.subplots(1, len(problems)), problems, strict=True):
            draw(axes, [group for group in groups if group.condition.problem == name], strokes)
            problem = get_problem(name)
            short = problem.description.partition(",")[0]
            axes.set_title(f"{short}: {problem.dim} parameters")
        figure.axes[0].set_ylabel("energy error")
        drawing.add_legend(figure, 8)
        figure.savefig(target, dpi=160)


def table(groups: Sequence[Group], command: str) -> str:
    """The same in numbers, with the command that made them."""
    runs = {len(group.runs) for group in groups}
    words = shlex.split(command)
    place = words[words.index("--out") + 1] if "--out" in words else "out/bench/vqe"
    lines = [
        "# Energy error against shots",
        "",
        "Median over the runs of the exact energy of the returned point above the lowest energy of",
        f"the ansatz ({' or '.join(map(str, sorted(runs)))} runs each). Made by",
        "",
        "```console",
        f"$ {command}",
        f"$ python tools/draw_picture.py {place}",
        "```",
        "",
        "![Energy error against shots](energy_error.png)",
    ]
    for name in distinct(group.condition.problem for group in groups):
        there = [group for group in groups if group.condition.problem == name]
        budgets = sorted({group.condition.budget for group in there})
        lines += ["", f"## {get_problem(name).description}", ""]
        lines += ["| method | " + " | ".join(f"{shots(each)} shots" for each in budgets) + " |"]
        lines += ["|---" * (len(budgets) + 1) + "|"]
        for method in methods_of(there):
            errors = {c.condition.budget: np.median(c.errors) for c in there if c.method == method}
            row = [f"{errors[b]:.1e}" if b in errors else "" for b in budgets]
            lines.append(f"| `{method}` | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the sweep, write both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, help="of the sweep")
    store = Store.open(parser.parse_args().directory)
    groups = [c for c in groups_of(store) if c.condition.problem in PANELS and c.method in METHODS]
    groups.sort(key=lambda group: PANELS.index(group.condition.problem))
    picture(groups, DOCS / "energy_error.png")
    (DOCS / "energy_error.md").write_text(table(groups, store.description["command"]))


if __name__ == "__main__":
    main()
