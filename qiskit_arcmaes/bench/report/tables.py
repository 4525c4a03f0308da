"""The tables of a report, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.bench.report.cells import Cell, Place, distinct
from qiskit_arcmaes.bench.report.slopes import Slope, fit_slope
from qiskit_arcmaes.bench.report.style import method_rank

FLOOR = 1e-16  # errors of 0 count as this in means of logarithms


@dataclass(frozen=True)
class Ranked:
    """How a method did over several problems.

    Attributes:
        method: Its name.
        mean: Geometric mean of its median errors.
        wins: On how many places its median is the lowest.
        places: Places compared: those on which every method ran.
    """

    method: str
    mean: float
    wins: int
    places: int


def methods_of(cells: Sequence[Cell]) -> list[str]:
    """The methods that occur, our own first."""
    return sorted({cell.method for cell in cells}, key=method_rank)


def ranking(cells: Sequence[Cell]) -> list[Ranked]:
    """Compare all methods over the places where each of them ran.

    Args:
        cells: Of one dimension and budget, or of whatever is to be taken together.

    Returns:
        The methods, best first; empty when no place has them all.

    Example:
        >>> import numpy as np
        >>> place = Place("h2", 4, None, 1000)
        >>> cells = [Cell(place, name, (0,), np.array([error]), None, None, None)
        ...          for name, error in [("ar", 0.01), ("uh", 0.04)]]
        >>> [(row.method, round(row.mean, 6), row.wins) for row in ranking(cells)]
        [('ar', 0.01, 1), ('uh', 0.04, 0)]
    """
    methods = methods_of(cells)
    table = {(cell.place, cell.method): cell.median for cell in cells}
    places = [
        place
        for place in distinct(cell.place for cell in cells)
        if all((place, method) in table for method in methods)
    ]
    if not places:
        return []
    medians = np.array([[table[place, method] for place in places] for method in methods])
    best = medians == medians.min(axis=0)
    means = np.exp(np.log(np.maximum(medians, FLOOR)).mean(axis=1))
    rows = [
        Ranked(method, float(mean), int(wins), len(places))
        for method, mean, wins in zip(methods, means, best.sum(axis=1), strict=True)
    ]
    return sorted(rows, key=lambda row: row.mean)


def slopes(cells: Sequence[Cell]) -> dict[tuple[str, int, float | None, str], Slope]:
    """Power laws of the error over the budget.

    Args:
        cells: With two budgets or more where a law is wanted.

    Returns:
        (problem, dim, noise, method) to the law.
    """
    found: dict[tuple[str, int, float | None, str], dict[int, dict[int, float]]] = {}
    for cell in cells:
        place = cell.place
        key = (place.problem, place.dim, place.noise, cell.method)
        found.setdefault(key, {})[place.budget] = dict(
            zip(cell.runs, cell.errors.tolist(), strict=True)
        )
    laws = {key: fit_slope(errors) for key, errors in found.items()}
    return {key: law for key, law in laws.items() if law is not None}


def scaled_error(cell: Cell) -> float | None:
    """Median error times budget over noise: constant under the law of averaging.

    Returns:
        The product; None without noise or for a quantum problem, which has no one noise level.
    """
    place: Place = cell.place
    return cell.median * place.budget / place.noise if place.noise else None
