"""The results page of ``bbob_noisy.py``: expected running times beside the published best."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bbob_noisy_best import Best, Published, published
from bbob_noisy_runs import DIMS, FUNCTIONS, METHODS, PRECISIONS, Outcome, Task

Runs = Mapping[Task, Outcome]
COLUMNS = (
    *(field.name for field in fields(Task)),
    *("start", "error", "evaluations", *(f"hit_{p:g}" for p in PRECISIONS), "failure"),
)
_TASK = len(fields(Task))


@dataclass(frozen=True)
class Cell:
    """A method on a function at a precision; ``ert`` is infinite where no run arrived."""

    ert: float
    successes: int
    runs: int


def row_of(task: Task, outcome: Outcome) -> list[str]:
    """The row of a run in runs.csv."""
    errors = [f"{outcome.start:.6g}", f"{outcome.error:.6g}"]
    hits = [str(hit) if hit else "" for hit in outcome.hits]
    own = [task.method, *map(str, (task.function, task.dim, task.instance, task.budget))]
    return [*own, *errors, str(outcome.evaluations), *hits, outcome.failure]


def read(file: Path) -> dict[Task, Outcome]:
    """The outcomes so far, by task."""
    if not file.exists():
        return {}
    with file.open(newline="") as lines:
        return dict(map(_parsed, list(csv.reader(lines))[1:]))


def _parsed(row: Sequence[str]) -> tuple[Task, Outcome]:
    start, error, evaluations, *hits, failure = row[_TASK:]
    reached = tuple(int(hit) if hit else 0 for hit in hits)
    outcome = Outcome(float(start), float(error), int(evaluations), reached, failure)
    return Task(row[0], *map(int, row[1:_TASK])), outcome


def cell_of(runs: Iterable[Outcome], index: int) -> Cell:
    """The expected running time to the precision of this index.

    It is the sum of the evaluations of all runs, up to the hit or, where there is none, up to the
    end, divided by the number of hits.
    """
    outcomes = list(runs)
    total = sum(outcome.hits[index] or outcome.evaluations for outcome in outcomes)
    successes = sum(outcome.hits[index] > 0 for outcome in outcomes)
    return Cell(total / successes if successes else math.inf, successes, len(outcomes))


def cells_of(runs: Runs, method: str, function: int, dim: int) -> list[Cell]:
    """A method on a function, one cell for each precision."""
    chosen = [
        outcome
        for task, outcome in runs.items()
        if (task.method, task.function, task.dim) == (method, function, dim)
    ]
    return [cell_of(chosen, index) for index in range(len(PRECISIONS))]


def write(folder: Path, runs: Runs) -> None:
    """Write index.md from the runs, all of one budget."""
    commits = (folder / "commit.txt").read_text().split()
    (folder / "index.md").write_text(text_of(runs, published(folder / "best.csv"), commits))


def link(index: Path) -> None:
    """Put the page into the list of results pages and its table of contents, once."""
    text = index.read_text()
    if "bbob_noisy/index" not in text:
        row, entry = "| {doc}`paper_grid/index`", "\npaper_grid/index\n"
        text = text.replace(row, f"{_LINK}\n{row}", 1)
        index.write_text(text.replace(entry, f"\nbbob_noisy/index{entry}", 1))


def text_of(runs: Runs, best: Published, commits: Sequence[str]) -> str:
    """The page."""
    (budget,) = {task.budget for task in runs}
    dims = sorted({task.dim for task in runs})
    head = _HEAD.format(
        command=_command(runs, budget),
        commits=("commit " if len(commits) == 1 else "commits ") + ", ".join(commits),
        budget=budget,
        functions=spans({task.function for task in runs}),
        instances=spans({task.instance for task in runs}),
        runs=len(runs),
    )
    tables = [_table(runs, best, dim) for dim in dims]
    return "\n".join([head, _summary(runs, best, dims), *tables])


def _command(runs: Runs, budget: int) -> str:
    """The command that makes these runs and the page; functions and dimensions where not all."""
    words = [f"--instances {_instances(runs)}", f"--budget {budget}"]
    functions, dims = {task.function for task in runs}, {task.dim for task in runs}
    if functions != set(FUNCTIONS):
        words.append(f"--functions {spans(functions)}")
    if dims != set(DIMS):
        words.append(f"--dims {spans(dims)}")
    return " ".join(["python bench/bbob_noisy.py run page", *words])


def _instances(runs: Runs) -> str:
    """The instances as the option takes them: n for 1 to n."""
    found = {task.instance for task in runs}
    last = max(found)
    return str(last) if found == set(range(1, last + 1)) else spans(found)


def spans(numbers: Iterable[int]) -> str:
    """Integers in short form: 1-15, or 16,18-20."""
    ends: list[list[int]] = []
    for number in sorted(numbers):
        if ends and ends[-1][1] == number - 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ends)


def _summary(runs: Runs, best: Published, dims: Sequence[int]) -> str:
    """Counts over all functions and precisions, and what concerns harm."""
    columns = [(dim, method) for dim in dims for method in METHODS]
    groups = {column: _figures(runs, best, *column) for column in columns}
    head = ["", *(f"d = {dim}, `{method}`" for dim, method in columns)]
    lines = ["## Summary\n", _line(head), _line(["---"] * len(head))]
    for title in groups[columns[0]]:
        lines.append(_line([title, *(groups[column][title] for column in columns)]))
    return "\n".join(lines) + "\n"


def _figures(runs: Runs, best: Published, dim: int, method: str) -> dict[str, str]:
    """One column of the summary."""
    functions = sorted({t.function for t in runs if (t.dim, t.method) == (dim, method)})
    pairs = [
        (cell.ert, ert)
        for function in functions
        for cell, ert in zip(
            cells_of(runs, method, function, dim), best[function, dim].erts, strict=True
        )
    ]
    ours = {t: o for t, o in runs.items() if (t.dim, t.method) == (dim, method)}
    budget = max((task.evaluations for task in ours), default=0)
    return _speed(pairs, budget) | _harm(ours)


def _speed(pairs: Sequence[tuple[float, float]], budget: int) -> dict[str, str]:
    """Of the cells, each with our ERT and the best one."""
    both = [own / best for own, best in pairs if math.isfinite(own) and math.isfinite(best)]
    mean = math.exp(math.fsum(map(math.log, both)) / len(both)) if both else math.nan
    return {
        "cells: functions times precisions": str(len(pairs)),
        "reached by at least one run": str(sum(math.isfinite(own) for own, _ in pairs)),
        "reached by the published best": str(sum(math.isfinite(best) for _, best in pairs)),
        "of these, with an ERT within our budget": str(sum(best <= budget for _, best in pairs)),
        "ERT / best ERT, geometric mean where both reach it": f"{mean:.2g}" if both else "-",
        "cells with an ERT at or below the best": str(sum(ratio <= 1 for ratio in both)),
    }


def _harm(runs: Runs) -> dict[str, str]:
    """What a run must not do."""
    ended = [outcome for outcome in runs.values() if not outcome.failure]
    ratios = [outcome.error / outcome.start for outcome in ended]
    above = sum(outcome.evaluations > task.evaluations for task, outcome in runs.items())
    return {
        "runs": str(len(runs)),
        "runs that raised an exception": str(len(runs) - len(ended)),
        "runs with more evaluations than the budget": str(above),
        "runs that ended at their start": str(sum(ratio == 1 for ratio in ratios)),
        "runs that ended above their start": str(sum(not ratio <= 1 for ratio in ratios)),
        "largest error / error of the start": f"{max(ratios):.3g}" if ratios else "-",
    }


def _table(runs: Runs, best: Published, dim: int) -> str:
    """One dimension: a row per function, a column per precision, a line per method."""
    head = ["function", "", *(f"{precision:g}" for precision in PRECISIONS)]
    lines = [f"## d = {dim}\n", _line(head), _line(["---"] * len(head))]
    names = "<br>".join([*(f"`{method}`" for method in METHODS), "best"])
    for function in sorted({task.function for task in runs if task.dim == dim}):
        found = best[function, dim]
        cells = [cells_of(runs, method, function, dim) for method in METHODS]
        shown = [
            _shown(column, found, index, dim)
            for index, column in enumerate(zip(*cells, strict=True))
        ]
        lines.append(_line([f"f{function} {found.name}", names, *shown]))
    return "\n".join(lines) + "\n"


def _shown(cells: Sequence[Cell], best: Best, index: int, dim: int) -> str:
    """One precision of one function: the methods, then the best."""
    limit = best.erts[index]
    return "<br>".join([*(_own(cell, limit, dim) for cell in cells), number(limit / dim)])


def _own(cell: Cell, limit: float, dim: int) -> str:
    if not cell.runs:
        return "no runs"
    text = number(cell.ert / dim)
    if cell.ert <= limit and cell.successes:
        text = f"**{text}**"
    return text if cell.successes == cell.runs else f"{text} ({cell.successes}/{cell.runs})"


def number(value: float) -> str:
    """Two digits at least, all of an integer below 10^5; a dash where it is infinite."""
    if not math.isfinite(value):
        return "-"
    if value < 10:
        return f"{value:.1f}"
    if value < 1e5:
        return f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _line(words: Iterable[str]) -> str:
    return "| " + " | ".join(words) + " |"


_LINK = (
    "| {doc}`bbob_noisy/index` | `frugal` and `ar` on COCO's thirty noisy functions, d = 5 and 20 "
    "| the best published running times, 2009 to 2016 |"
)
_HEAD = """# COCO's noisy functions

