"""A sweep in other people's formats: IOHanalyzer's, iohinspector's, and flat CSV files.

The unit of cost is one shot, and the value is the exact error of the current recommendation: a
"function evaluation" there is a shot here. Every pair of a problem and a noise level is a function;
a run's number is its instance.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiskit_arcmaes.bench.report.anytime import anytime_table
from qiskit_arcmaes.bench.report.groups import GROUP, Group, groups_of
from qiskit_arcmaes.bench.report.numbers import escaped, shots_in_names
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.bench.tasks import FUNCTION

_RUN = [*GROUP, "run"]


def export(
    directory: str | os.PathLike[str], target: str | os.PathLike[str], form: str = "csv"
) -> Path:
    """Write a sweep in another format.

    Args:
        directory: Where the sweep is.
        target: Directory to write to; made if missing, and must be empty.
        form: ``csv`` (``runs.csv``, a row for each run with its seconds; ``summary.csv``, a row
            for each group of runs; ``points.csv``, the error over shots, which IOHanalyzer takes as
            *custom csv format*; and for circuits ``anytime.csv``, the errors during each run), or
            ``iohinspector`` (the ``.json`` and ``.dat`` files that the package ioh writes today).

    Returns:
        The target.

    Raises:
        StoreError: There is no sweep.
        ValueError: The format is unknown, or the target is not empty.
    """
    if form not in FORMATS:
        raise ValueError(f"form = {form!r} is unknown; take one of {', '.join(FORMATS)}.")
    store, place = Store.open(directory), Path(target)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise ValueError(f"target = {str(place)!r} is not empty; give another directory.")
    place.mkdir(parents=True, exist_ok=True)
    FORMATS[form](store, place)
    return place


def _write_iohinspector(store: Store, place: Path) -> None:
    """``functions.md`` says which number is which function: the format wants numbers."""
    points = _points(store)
    numbers = {name: number for number, name in enumerate(points.name.unique(), start=1)}
    lines = [f"| {number} | {escaped(name)} |" for name, number in numbers.items()]
    _write(place / "functions.md", ["| number | function |", "|---|---|", *lines])
    for (algorithm, name), own in points.groupby(["algorithm", "name"], sort=False):
        folder = place / re.sub(r"^\.|[^\w.-]", "_", algorithm)
        file = f"IOHprofiler_f{numbers[name]}"
        index = {
            "version": "0.3.22",
            "suite": "qiskit-arcmaes",
            "function_id": numbers[name],
            "function_name": name,
            "maximization": False,
            "algorithm": {"name": algorithm, "info": "evaluations are shots"},
            "attributes": ["evaluations", "raw_y"],
            "scenarios": [
                _scenario(block, folder, f"data_f{numbers[name]}/{file}_DIM{dim}.dat")
                for dim, block in own.groupby("dim")
            ],
        }
        _write(folder / f"{file}.json", [json.dumps(index, indent=2)])


def _scenario(block: pd.DataFrame, folder: Path, data: str) -> dict[str, Any]:
    """Write the runs of one function and dimension, each below a head; what the index says."""
    lines, runs = [], []
    for run, path in block.groupby("run"):
        steps = [*path[["shots", "error"]].itertuples(index=False, name=None)]
        lines += ["evaluations raw_y", *(f"{shots} {error!r}" for shots, error in steps)]
        least = path.error.idxmin()
        best = {"evals": int(path.shots[least]), "y": float(path.error[least]), "x": []}
        runs.append({"instance": run + 1, "evals": steps[-1][0], "best": best})
    _write(folder / data, lines)
    return {"dimension": int(block.dim.iloc[0]), "path": data, "runs": runs}


def _write_csv(store: Store, place: Path) -> None:
    seconds = store.table("timings")[[*_RUN, "seconds"]]
    runs = store.table("runs").merge(seconds, how="left", on=_RUN)
    head = [*GROUP, "runs", "could_not_start", "lower_quartile", "median", "upper_quartile"]
    head += ["mean", "standard_error", "seconds"]
    summary = pd.DataFrame(map(_summary, groups_of(store)), columns=head)
    points = _points(store)[["name", "algorithm", "dim", "run", "shots", "error"]]
    tables = {"runs": runs, "summary": summary, "points": points, "anytime": anytime_table(store)}
    for name, table in tables.items():
        if len(table):
            table.to_csv(place / f"{name}.csv", index=False, lineterminator="\n")


def _summary(group: Group) -> list[object]:
    where, errors = group.condition, group.errors
    start = [where.problem, where.dim, where.noise, where.budget, group.method, errors.size]
    if not group.started:
        return [*start, group.could_not_start, *[None] * 5, group.seconds]
    spread = np.std(errors, ddof=1) / np.sqrt(errors.size) if errors.size > 1 else None
    return [*start, 0, *group.quartiles, np.mean(errors), spread, group.seconds]


FORMATS: dict[str, Callable[[Store, Path], None]] = {
    "csv": _write_csv,
    "iohinspector": _write_iohinspector,
}
"""Formats by name."""


def _points(store: Store) -> pd.DataFrame:
    """The last error at each number of shots of each run, from the first shot on.

    ``name`` has the problem and its noise; ``algorithm`` also the budget where there are several,
    since a method may plan by it. Neither has commas or spaces of our own, which separate there.
    """
    columns = [*_RUN, "shots", "error"]
    runs = store.table("runs").dropna(subset="error")
    points = pd.concat([store.table("trajectories")[columns], runs[columns]], ignore_index=True)
    points.shots = points.shots.clip(lower=1)
    points = points.drop_duplicates([*_RUN, "shots"], keep="last").sort_values([*_RUN, "shots"])
    points = pd.concat([points.drop_duplicates(_RUN).assign(shots=1), points], ignore_index=True)
    points = points.drop_duplicates([*_RUN, "shots"]).sort_values([*_RUN, "shots"])
    noise = points.noise.map("_noise{:g}".format, na_action="ignore").fillna("")
    points["name"] = points.problem.str.removeprefix(FUNCTION) + noise
    budgets = "_B" + points.budget.map(shots_in_names)
    points["algorithm"] = points.method + (budgets if points.budget.nunique() > 1 else "")
    return points


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
