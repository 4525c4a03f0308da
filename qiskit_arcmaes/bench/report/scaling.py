"""How the cost of a fixed error per site grows with the number of qubits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.anytime import anytime_of
from qiskit_arcmaes.bench.report.groups import Group, groups_of
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.problems.scaling import family_and_size

Array = NDArray[np.float64]

PER_SITE = {"ising": 0.1, "heisenberg": 0.1, "qaoa": 0.02}
"""Errors per qubit that runs are timed to, above the lowest energy of the circuit: in couplings on
chains, in edge weights on graphs. Fixed so that most methods get there with 3 10^4 shots and 12
qubits, by a few runs on seeds that are not reported."""

FAMILIES = {
    "ising": "Ising chain",
    "heisenberg": "Heisenberg ring",
    "qaoa": "QAOA, p = 2, 3-regular",
}
"""Names of the families, in the order of reports."""

_RESAMPLES, _INTERVAL, _SEED = 2000, (0.025, 0.975), 7
_FEWEST = 3  # sizes that make a law


@dataclass(frozen=True, eq=False)
class Point:
    """What a method needs at one size.

    Attributes:
        size: Number of qubits.
        budget: Shots of the runs that get there with the fewest: methods plan by their budget.
        shots: Median shots of these to the error per site, infinite where half never get there.
        never: How many of them never do.
        runs: How many there are.
        seconds: Median processor seconds of a whole one of these.
        jobs: Median jobs of a whole one.
    """

    size: int
    budget: int
    shots: float
    never: int
    runs: int
    seconds: float
    jobs: float


@dataclass(frozen=True, eq=False)
class Growth:
    """How a method's cost grows with the size of a family.

    Attributes:
        family: One of ``FAMILIES``.
        method: Its name.
        points: One for each size, ascending.
        exponent: Of shots ∝ size^exponent, over the sizes whose shots are finite; NaN below three.
        low: Lower end of its 95% bootstrap interval over the runs.
        high: Upper end.
        second_exponent: Of the processor seconds, over all sizes.
        job_exponent: Of the jobs, over all sizes.
    """

    family: str
    method: str
    points: tuple[Point, ...]
    exponent: float
    low: float
    high: float
    second_exponent: float
    job_exponent: float


def growth_of(store: Store) -> list[Growth]:
    """The growth of every method on every family that a sweep has.

    Args:
        store: A sweep, finished or not; problems that belong to no family are left out. A method
            has no point where it could not start.
    """
    shots: dict[tuple[str, str], dict[int, dict[int, Array]]] = {}
    for group in groups_of(store):
        place = family_and_size(group.condition.problem)
        if place is not None:
            shots.setdefault((place[0], group.method), {})
    for each in anytime_of(store):
        place, method = family_and_size(each.condition.problem), each.method
        if place is not None:
            family, size = place
            target = size * PER_SITE[family]
            taken = np.array([course.reached(target) for course in each.courses])
            budgets = shots[family, method].setdefault(size, {})
            budgets[each.condition.budget] = taken
    costs = _costs(store)
    order = list(FAMILIES)
    return [
        _growth(family, method, sizes, costs)
        for (family, method), sizes in sorted(shots.items(), key=lambda at: order.index(at[0][0]))
    ]


def fit_exponent(sizes: Sequence[int] | Array, values: Sequence[float] | Array) -> float:
    """Slope of the logarithm of values over that of sizes; NaN below three finite values.

    Example:
        >>> round(fit_exponent([4, 6, 8, 10], [16.0, 36.0, 64.0, np.inf]), 6)
        2.0
    """
    known = np.isfinite(values) & (np.asarray(values, dtype=float) > 0)
    if known.sum() < _FEWEST:
        return float("nan")
    return float(np.polyfit(np.log(np.asarray(sizes)[known]), np.log(values)[known], 1)[0])


def _growth(
    family: str,
    method: str,
    sizes: dict[int, dict[int, Array]],
    costs: dict[tuple[str, str, int, int], tuple[float, float]],
) -> Growth:
    points = []
    for size, budgets in sorted(sizes.items()):
        budget = min(budgets, key=lambda each: (float(np.median(budgets[each])), -each))
        taken = budgets[budget]
        cost = costs[family, method, size, budget]
        never = int(np.isinf(taken).sum())
        points.append(
            Point(size, budget, float(np.median(taken)), never, len(taken), cost[0], cost[1])
        )
    steps = [point.size for point in points]
    low, high = _interval([sizes[size] for size in steps], steps)
    return Growth(
        family,
        method,
        tuple(points),
        fit_exponent(steps, [point.shots for point in points]),
        low,
        high,
        fit_exponent(steps, [point.seconds for point in points]),
        fit_exponent(steps, [point.jobs for point in points]),
    )


def _interval(sizes: Sequence[dict[int, Array]], steps: Sequence[int]) -> tuple[float, float]:
    """The exponents of resampled runs; the budget is chosen anew in each."""
    rng = np.random.default_rng(_SEED)
    if len(sizes) < _FEWEST:
        return float("nan"), float("nan")
    medians = np.array([_resampled_least(budgets, rng) for budgets in sizes])
    drawn = np.array([fit_exponent(steps, column) for column in medians.T])
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return float("nan"), float("nan")
    low, high = np.quantile(drawn, _INTERVAL)
    return float(low), float(high)


def _resampled_least(budgets: dict[int, Array], rng: np.random.Generator) -> Array:
    """The least median over the budgets, of resampled runs."""
    found = []
    for taken in budgets.values():
        draws = rng.integers(0, len(taken), (_RESAMPLES, len(taken)))
        found.append(np.median(taken[draws], axis=1))
    return np.asarray(np.min(found, axis=0))


def _costs(store: Store) -> dict[tuple[str, str, int, int], tuple[float, float]]:
    """Median processor seconds and jobs of a run, by family, method, size and budget."""
    keys = ["problem", "budget", "method"]
    seconds = store.table("timings").groupby(keys).cpu_seconds.median()
    jobs = store.table("runs").groupby(keys).jobs.median()
    found = {}
    for key, count in jobs.items():
        problem, budget, method = key
        place = family_and_size(problem)
        if place is not None:
            found[place[0], method, place[1], int(budget)] = float(seconds[key]), float(count)
    return found


def is_scaling(groups: Sequence[Group]) -> bool:
    """Whether a sweep has problems of growing size."""
    return any(family_and_size(group.condition.problem) is not None for group in groups)