Made by `{command}` at {commits};
every run is in `runs.csv`, the published figures in `best.csv`.

Functions {functions} of the suite bbob-noisy of coco-experiment, instances {instances}: {runs} runs
with {budget} evaluations per coordinate. `frugal` and `ar` run by `minimize` with their defaults:
one evaluation per shot, no bounds, noise unknown to them, no restart from outside. Starts are
uniform in [-4, 4] and the same for both, σ₀ is 2. Instances 1 to 15 are for this page only;
development looks at others.

ERT is the expected running time in evaluations: the sum over all runs of the evaluations up to the
first point whose noise-free value is within the precision of the minimum (of all evaluations, where
a run does not get there), divided by the number of runs that get there. The noise-free values are
those that COCO's observer writes, without its penalty outside [-5, 5]. The tables have ERT / d, and
in brackets the runs that get there where not all do; bold figures are at or below the best.

"Best" is best09-16 of cocopp: for every function, dimension and precision the lowest ERT of any of
the 45 algorithms submitted from 2009 to 2016, a portfolio that no single algorithm equals. cocopp
also has best 2009, of 21 algorithms; the later one is never slower, so it is the harder comparison.
Its algorithms had budgets of their own, in many cases far above ours: where the ERT of the best is
above {budget} d, few runs can be expected to get there. `minimize` keeps a tenth of the budget for
the last estimate of the point that it returns. These evaluations count, but do not search. Where a
method samples widely around its point and never at it, the first of them can be the first hit: an
ERT / d of about nine tenths of the budget then says that the point was good at the end, not when.
"""
