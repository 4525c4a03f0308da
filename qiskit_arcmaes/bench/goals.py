"""Goals of an experiment, declared before it runs; its report says which are met."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

CHEMICAL_ACCURACY = 1.6e-3
"""In hartree."""


class Measure(StrEnum):
    """What is compared with the limit of a goal, always "at most", cell by cell."""

    RATIO = "median error over that of the best other method"
    MEAN_RATIO = "geometric mean over the cells of the ratio to the best other method"
    ERROR = "median error"
    START = "median error over the error of the start"
    WORST = "worst run above the start, over the larger of 1.6 mHa and a tenth of its error"
    HALVED = "median error over half the start's, where the best other method halves it"
    UNUSED = "median share of the budget that is left unused"
    FLOORED_RATIO = "median error over that of the best other method, floored at 1e-8 of the start"
    GAINING_RATIO = (
        "geometric mean of the floored ratio to the best other method, over the cells where the "
        "best method at least halves the start's error and stays above the floor"
    )
    HIGH_RATIO = "90th percentile over the cells of the floored ratio to the best other method"
    RISE = "median rise above the start, over 4τ/√B, two standard errors of what noise explains"


@dataclass(frozen=True)
class Goal:
    """One line of what a method must reach.

    Attributes:
        words: The goal in words, for the report.
        measure: What is measured.
        limit: It must not be above this.
        problems: Where.
        budgets: At which budgets, in shots.
        own: The method whose goal it is.
        others: The methods it is compared with, of those that the sweep has; None for all others.
    """

    words: str
    measure: Measure
    limit: float
    problems: tuple[str, ...]
    budgets: tuple[int, ...]
    own: str = "frugal"
    others: tuple[str, ...] | None = None


def goal_data(goal: Goal) -> dict[str, Any]:
    """A goal as JSON data."""
    return asdict(goal)


def read_goal(data: dict[str, Any]) -> Goal:
    """A goal from its JSON data.

    Example:
        >>> goal = Goal("small", Measure.ERROR, 0.1, ("h2",), (1000,))
        >>> read_goal(goal_data(goal)) == goal
        True
    """
    others = data["others"]
    return Goal(
        words=data["words"],
        measure=Measure(data["measure"]),
        limit=float(data["limit"]),
        problems=tuple(data["problems"]),
        budgets=tuple(data["budgets"]),
        own=data["own"],
        others=None if others is None else tuple(others),
    )
