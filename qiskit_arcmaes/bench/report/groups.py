"""A sweep sorted for a report: one group for each method on each problem at each budget."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qiskit_arcmaes.bench.report.style import method_rank
from qiskit_arcmaes.bench.store import Status, Store
from qiskit_arcmaes.bench.tasks import DEVICE, FUNCTION
from qiskit_arcmaes.functions import FUNCTIONS

Array = NDArray[np.float64]

_MOLECULES = {"h2": "H₂", "lih": "LiH", "h4": "H₄", "beh2": "BeH₂"}
_NAMED = ("Ising", "Heisenberg", "Hubbard", "MaxCut", "SK", "cubic", "weighted", "random")
_WORDS: tuple[tuple[str, str], ...] = (
    *((rf"\b{name}\b", written) for name, written in _MOLECULES.items()),
    *((rf"\b{name.lower()}(?=\d)", f"{name}-") for name in _NAMED),
    *((rf"\b{name.lower()}\b(?= n\d)", name) for name in _NAMED),
    (r"^ucc (.+)", r"\1 UCCSD"),
    (r"\bqaoa\b", "QAOA"),
    (r" p(\d)", r", p = \1"),
    (r" (random|ramp)$", r", \1"),
    (r" n(\d+)$", r", \1 qubits"),
    (r" box(.+)", r", bounds ±\1"),
    ("2pi", "2π"),
    ("controlled4", "controlled rotations"),
    ("halves4", "half angles"),
    ("sums4", "sums of parameters"),
    ("repeats4", "repeated parameters"),
)
"""What the words of a problem's name become, one after the other."""

NO_LEVEL = -1.0
"""The noise of quantum problems, in keys and orders."""

GROUP = ["problem", "dim", "noise", "budget", "method"]
"""The columns that the runs of one group agree in."""


@dataclass(frozen=True)
class Condition:
    """What methods are compared under: a problem with its dimension and noise, and a budget."""

    problem: str
    dim: int
    noise: float | None
    budget: int

    @property
    def size(self) -> int:
        """The dimension of a function; 0 for circuits, which are compared across sizes."""
        return 0 if self.noise is None else self.dim

    @property
    def level(self) -> float:
        """The noise, as a number to sort by: quantum problems come first."""
        return NO_LEVEL if self.noise is None else self.noise


@dataclass(frozen=True)
class Group:
    """All runs of one method under one condition.

    Attributes:
        condition: The problem and the budget.
        method: Name as in the store.
        runs: Numbers of the runs that have an error, ascending.
        errors: Final error of each of them.
        seconds: Mean wall-clock seconds of a run; None where unknown.
        seconds_std: Their standard deviation; None for a single run.
        unused: Median share of the budget that was left.
        could_not_start: Runs that could not pay their first step, or lack a package: without error.
    """

    condition: Condition
    method: str
    runs: tuple[int, ...]
    errors: Array
    seconds: float | None = None
    seconds_std: float | None = None
    unused: float = 0.0
    could_not_start: int = 0

    @property
    def started(self) -> bool:
        """Whether every run could start; otherwise the group enters no median and no ratio."""
        return self.could_not_start == 0

    @property
    def quartiles(self) -> Array:
        """Lower quartile, median and upper quartile of the final errors."""
        return np.quantile(self.errors, (0.25, 0.5, 0.75))

    @property
    def median(self) -> float:
        """Median of the final errors; failed runs (NaN) count as infinite."""
        return float(np.median(np.where(np.isnan(self.errors), np.inf, self.errors)))


G = TypeVar("G", bound=Group)


def groups_of(store: Store) -> list[Group]:
    """Sort the rows of a store into groups, in the order in which reports show them.

    Args:
        store: A sweep, finished or not.

    Returns:
        The groups, problems in the paper's order, our own methods first.
    """
    seconds = store.table("timings")[[*GROUP, "run", "seconds"]]
    runs = store.table("runs").merge(seconds, how="left", on=[*GROUP, "run"])
    parts = runs.groupby(GROUP, sort=False, dropna=False)
    return sorted((_group(rows) for _, rows in parts), key=_order)


