"""Everything the page knows, as JSON data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.baselines import describe_solver
from qiskit_arcmaes.bench.grouping import distinct
from qiskit_arcmaes.bench.report.gain_curves import Efficiency, efficiency_of
from qiskit_arcmaes.bench.report.groups import Group, groups_of, label_of
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.report.style import strokes_of
from qiskit_arcmaes.bench.report.tables import slopes
from qiskit_arcmaes.bench.store import Store

DIGITS = 4  # significant ones of a number on the page


def page_data(store: Store) -> dict[str, Any]:
    """Put a sweep into the form that the page reads.

    Args:
        store: A sweep, finished or not.

    Returns:
        JSON data: problems and methods are numbered, and ``groups`` refer to the numbers.
    """
    groups = groups_of(store)
    efficiency = efficiency_of(store)
    strokes = strokes_of(group.method for group in groups)
    problems = distinct(group.condition.problem for group in groups)
    return {
        "about": _about(store.description, store.finished),
        "sections": [
            {"name": name, "heading": SECTIONS[name]}
            for name in sections_of(groups, efficiency, store.description.get("shows", ()))
        ],
        "problems": [label_of(problem) for problem in problems],
        "methods": [
            {"name": name, "about": describe_solver(name), **asdict(stroke)}
            for name, stroke in strokes.items()
        ],
        "groups": [_group(group, problems, list(strokes)) for group in groups],
        "slopes": _slopes(groups, problems, list(strokes)),
        "paper": [asdict(table) for table in compare_with_paper(groups)],
        "efficiency": None if efficiency is None else _efficiency(efficiency),
    }


def _about(description: Mapping[str, Any], finished: bool) -> dict[str, Any]:
    names = ("experiment", "title", "command", "notes", "root_seed", "versions", "machine")
    about = {name: description.get(name) for name in names}
    return {**about, "finished": finished}


def _group(group: Group, problems: Sequence[str], methods: Sequence[str]) -> dict[str, Any]:
    condition, curve = group.condition, group.curve
    return {
        "problem": problems.index(condition.problem),
        "dim": condition.dim,
        "noise": condition.noise,
        "budget": condition.budget,
        "method": methods.index(group.method),
        "errors": _rounded(group.errors) if group.started else [],
        "started": group.started,
        "shots": [] if curve is None else _rounded(curve.shots),
        "quartiles": [] if curve is None else [_rounded(row) for row in curve.quartiles],
        "seconds": group.seconds,
    }


def _slopes(
    groups: Sequence[Group], problems: Sequence[str], methods: Sequence[str]
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
        for (problem, dim, noise, method), law in slopes(groups).items()
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
