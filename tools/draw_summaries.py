"""Draw the summary figures of published results pages anew, from the runs beside them.

``python tools/draw_summaries.py`` reads docs/results/circuits/*/runs.csv and writes
figures/summary.png, with its caption at the top of the page, as ``arcmaes bench report`` does for a
new sweep. Pages about growth have a figure of their own and are left alone.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import matplotlib as mpl

from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.figures import DPI
from qiskit_arcmaes.bench.report.groups import Group, groups_of
from qiskit_arcmaes.bench.report.scaling import is_scaling
from qiskit_arcmaes.bench.report.summary import SUMMARY, summary_figure
from qiskit_arcmaes.bench.store import Store

CIRCUITS = Path(__file__).parent.parent / "docs" / "results" / "circuits"
PICTURE = re.compile(rf"!\[[^\n]*\]\(figures/{SUMMARY}\.png\)\n\n[^\n]*\n\n")


def published_groups(folder: Path) -> list[Group]:
    """The groups of a page that started, without their curves: only the runs are published."""
    with tempfile.TemporaryDirectory() as place:
        store = Store.create(place, {"experiment": folder.name, "settings": {}})
        store.finish()
        shutil.copy(folder / "runs.csv", place)
        return [group for group in groups_of(Store.open(place)) if group.started]


def illustrated(page: str, caption: str) -> str:
    r"""The page with the figure below its title, in place of an older one.

    Example:
        >>> illustrated("# Title\n\nText.\n", "Errors").splitlines()[2]
        '![Errors](figures/summary.png)'
    """
    title, _, text = PICTURE.sub("", page, count=1).partition("\n\n")
    return f"{title}\n\n![{caption}](figures/{SUMMARY}.png)\n\n{caption}.\n\n{text}"


def draw_summary(folder: Path) -> None:
    """Draw the figure of a page, and put it there."""
    groups = published_groups(folder)
    if is_scaling(groups):
        return
    with mpl.rc_context(drawing.RC):
        made = summary_figure(groups)
        if made is None:
            return
        figure, name, caption = made
        (folder / "figures").mkdir(exist_ok=True)
        figure.savefig(folder / "figures" / f"{name}.png", dpi=DPI)
    page = folder / "index.md"
    page.write_text(illustrated(page.read_text(encoding="utf-8"), caption), encoding="utf-8")


if __name__ == "__main__":
    for path in sorted(CIRCUITS.glob("*/runs.csv")):
        draw_summary(path.parent)
        print(path.parent)