def grouped(groups: Iterable[G], *names: str) -> dict[Any, list[G]]:
    """Groups that agree in some fields of their condition, in the order of first appearance.

    Args:
        groups: Some groups.
        names: Fields of ``Condition``, or ``method``.

    Returns:
        The value of the field, or the values of the fields, to the groups that have them.

    Example:
        >>> places = [Condition("h2", 4, None, budget) for budget in (10, 10, 100)]
        >>> groups = [Group(place, "uh", (), np.zeros(0)) for place in places]
        >>> {budget: len(same) for budget, same in grouped(groups, "budget").items()}
        {10: 2, 100: 1}
    """
    values = attrgetter(*(name if name == "method" else f"condition.{name}" for name in names))
    found: dict[Any, list[G]] = {}
    for group in groups:
        found.setdefault(values(group), []).append(group)
    return found


def at_largest_budget(groups: Iterable[G]) -> list[G]:
    """Of every problem, with its dimension and noise, the groups with its largest budget."""
    found = []
    for same in grouped(groups, "problem", "dim", "noise").values():
        by_budget = grouped(same, "budget")
        found += by_budget[max(by_budget)]
    return found


def label_of(problem: str) -> str:
    """A problem as people say it.

    Example:
        >>> label_of("function:rotated_hyper_ellipsoid"), label_of("lih"), label_of("ising6")
        ('rotated hyper ellipsoid', 'LiH', 'Ising-6')
        >>> label_of("qaoa_sk6_p1_ramp"), label_of("h2_box2pi"), label_of("controlled4")
        ('QAOA SK-6, p = 1, ramp', 'H₂, bounds ±2π', 'controlled rotations')
        >>> label_of("ucc_beh2"), label_of("device:ising4")
        ('BeH₂ UCCSD', 'Ising-4 on a noisy device')
    """
    if problem.startswith(DEVICE):
        return f"{label_of(problem.removeprefix(DEVICE))} on a noisy device"
    if problem.startswith(FUNCTION):
        return problem.removeprefix(FUNCTION).replace("_", " ")
    words = problem.replace("_", " ")
    for pattern, written in _WORDS:
        words = re.sub(pattern, written, words)
    return words


def unit_of(problem: str) -> str:
    """The unit of a problem's loss.

    Example:
        >>> [unit_of(name) for name in ("ucc_lih", "ising6", "qaoa_sk6_p1_ramp", "function:trid")]
        ['hartree', 'couplings', 'edge weights', 'loss above the minimum']
        >>> unit_of("h2_box2pi")
        'hartree'
    """
    name = re.sub(f"^({DEVICE})?(dev_)?(ucc_)?|_box.*", "", problem)
    if name in (*_MOLECULES, "h3plus"):
        return "hartree"
    if problem.startswith(FUNCTION):
        return "loss above the minimum"
    return "edge weights" if name.startswith(("qaoa", "maxcut")) else "couplings"


def _group(rows: pd.DataFrame) -> Group:
    first, started = rows.iloc[0], rows[rows.status != Status.COULD_NOT_START]
    noise = None if np.isnan(first.noise) else float(first.noise)
    seconds = rows.seconds.dropna()
    return Group(
        condition=Condition(first.problem, int(first.dim), noise, int(first.budget)),
        method=first.method,
        runs=tuple(started.run.tolist()),
        errors=started.error.to_numpy(),
        seconds=float(seconds.mean()) if len(seconds) else None,
        seconds_std=float(seconds.std()) if len(seconds) > 1 else None,
        unused=1 - float(rows.shots.median()) / int(first.budget),
        could_not_start=len(rows) - len(started),
    )


def _order(group: Group) -> tuple[object, ...]:
    condition = group.condition
    name = condition.problem.removeprefix(FUNCTION)
    rank = [*FUNCTIONS, name].index(name)  # the others come last
    return rank, name, condition.dim, condition.level, condition.budget, method_rank(group.method)
