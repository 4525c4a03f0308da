"""Two sweeps side by side: medians, their ratio, and whether the difference could be chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from qiskit_arcmaes.bench.grouping import GroupKey, group_by, group_key
from qiskit_arcmaes.bench.store import RunRow, Status, Store
from qiskit_arcmaes.bench.tasks import FUNCTION


@dataclass(frozen=True)
class Comparison:
    """One group of two sweeps.

    Attributes:
        group: Problem, dimension, noise, budget and method.
        runs: Numbers of runs, first and second sweep.
        medians: Median errors, first and second sweep; None where a run could not start.
        ratio: Second median over the first: below 1 the second sweep is better. NaN where both
            are zero, or where one is missing.
        chance: p-value of the two-sided Mann-Whitney rank test that neither tends to be lower; NaN
            where a median is missing.
    """

    group: GroupKey
    runs: tuple[int, int]
    medians: tuple[float | None, float | None]
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
    ours, theirs = group_by(first.runs(), group_key), group_by(second.runs(), group_key)
    shared = [key for key in ours if key in theirs]
    if not shared:
        raise ValueError(
            f"{str(first.directory)!r} and {str(second.directory)!r} have no problem, dimension, "
            "noise, budget and method in common."
        )
    return [_compared(key, ours[key], theirs[key]) for key in shared]


def comparison_table(comparisons: Sequence[Comparison]) -> str:
    """The comparisons as a table of text.

    Args:
        comparisons: What ``compare`` returns.

    Returns:
        One line per group, with a head and, in the end, the geometric mean of the ratios and the
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


def _compared(group: GroupKey, ours: Sequence[RunRow], theirs: Sequence[RunRow]) -> Comparison:
    counts = len(ours), len(theirs)
    first = [row.error for row in ours if row.error is not None]
    second = [row.error for row in theirs if row.error is not None]
    if (len(first), len(second)) != counts:
        medians = tuple(
            float(np.median(errors)) if len(errors) == count else None
            for errors, count in zip((first, second), counts, strict=True)
        )
        return Comparison(group, counts, (medians[0], medians[1]), math.nan, math.nan)
    one, other = float(np.median(first)), float(np.median(second))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.divide(other, one))
    chance = float(stats.mannwhitneyu(first, second, alternative="two-sided").pvalue)
    return Comparison(group, counts, (one, other), ratio, chance)


def _row(item: Comparison) -> tuple[str, ...]:
    group = item.group
    return (
        group.problem.removeprefix(FUNCTION),
        str(group.dim),
        "" if group.noise is None else f"{group.noise:g}",
        f"{group.budget:g}",
        group.method,
        "/".join(map(str, item.runs)),
        *(Status.COULD_NOT_START if each is None else f"{each:.2e}" for each in item.medians),
        f"{item.ratio:.3g}",
        f"{item.chance:.2g}",
    )


def _summary(comparisons: Sequence[Comparison]) -> list[str]:
    comparable = [item for item in comparisons if not math.isnan(item.chance)]
    ratios = [item.ratio for item in comparable if 0 < item.ratio < math.inf]
    limit = 0.05 / max(len(comparable), 1)
    strong = [item for item in comparable if item.chance < limit]
    better = sum(item.ratio < 1 for item in strong)
    lines = []
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        lines.append(f"geometric mean of B/A: {mean:.3g} over {len(ratios)} groups")
    lines.append(
        f"of {len(comparable)} groups B is lower in {better} and higher in {len(strong) - better} "
        f"beyond chance (rank test, p < 0.05/{len(comparable)})"
    )
    if len(comparable) < len(comparisons):
        missing = len(comparisons) - len(comparable)
        lines.append(f"groups in which a method could not start, and which do not count: {missing}")
    return lines
