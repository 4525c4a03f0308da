"""Everything the page knows, as JSON data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.report.beside import beside_paper
from qiskit_arcmaes.bench.report.cells import Cell, cells_of, distinct, label_of
from qiskit_arcmaes.bench.report.efficiency import Efficiency, efficiency_of
from qiskit_arcmaes.bench.report.parts import PARTS, parts_of
from qiskit_arcmaes.bench.report.style import strokes_of
from qiskit_arcmaes.bench.report.tables import slopes
from qiskit_arcmaes.bench.store import Store

DIGITS = 4  # significant ones of a number on the page


def payload(store: Store) -> dict[str, Any]:
    """Put a sweep into the form that the page reads.

    Args:
        store: A sweep, finished or not.

    Returns:
        JSON data: problems and methods are numbered, and ``cells`` refer to the numbers.
    """
    cells = cells_of(store)
    efficiency = efficiency_of(store)
    strokes = strokes_of(cell.method for cell in cells)
    problems = distinct(cell.place.problem for cell in cells)
    return {
        "about": _about(store.description, store.finished),
        "parts": [
            {"name": name, "heading": PARTS[name]}
            for name in parts_of(cells, efficiency, store.description.get("shows", ()))
        ],
        "problems": [label_of(problem) for problem in problems],
        "methods": [{"name": name, **asdict(stroke)} for name, stroke in strokes.items()],
        "cells": [_cell(cell, problems, list(strokes)) for cell in cells],
        "slopes": _slopes(cells, problems, list(strokes)),
        "paper": [asdict(table) for table in beside_paper(cells)],
        "efficiency": None if efficiency is None else _efficiency(efficiency),
    }


def _about(description: Mapping[str, Any], finished: bool) -> dict[str, Any]:
    names = ("experiment", "title", "command", "notes", "root_seed", "versions", "machine")
    about = {name: description.get(name) for name in names}
    return {**about, "finished": finished}


def _cell(cell: Cell, problems: Sequence[str], methods: Sequence[str]) -> dict[str, Any]:
    place, curve = cell.place, cell.curve
    return {
        "problem": problems.index(place.problem),
        "dim": place.dim,
        "noise": place.noise,
        "budget": place.budget,
        "method": methods.index(cell.method),
        "errors": _rounded(cell.errors),
        "shots": [] if curve is None else _rounded(curve.shots),
        "quartiles": [] if curve is None else [_rounded(row) for row in curve.quartiles],
        "seconds": cell.seconds,
    }


def _slopes(
    cells: Sequence[Cell], problems: Sequence[str], methods: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        {
            "problem": problems.index(problem),
            "dim": dim,
            "noise": noise,
            "method": methods.index(method),
            "slope": law.slope,
            "deviation": None if math.isnan(law.deviation) else law.deviation,
            "level": law.level,
        }
        for (problem, dim, noise, method), law in slopes(cells).items()
    ]


def _efficiency(curves: Efficiency) -> dict[str, Any]:
    return {
        "title": curves.title,
        "shots": curves.shots.tolist(),
        "bound": _rounded(curves.bound),
        "mean": _rounded(curves.mean),
        "simulations": [_rounded(row) for row in curves.simulations],
    }


def _rounded(values: Any) -> list[float | None]:
    """Short numbers keep the page small; what is not finite becomes null."""
    return [
        float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
        for value in np.asarray(values, dtype=float).tolist()
    ]
