"""A sweep in other people's formats: IOHanalyzer's, iohinspector's, and flat CSV files.

The unit of cost is one shot, and the value is the exact error of the current recommendation: a
"function evaluation" there is a shot here. Every pair of a problem and a noise level is a function;
a run's number is its instance. ``functions.md`` in the target says which function is which.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from pathlib import Path

import numpy as np

from qiskit_arcmaes.bench.grouping import distinct, group_by, group_key
from qiskit_arcmaes.bench.report.groups import Group, groups_of
from qiskit_arcmaes.bench.report.markdown import escaped
from qiskit_arcmaes.bench.report.numbers import shots_in_names
from qiskit_arcmaes.bench.store import RunRow, Store
from qiskit_arcmaes.bench.tasks import FUNCTION, Task

DAT_HEAD = (
    '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"'
)
"""What every run begins with in IOHanalyzer's data files."""

SUITE = "qiskit-arcmaes"


@dataclass(frozen=True)
class Trajectory:
    """One run: shots spent, ascending, and the exact error of the recommendation at that time."""

    run: int
    points: list[tuple[int, float]]


@dataclass(frozen=True)
class Block:
    """All runs of one method on one function in one dimension at one budget."""

    function: int
    name: str
    dim: int
    algorithm: str
    trajectories: list[Trajectory]


