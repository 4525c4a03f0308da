"""Whether a run is good enough to stop before its budget is used."""

from __future__ import annotations

from dataclasses import dataclass

from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.result import Stop

_SIGNIFICANCE = 2.0  # standard errors that a value must lie below the target
_EARLIEST = 0.1  # share of the budget before which nothing is concluded from a lack of gain
_CHECKS = 32  # a history is looked through when it has grown by this part of itself


@dataclass(frozen=True)
class Targets:
    """What is good enough; None is nothing.

    Attributes:
        value: The loss at the recommendation.
        std: The standard error of ``fun``.
    """

    value: float | None = None
    std: float | None = None

    def reached(self, history: History, budget: int) -> Stop | None:
        """Which target the run has reached after its last job, if any.

        Args:
            history: What happened so far.
            budget: Most shots of the run.
        """
        rows = len(history)
        if rows == 0:
            return None
        if self.value is not None and _lies_below(history, self.value):
            return Stop.TARGET
        looks = rows % max(rows // _CHECKS, 1) == 0
        if self.std is not None and looks and _gains_nothing(history, self.std, budget):
            return Stop.TARGET_STD
        return None


def _lies_below(history: History, target: float) -> bool:
    """Whether the present value is known to be at most the target."""
    last = history[-1:]
    return bool(last["value"][0] + _SIGNIFICANCE * last["value_std"][0] <= target)


def _gains_nothing(history: History, std: float, budget: int) -> bool:
    """Whether what is left to gain is less than a standard error, as far as the values show.

    Compared are the mean values of the second and of the last quarter of the shots, of those that
    are known that well. Where the error falls as 1/shots they differ by 1.6 times the error that is
    left; where it falls faster, by more.
    """
    spent, values, errors = history["spent"], history["value"], history["value_std"]
    total = spent[-1]
    if total < _EARLIEST * budget:
        return False
    known = errors <= std
    before = values[(spent > total / 4) & (spent <= total / 2) & known]
    now = values[(spent > 0.75 * total) & known]
    return len(before) > 0 and len(now) > 0 and bool(before.mean() - now.mean() <= std)
