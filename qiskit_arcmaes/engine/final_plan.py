"""How many shots the last estimate of a run takes, and how many are kept for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qiskit_arcmaes.engine.final import FinalEstimate, rows
from qiskit_arcmaes.engine.ledger import Limits, RunLedger
from qiskit_arcmaes.engine.result import Stop
from qiskit_arcmaes.oracles import Oracle

FINAL_SHARE = 0.1
"""Of the budget, kept for the last estimate by default.

The error of the point falls as 1/shots, the standard error of ``fun`` as 1/sqrt(shots). A share s
raises the former by 1/(1 - s), at a tenth by 11%, and gives the latter 1/sqrt(s) of what the whole
budget would give it: at a tenth 3.2 times, at a hundredth 10 times.
"""

_MARGIN = 1.1  # shots beyond those that a standard error needs, as the variance is only estimated


def reserved(oracle: Oracle, final_shots: float | None, max_shots: int) -> int:
    """Shots to keep for the last estimate; at the least, what two points take.

    Args:
        oracle: What is measured.
        final_shots: What the user says: a number of shots, or a share below 1; None for the
            default.
        max_shots: The budget.
    """
    wanted = FINAL_SHARE if final_shots is None else final_shots
    shots = wanted * max_shots if wanted < 1 else wanted
    return max(int(shots), oracle.price(2).at(1))


@dataclass(frozen=True)
class FinalPlan:
    """Shots of the last estimate.

    Attributes:
        oracle: What is measured.
        limits: What the run may use.
        reserve: Shots kept in any case.
        target: The standard error that is wanted; None takes the reserve, and at the planned end
            of a run all that is left.
    """

    oracle: Oracle
    limits: Limits
    reserve: int
    target: float | None

    def kept(self, ledger: RunLedger) -> int:
        """Shots that a job must leave: at most half of the budget for the sake of a target."""
        if self.target is None:
            return self.reserve
        needed = self._price_of_std(ledger.shot_variance, self.target)
        return max(self.reserve, min(needed, self.limits.shots // 2))

    def next_budget(self, final: FinalEstimate | None, ledger: RunLedger, stop: Stop) -> int:
        """What the next job of the last estimate may take; 0 if there is none.

        Args:
            final: The last estimate so far.
            ledger: What the run has used.
            stop: Why the method has ended.
        """
        left = self.limits.shots - ledger.spent
        if self.oracle.outside or self.oracle.price(1).at(1) > left:
            return 0
        if self.target is not None:
            return min(left, self._price_of_target(final, ledger, self.target))
        if final is not None:
            return 0
        return left if stop in (Stop.BUDGET, Stop.JOBS) else min(left, self.reserve)

    def _price_of_target(
        self, final: FinalEstimate | None, ledger: RunLedger, target: float
    ) -> int:
        """What is missing to a standard error, in two jobs; the reserve while nothing is known."""
        if final is None:
            return self._price_of_std(ledger.shot_variance, target) or self.reserve
        last = self.limits.jobs is not None and ledger.jobs >= self.limits.jobs
        if last or final.jobs > 1 or not final.std > target:
            return 0
        missing = math.sqrt(1 / (1 / target**2 - 1 / final.std**2))  # of a second estimate, pooled
        return self._price_of_std(ledger.shot_variance, missing)

    def _price_of_std(self, variance: float, std: float) -> int:
        """Shots that a standard error takes, from the variance of one shot; 0 if it is unknown."""
        if math.isnan(variance):
            return 0
        count = rows(self.oracle)
        shots = max(math.ceil(_MARGIN * variance / std**2 / count), 1)
        return self.oracle.price(count).at(shots)
