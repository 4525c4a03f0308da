"""The result of a run, and what its message says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from qiskit_arcmaes.engine.final import FinalEstimate
from qiskit_arcmaes.engine.result import Result, Stop, describe_algorithm

if TYPE_CHECKING:
    from qiskit_arcmaes.engine.run import Run


def summarise(run: Run, stop: Stop, final: FinalEstimate, seconds: float) -> Result:
    """Sum up a run.

    Args:
        run: The run.
        stop: Why it ended.
        final: The last estimate of the recommendation, or the method's own value with ``jobs`` 0.
        seconds: Wall-clock time.
    """
    ledger, total = run.ledger, run.limits.shots
    why = stop.value + _verdict(run, stop, final) + _remark(run, final)
    return Result(
        x=run.recommendation.copy(),
        fun=final.value,
        fun_std=final.std,
        fun_freedom=final.freedom,
        shots=ledger.spent,
        jobs=ledger.jobs,
        nfev=ledger.points,
        nit=run.progress.iteration,
        failures=ledger.failures,
        stop=stop,
        message=f"{why}; {ledger.spent:,} of {total:,} shots spent, {total - ledger.spent:,} left.",
        method=run.name,
        algorithm=describe_algorithm(run.history),
        seconds=seconds,
        history=run.history,
        labels=run.method.columns,
        scatter=run.method.scatter,
    )


def own_value(run: Run) -> FinalEstimate:
    """The method's own value at its recommendation, where no last estimate was made."""
    if run.finite.stands_in:  # it is another point
        return FinalEstimate()
    return FinalEstimate(run.progress.value, run.progress.std, math.inf)


def _verdict(run: Run, stop: Stop, final: FinalEstimate) -> str:
    """Whether the last estimate confirms that the target was reached."""
    target = run.targets.value
    if stop is not Stop.TARGET or target is None:
        return ""
    confirmed = final.value <= target
    return ", which the last estimate " + ("confirms" if confirmed else "does not confirm")


def _remark(run: Run, final: FinalEstimate) -> str:
    """What ``fun`` is where it is no fresh estimate, and ``x`` where the loss was not finite."""
    where = ""
    if run.finite.stands_in:
        where = "; the loss was not finite where the method led, x is a point at which it was"
    if final.jobs or run.oracle.outside:
        return where
    known = "fun is the method's own value" if math.isfinite(final.value) else "fun is not known"
    return f"{where}; no last estimate was measured, {known}"
