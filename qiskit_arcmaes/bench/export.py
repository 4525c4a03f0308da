"""A sweep in other people's formats: IOHanalyzer's, iohinspector's, and flat CSV files.

The unit of cost is one shot, and the value is the exact error of the current recommendation: a
"function evaluation" there is a shot here. Every pair of a problem and a noise level is a function;
a run's number is its instance. ``functions.md`` in the target says which function is which.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiskit_arcmaes.bench.report.anytime import anytime_table
from qiskit_arcmaes.bench.report.groups import GROUP, Group, groups_of
from qiskit_arcmaes.bench.report.numbers import escaped, shots_in_names
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.bench.tasks import FUNCTION

DAT_HEAD = (
    '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"'
)
"""What every run begins with in IOHanalyzer's data files."""

SUITE = "qiskit-arcmaes"
_RUN = [*GROUP, "run"]


def export(
    directory: str | os.PathLike[str], target: str | os.PathLike[str], form: str = "iohanalyzer"
) -> Path:
    """Write a sweep in another format.

    Args:
        directory: Where the sweep is.
        target: Directory to write to; made if missing, and must be empty.
        form: ``iohanalyzer`` (``.info`` and ``.dat`` files, a folder for each method),
            ``iohinspector`` (the ``.json`` and ``.dat`` files that the package ioh writes today),
            or ``csv`` (``runs.csv``, a row for each run with its seconds; ``summary.csv``, a row
            for each group of runs; and for circuits ``anytime.csv``, the errors during each run).

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


def _write_iohanalyzer(store: Store, place: Path) -> None:
    for folder, file, own in _functions(store, place):
        lines, first = [], own.iloc[0]
        for dim, block in own.groupby("dim"):
            data = _write_data(folder, file, dim, block, DAT_HEAD, "shots error best error best")
            ends = block.drop_duplicates("run", keep="last")[["run", "shots", "best"]]
            runs = [f"{run + 1}:{shots}|{best!r}" for run, shots, best in _rows(ends)]
            head = f"suite = '{SUITE}', funcId = {first.number}, funcName = '{first['name']}', "
            head += f"DIM = {dim}, maximization = F, algId = '{first.algorithm}'"
            lines += [head, "%", ", ".join([data, *runs])]
        _write(folder / f"{file}.info", lines)


def _write_iohinspector(store: Store, place: Path) -> None:
    for folder, file, own in _functions(store, place):
        scenarios, first = [], own.iloc[0]
        for dim, block in own.groupby("dim"):
            data = _write_data(folder, file, dim, block, "evaluations raw_y", "shots error")
            ends = block.drop_duplicates("run", keep="last")[["run", "shots"]]
            least = block.loc[block.groupby("run").error.idxmin(), ["shots", "error"]]
            runs = [
                {"instance": run + 1, "evals": last, "best": {"evals": shots, "y": error, "x": []}}
                for (run, last), (shots, error) in zip(_rows(ends), _rows(least), strict=True)
            ]
            scenarios.append({"dimension": int(dim), "path": data, "runs": runs})
        index = {
            "version": "0.3.22",
            "suite": SUITE,
            "function_id": int(first.number),
            "function_name": first["name"],
            "maximization": False,
            "algorithm": {"name": first.algorithm, "info": "evaluations are shots"},
            "attributes": ["evaluations", "raw_y"],
            "scenarios": scenarios,
        }
        _write(folder / f"{file}.json", [json.dumps(index, indent=2)])


def _write_csv(store: Store, place: Path) -> None:
    seconds = store.table("timings")[[*_RUN, "seconds"]]
    runs = store.table("runs").merge(seconds, how="left", on=_RUN)
    head = [*GROUP, "runs", "could_not_start", "lower_quartile", "median", "upper_quartile"]
    head += ["mean", "standard_error", "seconds"]
    summary = pd.DataFrame(map(_summary, groups_of(store)), columns=head)
    tables = {"runs": runs, "summary": summary, "anytime": anytime_table(store)}
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
    "iohanalyzer": _write_iohanalyzer,
    "iohinspector": _write_iohinspector,
    "csv": _write_csv,
}
"""Formats by name."""


def _functions(store: Store, place: Path) -> Iterator[tuple[Path, str, pd.DataFrame]]:
    """Folder, name of the files, and points of every algorithm on every function.

    ``functions.md`` is Markdown, because IOHanalyzer takes CSV and text files for data.
    """
    points = _points(store)
    points["number"] = points.groupby("name", sort=False).ngroup() + 1
    names = points.drop_duplicates("number")[["number", "name"]]
    lines = [f"| {number} | {escaped(name)} |" for number, name in _rows(names)]
    _write(place / "functions.md", ["| number | function |", "|---|---|", *lines])
    for (algorithm, number), own in points.groupby(["algorithm", "number"], sort=False):
        folder = place / re.sub(r"^\.|[^\w.-]", "_", algorithm)
        yield folder, f"IOHprofiler_f{number}", own


def _write_data(
    folder: Path, file: str, dim: object, block: pd.DataFrame, head: str, columns: str
) -> str:
    """Write the runs of one function and dimension, each below the head; returns the file."""
    name, lines = f"data_{file.partition('_')[2]}/{file}_DIM{dim}.dat", []
    for _, path in block.groupby("run"):
        lines += [head, *(" ".join(map(repr, row)) for row in _rows(path[columns.split()]))]
    _write(folder / name, lines)
    return name


def _rows(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The rows as plain numbers."""
    yield from frame.itertuples(index=False, name=None)


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
    points["best"] = points.astype({"error": float}).groupby(_RUN, dropna=False).error.cummin()
    return points


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
