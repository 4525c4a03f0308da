"""Two sweeps side by side: medians, their ratio, and whether the difference could be chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from qiskit_arcmaes.bench.store import RunRow, Store
from qiskit_arcmaes.bench.tasks import FUNCTION

Group = tuple[str, int, float | None, int, str]


@dataclass(frozen=True)
class Comparison:
    """One group of two sweeps.

    Attributes:
        problem: Problem.
        dim: Number of parameters.
        noise: Variance of one shot, None for a quantum problem.
        budget: Shots.
        method: Method.
        runs: Numbers of runs, first and second sweep.
        medians: Median errors, first and second sweep.
        ratio: Second median over the first: below 1 the second sweep is better. NaN where both
            are zero.
        chance: p-value of the two-sided Mann-Whitney rank test that neither tends to be lower.
    """

    problem: str
    dim: int
    noise: float | None
    budget: int
    method: str
    runs: tuple[int, int]
    medians: tuple[float, float]
    ratio: float
    chance: float


def compare(first: Store, second: Store) -> list[Comparison]:
    """Compare the errors of two sweeps, group by group.

    Args:
        first: One sweep.
        second: The other; groups that only one of them has are left out.

    Returns:
        One entry for each group (problem, dimension, noise, budget, method), in canonical order.

    Raises:
        ValueError: They have no group in common.
    """
    ours, theirs = _groups(first.runs()), _groups(second.runs())
    shared = [group for group in ours if group in theirs]
    if not shared:
        raise ValueError(
            f"{str(first.directory)!r} and {str(second.directory)!r} have no problem, dimension, "
            "noise, budget and method in common."
        )
    return [_compared(group, ours[group], theirs[group]) for group in shared]


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """The comparisons as a table of text.

    Args:
        comparisons: What ``compare`` returns.

    Returns:
        One line a group, with a head and, in the end, the geometric mean of the ratios and the
        number of differences that a Bonferroni correction leaves significant at 5%.
    """
    head = ("problem", "d", "noise", "budget", "method", "runs", "A", "B", "B/A", "p")
    rows = [head, *(_row(item) for item in comparisons)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = (True, False, False, False, True, *[False] * 5)
    lines = [
        "  ".join(
            text.ljust(width) if is_left else text.rjust(width)
            for text, width, is_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([*lines, "", *_summary(comparisons)])


def _groups(rows: Iterable[RunRow]) -> dict[Group, list[float]]:
    groups: dict[Group, list[float]] = defaultdict(list)
    for row in rows:
        groups[row.problem, row.dim, row.noise, row.budget, row.method].append(row.error)
    return groups


def _compared(group: Group, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    medians = float(np.median(ours)), float(np.median(theirs))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(medians[1], medians[0]))
    chance = float(stats.mannwhitneyu(ours, theirs, alternative="two-sided").pvalue)
    return Comparison(*group, (len(ours), len(theirs)), medians, ratio, chance)


def _row(item: Comparison) -> tuple[str, ...]:
    return (
        item.problem.removeprefix(FUNCTION),
        str(item.dim),
        "" if item.noise is None else f"{item.noise:g}",
        f"{item.budget:g}",
        item.method,
        "/".join(map(str, item.runs)),
        *(f"{median:.2e}" for median in item.medians),
        f"{item.ratio:.3g}",
        f"{item.chance:.2g}",
    )


def _summary(comparisons: Sequence[Comparison]) -> list[str]:
    ratios = [item.ratio for item in comparisons if 0 < item.ratio < math.inf]
    limit = 0.05 / len(comparisons)
    strong = [item for item in comparisons if item.chance < limit]
    better = sum(item.ratio < 1 for item in strong)
    lines = []
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        lines.append(f"geometric mean of B/A: {mean:.3g} over {len(ratios)} groups")
    lines.append(
        f"of {len(comparisons)} groups B is lower in {better} and higher in {len(strong) - better} "
        f"beyond chance (rank test, p < 0.05/{len(comparisons)})"
    )
    return lines