def export(
    directory: str | os.PathLike[str], target: str | os.PathLike[str], form: str = "iohanalyzer"
) -> Path:
    """Write a sweep in another format.

    Args:
        directory: Where the sweep is.
        target: Directory to write to; made if missing, and must be empty.
        form: ``iohanalyzer`` (``.info`` and ``.dat`` files, a folder for each method),
            ``iohinspector`` (the ``.json`` and ``.dat`` files that the package ioh writes today),
            or ``csv`` (``runs.csv``, a row for each run with its seconds, and ``summary.csv``, a
            row for each group of runs).

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
    for algorithm, blocks in _by_algorithm(_blocks(store)).items():
        folder = place / _file_name(algorithm)
        for function, own in group_by(blocks, lambda block: block.function).items():
            lines = []
            for block in own:
                data = _data_file(block)
                _write(folder / data, _dat_lines(block))
                lines += [
                    _info_head(block),
                    "%",
                    ", ".join([data, *map(_info_run, block.trajectories)]),
                ]
            _write(folder / f"IOHprofiler_f{function}.info", lines)
    _write_functions(store, place)


def _write_iohinspector(store: Store, place: Path) -> None:
    for algorithm, blocks in _by_algorithm(_blocks(store)).items():
        folder = place / _file_name(algorithm)
        for function, own in group_by(blocks, lambda block: block.function).items():
            for block in own:
                _write(folder / _data_file(block), _plain_lines(block))
            text = json.dumps(_index(own), indent=2)
            _write(folder / f"IOHprofiler_f{function}.json", [text])
    _write_functions(store, place)


def _write_csv(store: Store, place: Path) -> None:
    seconds = {_key(row): row.seconds for row in store.timings()}
    names = [column.name for column in fields(RunRow)]
    rows = [
        [*(getattr(row, name) for name in names), seconds.get(_key(row))] for row in store.runs()
    ]
    _write_table(place / "runs.csv", [*names, "seconds"], rows)
    head = ["problem", "dim", "noise", "budget", "method", "runs", "could_not_start"]
    head += ["lower_quartile", "median", "upper_quartile", "mean", "standard_error", "seconds"]
    _write_table(place / "summary.csv", head, map(_summary, groups_of(store)))


def _summary(group: Group) -> list[object]:
    where, errors = group.condition, group.errors
    start = [where.problem, where.dim, where.noise, where.budget, group.method, errors.size]
    if not group.started:
        return [*start, group.could_not_start, *[None] * 5, group.seconds]
    spread = np.std(errors, ddof=1) / np.sqrt(errors.size) if errors.size > 1 else None
    quartiles = [float(np.quantile(errors, share)) for share in (0.25, 0.5, 0.75)]
    return [*start, 0, *quartiles, float(np.mean(errors)), spread, group.seconds]


FORMATS: dict[str, Callable[[Store, Path], None]] = {
    "iohanalyzer": _write_iohanalyzer,
    "iohinspector": _write_iohinspector,
    "csv": _write_csv,
}
"""Formats by name."""


def _functions(store: Store) -> dict[tuple[str, float | None], int]:
    """Problems with their noise level, numbered from 1."""
    pairs = distinct((group.condition.problem, group.condition.noise) for group in groups_of(store))
    return {pair: number for number, pair in enumerate(pairs, start=1)}


def _blocks(store: Store) -> list[Block]:
    """One block per function, dimension and algorithm; runs that could not start have no place."""
    functions = _functions(store)
    budgets = {row.budget for row in store.runs()}
    points = group_by(store.trajectories(), _key)
    found: dict[tuple[object, ...], Block] = {}
    for row in store.runs():
        if row.error is None:
            continue
        function = functions[row.problem, row.noise]
        # A method may plan by its budget: at another one it is another algorithm.
        algorithm = (
            row.method if len(budgets) == 1 else f"{row.method}_B{shots_in_names(row.budget)}"
        )
        block = found.setdefault(
            (function, row.dim, algorithm),
            Block(function, _function_name(row), row.dim, algorithm, []),
        )
        path = [(step.shots, step.error) for step in points.get(_key(row), [])]
        block.trajectories.append(
            Trajectory(row.run, _from_first_shot([*path, (row.shots, row.error)]))
        )
    return list(found.values())


def _from_first_shot(points: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """The last error at each number of shots, from the first shot on, as the format demands."""
    path = sorted({max(shots, 1): error for shots, error in points}.items())
    return path if path[0][0] == 1 else [(1, path[0][1]), *path]


def _by_algorithm(blocks: Iterable[Block]) -> dict[str, list[Block]]:
    return group_by(blocks, lambda block: block.algorithm)


def _function_name(task: Task) -> str:
    """Without commas and spaces, which separate in these formats."""
    name = task.problem.removeprefix(FUNCTION)
    return name if task.noise is None else f"{name}_noise{task.noise:g}"


def _data_file(block: Block) -> str:
    return f"data_f{block.function}/IOHprofiler_f{block.function}_DIM{block.dim}.dat"


def _info_head(block: Block) -> str:
    return (
        f"suite = '{SUITE}', funcId = {block.function}, funcName = '{block.name}', "
        f"DIM = {block.dim}, maximization = F, algId = '{block.algorithm}'"
    )


def _info_run(trajectory: Trajectory) -> str:
    shots, lowest = trajectory.points[-1][0], min(error for _, error in trajectory.points)
    return f"{trajectory.run + 1}:{shots}|{lowest!r}"


def _dat_lines(block: Block) -> list[str]:
    lines = []
    for trajectory in block.trajectories:
        lines.append(DAT_HEAD)
        best = accumulate((error for _, error in trajectory.points), min)
        for (shots, error), lowest in zip(trajectory.points, best, strict=True):
            lines.append(f"{shots} {error!r} {lowest!r} {error!r} {lowest!r}")
    return lines


def _plain_lines(block: Block) -> list[str]:
    lines = []
    for trajectory in block.trajectories:
        lines.append("evaluations raw_y")
        lines += [f"{shots} {error!r}" for shots, error in trajectory.points]
    return lines


def _index(blocks: Sequence[Block]) -> dict[str, object]:
    first = blocks[0]
    return {
        "version": "0.3.22",
        "suite": SUITE,
        "function_id": first.function,
        "function_name": first.name,
        "maximization": False,
        "algorithm": {"name": first.algorithm, "info": "evaluations are shots"},
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [
            {
                "dimension": block.dim,
                "path": _data_file(block),
                "runs": [_index_run(trajectory) for trajectory in block.trajectories],
            }
            for block in blocks
        ],
    }


def _index_run(trajectory: Trajectory) -> dict[str, object]:
    shots, error = min(trajectory.points, key=lambda point: point[1])
    best = {"evals": shots, "y": error, "x": []}
    return {"instance": trajectory.run + 1, "evals": trajectory.points[-1][0], "best": best}


def _write_functions(store: Store, place: Path) -> None:
    """Markdown, because IOHanalyzer takes CSV and text files for data."""
    lines = ["| function | problem | noise |", "|---|---|---|"]
    for (problem, noise), number in _functions(store).items():
        lines.append(f"| {number} | {escaped(problem)} | {'' if noise is None else f'{noise:g}'} |")
    _write(place / "functions.md", lines)


def _key(task: Task) -> tuple[object, ...]:
    return (*group_key(task), task.run)


def _file_name(algorithm: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in algorithm)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
