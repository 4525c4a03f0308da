"""A results page in Markdown, to be checked in: tables, figures, and the command that made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.report.beside import beside_paper
from qiskit_arcmaes.bench.report.cells import Cell, cells_of, distinct, label_of
from qiskit_arcmaes.bench.report.efficiency import efficiency_of
from qiskit_arcmaes.bench.report.figures import Written
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.parts import PARTS, parts_of
from qiskit_arcmaes.bench.report.tables import methods_of, ranking, scaled_error, slopes
from qiskit_arcmaes.bench.store import Store

Lines = Iterator[str]


def results_page(store: Store, figures: Sequence[Written], folder: str = "figures") -> str:
    """Write down what a sweep found.

    Args:
        store: A sweep, finished or not.
        figures: What ``write_figures`` drew; linked to.
        folder: Where the figures are, seen from the page.

    Returns:
        The page, as Markdown.
    """
    cells = cells_of(store)
    efficiency = efficiency_of(store)
    description = store.description
    writers = {
        "ranking": lambda: _ranking(cells),
        "errors": lambda: _errors(cells),
        "budget": lambda: _slopes(cells),
        "wall": lambda: _wall(cells),
        "seconds": lambda: _seconds(cells),
        "paper": lambda: _paper(cells),
    }
    wanted = [*description.get("shows", ()), "ranking"] if description.get("shows") else [*PARTS]
    lines = [f"# {description.get('title') or description['experiment']}", ""]
    lines += _made_by(description, cells, store.finished)
    for part in parts_of(cells, efficiency, description.get("shows", ())):
        pictures = [figure for figure in figures if figure.name.startswith(part)]
        if part not in wanted or not (pictures or part in writers):
            continue
        lines += [f"## {PARTS[part]}", ""]
        lines += writers[part]() if part in writers else []
        for figure in pictures:
            path = PurePosixPath(folder) / figure.name
            lines += [f"![{figure.caption}]({path}.png)", ""]
            lines += [f"{figure.caption} ([PDF]({path}.pdf)).", ""]
    return "\n".join(lines).rstrip() + "\n"


def _made_by(description: Any, cells: Sequence[Cell], finished: bool) -> Lines:
    if not finished:
        yield from ("**The sweep was not finished when this page was written.**", "")
    if description.get("command"):
        yield from ("Made by", "", f"    {description['command']}", "")
    runs = sorted({len(cell.runs) for cell in cells})
    versions = ", ".join(f"{k} {v}" for k, v in description.get("versions", {}).items())
    machine = ", ".join(f"{k} {v}" for k, v in description.get("machine", {}).items())
    count = " to ".join(str(number) for number in distinct([*runs[:1], *runs[-1:]]))
    if cells:
        seed = description.get("root_seed")
        noun = "run" if count == "1" else "runs"
        yield f"{count} {noun} each, root seed {seed}. Errors are exact losses at the returned"
        yield from ("points above the lowest possible ones.", "")
    yield from (f"{versions}; {machine}.", "")
    for note in description.get("notes") or ():
        yield from (note, "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _ranking(cells: Sequence[Cell]) -> Lines:
    yield from (
        "Geometric mean of the median errors over all problems and noise levels, and on how many",
        "of them a method has the lowest median.",
        "",
    )
    places = sorted({(cell.place.dim, cell.place.budget) for cell in cells})
    for dim, budget in places:
        there = [c for c in cells if (c.place.dim, c.place.budget) == (dim, budget)]
        rows = [
            [row.method, short(row.mean), f"{row.wins} of {row.places}"] for row in ranking(there)
        ]
        if rows:
            yield from _table([f"d = {dim}, {shots(budget)} shots", "error", "best on"], rows)


def _by_problem(cells: Sequence[Cell], write: Any, figure: Any) -> Lines:
    """A table for each dimension, noise level and budget; the lowest figure of a row is bold."""
    for dim, noise, budget in distinct(
        (cell.place.dim, cell.place.noise, cell.place.budget) for cell in cells
    ):
        there = [
            cell
            for cell in cells
            if (cell.place.dim, cell.place.noise, cell.place.budget) == (dim, noise, budget)
        ]
        methods = methods_of(there)
        rows = []
        for problem in distinct(cell.place.problem for cell in there):
            own = {cell.method: cell for cell in there if cell.place.problem == problem}
            least = min(figure(cell) for cell in own.values())
            entries = [
                "—" if m not in own else _marked(write(own[m]), figure(own[m]) == least)
                for m in methods
            ]
            rows.append([label_of(problem), *entries])
        level = "" if noise is None else f"τ² = {noise:g}, "
        yield from _table([f"d = {dim}, {level}{shots(budget)} shots", *methods], rows)


def _marked(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


def _errors(cells: Sequence[Cell]) -> Lines:
    yield from ("Median over the runs, and the quartiles.", "")

    def write(cell: Cell) -> str:
        low, high = np.quantile(cell.errors, (0.25, 0.75))
        return short(cell.median) + f" ({short(low)} … {short(high)})" * (len(cell.runs) > 1)

    yield from _by_problem(cells, write, lambda cell: cell.median)


def _slopes(cells: Sequence[Cell]) -> Lines:
    laws = slopes(cells)
    yield from ("Slopes of error ∝ budget^slope, with the standard error over the runs.", "")
    methods = methods_of(cells)
    rows = []
    for problem, dim, noise in distinct(key[:3] for key in laws):
        level = "" if noise is None else f", τ² = {noise:g}"
        entries = []
        for method in methods:
            law = laws.get((problem, dim, noise, method))
            spread = "" if law is None or np.isnan(law.deviation) else f" ± {law.deviation:.2f}"
            entries.append("—" if law is None else f"{law.slope:.2f}{spread}")
        rows.append([f"{label_of(problem)}, d = {dim}{level}", *entries])
    yield from _table(["", *methods], rows)


def _wall(cells: Sequence[Cell]) -> Lines:
    noisy = [cell for cell in cells if scaled_error(cell) is not None]
    yield from ("Median error · budget / τ²: constant where the error falls as 1/budget.", "")
    yield from _by_problem(noisy, lambda cell: short(scaled_error(cell)), scaled_error)


def _seconds(cells: Sequence[Cell]) -> Lines:
    timed = [cell for cell in cells if cell.seconds is not None]
    yield from ("Mean wall-clock seconds of a run.", "")
    yield from _by_problem(timed, lambda cell: short(cell.seconds), lambda cell: cell.seconds)


def _paper(cells: Sequence[Cell]) -> Lines:
    for table in beside_paper(cells):
        yield from (f"### {table.title}", "", table.reason, "")
        yield from _table(table.head, table.rows)
