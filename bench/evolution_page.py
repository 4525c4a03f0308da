"""The results page of ``evolution.py``: medians, geometric means, ratios."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent.parent / "docs/results/evolution"
_TIMES = FOLDER / "times.csv"


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(np.fromiter(values, dtype=float)))))


def read(file: Path, kind: Any) -> dict[Any, float]:
    """The errors of a file by task."""
    if not file.exists():
        return {}
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    types = {"str": str, "int": int, "float": float}
    names = kind.__annotations__
    return {
        kind(**{name: types[names[name]](row[name]) for name in names}): float(row["error"])
        for row in rows
    }


def write_times(times: Mapping[str, float]) -> None:
    """Keep the times of a generation in units of plain CMA-ES."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [f"{name},{seconds / times['cma']:.3g}" for name, seconds in times.items()]
    _TIMES.write_text("method,ratio\n" + "\n".join(lines) + "\n")


def write(done: Mapping[Any, float], price: float) -> None:
    """Write the page from all runs so far."""
    parts = [_HEAD]
    made = {task.part for task in done}
    titles = {
        "functions": "The fourteen functions",
        "price": f"A price of {price:g} shots per point, 10⁶ in all",
        "circuits": "Circuits",
    }
    for part, title in titles.items():
        if part in made:
            parts.append(_groups(done, part, title, by_problem=part == "circuits"))
    if "ablation" in made:
        parts.append(_ablation(done))
    if _TIMES.exists():
        rows = list(csv.DictReader(_TIMES.read_text().splitlines()))
        table = "\n".join(f"| {row['method']} | {row['ratio']} |" for row in rows)
        parts.append(
            "## Processor time\n\nAsk and tell of one generation, d = 20, λ = 100, in units of "
            f"plain CMA-ES.\n\n| method | time |\n|---|---|\n{table}\n"
        )
    (FOLDER / "index.md").write_text("\n".join(parts))


def _groups(done: Mapping[Any, float], part: str, title: str, by_problem: bool) -> str:
    """One table: a row per (dimension or problem, budget), a column per method."""
    found: dict[Any, dict[str, dict[Any, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    settings: dict[Any, str] = {}
    for task, error in done.items():
        if task.part == part:
            where = (task.problem if by_problem else f"d = {task.dim}", task.budget)
            cases = found[where][task.method]
            cases.setdefault((task.problem, task.variance), []).append(error)
            settings[where, task.method] = _setting(task)
    methods = sorted({m for group in found.values() for m in group}, key=lambda m: (m != "ar", m))
    head = ["", "runs", *methods, "ar / best other"]
    lines = [f"## {title}\n", _line(head), _line(["---"] * len(head))]
    for where, group in found.items():
        means, count = _means(group)
        others = [mean for method, mean in means.items() if method != "ar"]
        ratio = f"{means['ar'] / min(others):.2f}" if others else ""
        shown = [
            f"{means[m]:.2g} {settings[where, m]}".strip() if m in means else "-" for m in methods
        ]
        lines.append(_line([f"{where[0]}, {where[1]:.0e} shots", count, *shown, ratio]))
    return "\n".join(lines) + "\n"


def group_means(done: Mapping[Any, float], part: str, dim: int, budget: int) -> dict[str, float]:
    """The figures of one row of a table, by method."""
    group: dict[str, dict[Any, list[float]]] = defaultdict(dict)
    for task, error in done.items():
        if (task.part, task.dim, task.budget) == (part, dim, budget):
            group[task.method].setdefault((task.problem, task.variance), []).append(error)
    return _means(group)[0]


def _means(group: Mapping[str, Mapping[Any, list[float]]]) -> tuple[dict[str, float], str]:
    """Geometric means over the cases that all methods have, of medians over the runs."""
    shared = set.intersection(*(set(cases) for cases in group.values()))
    means = {
        method: geometric_mean(float(np.median(cases[case])) for case in shared)
        for method, cases in group.items()
    }
    runs = [len(cases[case]) for cases in group.values() for case in shared]
    count = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
    return means, f"{count} of {len(shared)}"


def _setting(task: Any) -> str:
    """The chosen population and M of a method that has none of its own."""
    if task.method == "ar":
        return ""
    popsize = f"λ {task.popsize}" if task.popsize else "λ default"
    return f"({popsize}, M {task.shots})" if task.shots else f"({popsize})"


def _ablation(done: Mapping[Any, float]) -> str:
    found: dict[int, dict[str, dict[Any, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for task, error in done.items():
        if task.part == "ablation":
            cases = found[task.budget][task.method]
            cases.setdefault((task.problem, task.variance), []).append(error)
    tables = {budget: _means(group) for budget, group in found.items()}
    head = ["d = 10", *(f"{b:.0e} shots ({runs})" for b, (_, runs) in tables.items())]
    lines = ["## What each part is worth\n", _ABLATION, _line(head), _line(["---"] * len(head))]
    for name in found[min(found)] if found else []:
        ratios = [
            f"{means[name] / means['ar']:.2f}" if name in means else "-"
            for means, _ in tables.values()
        ]
        lines.append(_line([name, *ratios]))
    return "\n".join(lines) + "\n"


def _line(words: Iterable[str]) -> str:
    return "| " + " | ".join(words) + " |"


_ABLATION = """Geometric mean of the median errors in units of that of `ar`; larger is worse. The
errors of these figures have not been measured. Without mirrored samples sigma does not fall by its
rule either, since that needs the pairs.
"""
_HEAD = """# AR-CMA-ES against the other evolution strategies

Made by `python bench/evolution.py`; the error of every run is in `runs.csv`. Errors are exact
losses at the recommendation above the lowest possible ones; the tables have geometric means over
the problems of medians over the runs ("runs": runs per problem, of how many problems). On functions
the noise is unknown to the methods, on circuits it is reported. `ar` has its defaults everywhere.
Each other method has, in each row, the best of λ = default, 40, 100 and, where its M is fixed, of M
for about 300, 1,000 and 10,000 generations (circuits: 300 and 1,000), chosen on other seeds from
one run of five functions or of the circuit. At 10⁷ shots only those others take part that were
within a factor of five of the best other at 10⁵.

The grid is a part of the whole, chosen before the first run: one noise level per function, τ² = 1,
10, 100 in turn. `--variances 3 --runs 20 --long 10` makes the rest. Tables and rows that are
missing here (10⁵ and 10⁷ shots, circuits, some variants) have not been run yet. `ar` was
run twice on the seeds of the rows at 10⁴: first without its least learning rate (ratios 0.59 at
d = 10, 1.00 at d = 20), which was added because of Trid there, with its constant from other seeds.
The rows of functions and of the price were made before sigma fell where the mean stands and before
the generations were proportional to the dimension; only the ablation has the present `ar`.
"""
