"""A sweep in other people's formats: IOHanalyzer's, iohinspector's, and flat CSV files.

The unit of cost is one shot, and the value is the exact error of the current recommendation: a
"function evaluation" there is a shot here. Every pair of a problem and a noise level is a function;
a run's number is its instance. ``functions.md`` in the target says which function is which.
"""

from __future__ import annotations

import csv
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from pathlib import Path

import numpy as np

from qiskit_arcmaes.bench.report.groups import distinct, groups_of
from qiskit_arcmaes.bench.report.numbers import shots_in_names
from qiskit_arcmaes.bench.store import RunRow, Store
from qiskit_arcmaes.bench.tasks import FUNCTION, Task

DAT_HEAD = (
    '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"'
)
"""What every run begins with in IOHanalyzer's data files."""

SUITE = "qiskit-arcmaes"


@dataclass(frozen=True)
class Way:
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
    ways: list[Way]


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
        for function in distinct(block.function for block in blocks):
            own = [block for block in blocks if block.function == function]
            lines = []
            for block in own:
                data = _data_file(block)
                _write(folder / data, _dat_lines(block))
                lines += [_info_head(block), "%", ", ".join([data, *map(_info_run, block.ways)])]
            _write(folder / f"IOHprofiler_f{function}.info", lines)
    _write_functions(store, place)


def _write_iohinspector(store: Store, place: Path) -> None:
    for algorithm, blocks in _by_algorithm(_blocks(store)).items():
        folder = place / _file_name(algorithm)
        for function in distinct(block.function for block in blocks):
            own = [block for block in blocks if block.function == function]
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
    head = ["problem", "dim", "noise", "budget", "method", "runs"]
    head += ["lower_quartile", "median", "upper_quartile", "mean", "standard_error", "seconds"]
    summary = []
    for group in groups_of(store):
        where, errors = group.condition, group.errors
        spread = np.std(errors, ddof=1) / np.sqrt(errors.size) if errors.size > 1 else None
        summary.append(
            [where.problem, where.dim, where.noise, where.budget, group.method, errors.size]
            + [float(np.quantile(errors, share)) for share in (0.25, 0.5, 0.75)]
            + [float(np.mean(errors)), spread, group.seconds]
        )
    _write_table(place / "summary.csv", head, summary)


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
    functions = _functions(store)
    budgets = {row.budget for row in store.runs()}
    points: dict[tuple[object, ...], list[tuple[int, float]]] = defaultdict(list)
    for step in store.trajectories():
        points[_key(step)].append((step.shots, step.error))
    found: dict[tuple[object, ...], Block] = {}
    for row in store.runs():
        function = functions[row.problem, row.noise]
        # A method may plan by its budget: at another one it is another algorithm.
        algorithm = (
            row.method if len(budgets) == 1 else f"{row.method}_B{shots_in_names(row.budget)}"
        )
        block = found.setdefault(
            (function, row.dim, algorithm),
            Block(function, _function_name(row), row.dim, algorithm, []),
        )
        block.ways.append(Way(row.run, _way(points[_key(row)], row)))
    return list(found.values())


def _way(points: Iterable[tuple[int, float]], row: RunRow) -> list[tuple[int, float]]:
    """From the first shot, as the format demands, to the last, with the returned point."""
    kept = {max(shots, 1): error for shots, error in points}
    kept[max(row.shots, 1)] = row.error
    way = sorted(kept.items())
    return way if way[0][0] == 1 else [(1, way[0][1]), *way]


def _by_algorithm(blocks: Iterable[Block]) -> dict[str, list[Block]]:
    found: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        found[block.algorithm].append(block)
    return found


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


def _info_run(way: Way) -> str:
    return f"{way.run + 1}:{way.points[-1][0]}|{min(error for _, error in way.points)!r}"


def _dat_lines(block: Block) -> list[str]:
    lines = []
    for way in block.ways:
        lines.append(DAT_HEAD)
        best = accumulate((error for _, error in way.points), min)
        for (shots, error), lowest in zip(way.points, best, strict=True):
            lines.append(f"{shots} {error!r} {lowest!r} {error!r} {lowest!r}")
    return lines


def _plain_lines(block: Block) -> list[str]:
    lines = []
    for way in block.ways:
        lines.append("evaluations raw_y")
        lines += [f"{shots} {error!r}" for shots, error in way.points]
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
                "runs": [_index_run(way) for way in block.ways],
            }
            for block in blocks
        ],
    }


def _index_run(way: Way) -> dict[str, object]:
    shots, error = min(way.points, key=lambda point: point[1])
    best = {"evals": shots, "y": error, "x": []}
    return {"instance": way.run + 1, "evals": way.points[-1][0], "best": best}


def _write_functions(store: Store, place: Path) -> None:
    """Markdown, because IOHanalyzer takes CSV and text files for data."""
    lines = ["| function | problem | noise |", "|---|---|---|"]
    for (problem, noise), number in _functions(store).items():
        lines.append(f"| {number} | {problem} | {'' if noise is None else f'{noise:g}'} |")
    _write(place / "functions.md", lines)


def _key(task: Task) -> tuple[object, ...]:
    return (task.problem, task.dim, task.noise, task.budget, task.method, task.run)


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
