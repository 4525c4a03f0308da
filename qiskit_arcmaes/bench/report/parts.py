"""The parts that a report can have."""

from __future__ import annotations

from collections.abc import Sequence

from qiskit_arcmaes.bench.report.beside import beside_paper
from qiskit_arcmaes.bench.report.cells import Cell
from qiskit_arcmaes.bench.report.efficiency import Efficiency
from qiskit_arcmaes.bench.report.tables import scaled_error, slopes

PARTS = {
    "ranking": "All problems at once",
    "ecdf": "How often which error is reached",
    "convergence": "Error over shots",
    "budget": "Error against budget",
    "efficiency": "Gain per shot",
    "wall": "Error times budget",
    "errors": "Errors, problem by problem",
    "seconds": "Seconds",
    "paper": "The paper beside ours",
}
"""Name to heading, in the order of the page."""


def parts_of(
    cells: Sequence[Cell], efficiency: Efficiency | None, shows: Sequence[str]
) -> list[str]:
    """Which parts a report of these cells has.

    Args:
        cells: Of a sweep.
        efficiency: Its curves of gain per shot, if it has them.
        shows: What the experiment is about: these parts come first. The others follow, since the
            data has them.

    Returns:
        Names of ``PARTS``, each with something to show.

    Raises:
        ValueError: ``shows`` names a part that there is not.
    """
    unknown = [name for name in shows if name not in PARTS]
    if unknown:
        raise ValueError(f"shows: {unknown[0]!r} is no part of a report; take {', '.join(PARTS)}.")
    there = {
        "ranking": len({cell.method for cell in cells}) > 1,
        "ecdf": bool(cells),
        "convergence": any(cell.curve is not None for cell in cells),
        "budget": bool(slopes(cells)),
        "efficiency": efficiency is not None,
        "wall": any(scaled_error(cell) is not None for cell in cells),
        "errors": bool(cells),
        "seconds": any(cell.seconds is not None for cell in cells),
        "paper": bool(beside_paper(cells)),
    }
    order = [*shows, *(name for name in PARTS if name not in shows)]
    if there["ranking"] and "ranking" not in shows:
        order = ["ranking", *(name for name in order if name != "ranking")]
    return [name for name in order if there[name]]
