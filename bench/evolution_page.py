"""The results page of ``evolution.py``: medians, geometric means, ratios."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent.parent / "docs/results/evolution"
_TIMES, _COMMIT = FOLDER / "times.csv", FOLDER / "commit.txt"
_LIMITS = {"functions": 1.1, "price": 0.5, "circuits": 1.1}  # of ar / best other
_LONG, _LONG_LIMIT = 10**7, 0.6
_RESAMPLES = 2000


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


def write_commit(commit: str) -> None:
    """Keep the commit that the runs are made with."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    _COMMIT.write_text(commit + "\n")


def write(done: Mapping[Any, float], price: float) -> None:
    """Write the page from all runs so far."""
    parts = [_HEAD.format(commit=_COMMIT.read_text().strip())]
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
        parts.append(_ablation(done, "ablation", "What each part is worth", _ABLATION, "d = 10"))
    if "circuit-ablation" in made:
        title = "What the parts for periodic coordinates are worth"
        parts.append(_ablation(done, "circuit-ablation", title, _CIRCUIT_ABLATION, "circuits"))
    if _TIMES.exists():
        rows = list(csv.DictReader(_TIMES.read_text().splitlines()))
        table = "\n".join(f"| {row['method']} | {row['ratio']} |" for row in rows)
        parts.append(
            "## Processor time\n\nAsk and tell of one generation, d = 20, λ = 100, in units of "
            "plain CMA-ES. The goal is at most 2.\n\n"
            f"| method | time |\n|---|---|\n{table}\n"
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
    head = ["", "runs", *methods, "ar / best other", "limit", "verdict"]
    lines = [f"## {title}\n", _line(head), _line(["---"] * len(head))]
    for where, group in found.items():
        means, count = _means(group)
        shown = [
            f"{means[m]:.2g} {settings[where, m]}".strip() if m in means else "-" for m in methods
        ]
        limit = _LONG_LIMIT if (part, where[1]) == ("functions", _LONG) else _LIMITS[part]
        judged = _judged(group, means, limit)
        lines.append(_line([f"{where[0]}, {where[1]:.0e} shots", count, *shown, *judged]))
    return "\n".join(lines) + "\n"


def _judged(
    group: Mapping[str, Mapping[Any, list[float]]], means: Mapping[str, float], limit: float
) -> list[str]:
    """The ratio ``ar`` / best other with its interval, the limit, and the verdict."""
    others = [mean for method, mean in means.items() if method != "ar"]
    if not others:
        return ["-"] * 3
    ratio, (low, high) = means["ar"] / min(others), ratio_interval(group)
    return [f"{ratio:.2g} [{low:.2g}, {high:.2g}]", f"{limit:g}", verdict(ratio, low, limit)]


def ratio_interval(group: Mapping[str, Mapping[Any, list[float]]]) -> tuple[float, float]:
    """95% bootstrap interval of ``ar`` / best other: runs are drawn anew, problem by problem.

    The best other is found again in each resample.
    """
    rng = np.random.default_rng(0)
    shared = sorted(set.intersection(*(set(cases) for cases in group.values())))

    def resampled(cases: Mapping[Any, list[float]]) -> Any:
        """Logarithms of geometric means of medians, one per resample."""
        logs = [
            np.log(np.median(rng.choice(cases[case], (_RESAMPLES, len(cases[case]))), axis=1))
            for case in shared
        ]
        return np.mean(logs, axis=0)

    drawn = {method: resampled(cases) for method, cases in group.items()}
    best = np.min([logs for method, logs in drawn.items() if method != "ar"], axis=0)
    low, high = np.exp(np.percentile(drawn["ar"] - best, [2.5, 97.5]))
    return float(low), float(high)


def verdict(ratio: float, low: float, limit: float) -> str:
    """Met where the ratio is within the limit, missed where its whole interval is above it."""
    if ratio <= limit:
        return "met"
    return "missed" if low > limit else "open"


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


def _ablation(done: Mapping[Any, float], part: str, title: str, text: str, where: str) -> str:
    """The errors of the variants of ``ar`` in units of its own."""
    found: dict[int, dict[str, dict[Any, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for task, error in done.items():
        if task.part == part:
            cases = found[task.budget][task.method]
            cases.setdefault((task.problem, task.variance), []).append(error)
    tables = {budget: _means(group) for budget, group in found.items()}
    head = [where, *(f"{b:.0e} shots ({runs})" for b, (_, runs) in tables.items())]
    lines = [f"## {title}\n", text, _line(head), _line(["---"] * len(head))]
    for name in found[min(found)]:
        ratios = [
            f"{means[name] / means['ar']:.2f}" if name in means else "-"
            for means, _ in tables.values()
        ]
        lines.append(_line([name, *ratios]))
    return "\n".join(lines) + "\n"


def _line(words: Iterable[str]) -> str:
    return "| " + " | ".join(words) + " |"


_ABLATION = """Geometric mean of the median errors in units of that of `ar`; larger is worse. The
errors of these figures have not been measured. Without mirrored samples there are no differences to
rank, and sigma does not fall by its rule either, since both need the pairs. That sigma follows the
noise is of use where the noise grows with the loss, which it does not here.
"""
_CIRCUIT_ABLATION = """The same on four circuits of the development set, on which the constants
of these parts were chosen, with other seeds and few runs: ratios between a half and two tell
little. That noise does not narrow the population ("sigma falls in noise too" is without it) was
chosen before M was raised, and has not shown its worth since.
"""
_HEAD = """# Evolution strategies: functions, circuits, a price per point

Made by `python bench/evolution.py` at commit {commit}; the error of every run is in `runs.csv`.
Errors are exact losses at the recommendation above the lowest possible ones; the tables have
geometric means over the problems of medians over the runs ("runs": runs per problem, of how many
problems). On functions the noise is unknown to the methods, on circuits it is reported. `ar` has
its defaults everywhere. Each other method has, in each row, the best of λ = default, 40, 100 and,
where its M is fixed, of M for about 300, 1,000 and 10,000 generations (circuits: 300 and 1,000),
chosen on other seeds from one run of five functions or of the circuit. At 10⁷ shots only those
others take part that were within a factor of five of the best other at 10⁵.

"ar / best other" has a 95% bootstrap interval over the runs, in which the best other is found again
each time. Met: the ratio is at or below the limit. Missed: the whole interval is above it. Open:
the ratio is above the limit, its interval not wholly.

The grid is a part of the whole, chosen before the first run: one noise level per function, τ² = 1,
10, 100 in turn. `--variances 3` makes the rest. The runs of `ar` on circuits are of the commit
above, its runs on functions of 698b084, those of the others of earlier commits; since then all of
these are the same bit for bit. The constants of `ar` were chosen on other seeds and on circuits of
the development set and random molecules, none of which is here; but an earlier table, where many
runs on H2 ended near the energy of the best product state, was the reason to try molecules. The
functions are the same, the newest constants are from d = 8 and 15, some older ones from d = 10 and
20. Development compared with fewer settings of the
others than this page.
"""
