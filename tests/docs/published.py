"""The published runs of circuits: one cell for each problem, budget and limit of jobs."""

import functools
from dataclasses import dataclass

from qiskit_arcmaes.bench.method_names import split_conditions
from qiskit_arcmaes.bench.report.groups import label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.style import family_of
from qiskit_arcmaes.viz.colours import written_name
from tools.draw_summaries import CIRCUITS, published_groups


@dataclass(frozen=True)
class Cell:
    """Our median error on a problem, and the lowest of the others."""

    page: str
    problem: str
    shots: str
    own: float
    best: float
    family: str

    @property
    def row(self):
        """The row of README that shows the cell, without the page's name."""
        other = f"{short(self.best)} ({self.family})"
        link = f"docs/results/circuits/{self.page}/index.md"
        return [self.problem, self.shots, short(self.own), other, link]


def cells_of(page):
    """The cells of a page in which ShotFrugal and others ran."""
    found = {}
    for group in published_groups(CIRCUITS / page):
        jobs = split_conditions(group.method)[1].jobs
        found.setdefault((group.condition, jobs), []).append(group)
    for (place, jobs), groups in found.items():
        own = [group for group in groups if family_of(group.method) == "frugal"]
        others = [group for group in groups if group not in own]
        if own and others:
            best = min(others, key=lambda group: group.median)
            problem = label_of(place.problem) + (f", {jobs} jobs" if jobs else "")
            family = written_name(family_of(best.method))
            yield Cell(page, problem, shots(place.budget), own[0].median, best.median, family)


@functools.cache
def cells():
    """Of all pages; pages about growth have other figures."""
    pages = sorted(path.parent.name for path in CIRCUITS.glob("*/runs.csv"))
    return [cell for page in pages if page != "scaling" for cell in cells_of(page)]
