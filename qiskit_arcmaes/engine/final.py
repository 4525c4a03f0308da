"""The fresh estimate of the recommendation at the end of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch
from qiskit_arcmaes.oracles import Estimate, Oracle

Array = NDArray[np.float64]

PHASE = "last estimate"
_ROWS = 16  # how often the point is evaluated where the oracle reports no variance


@dataclass(frozen=True)
class FinalEstimate:
    """The loss at the recommendation.

    Attributes:
        value: The estimate; NaN where none was made.
        std: Its standard error.
        freedom: Degrees of freedom behind ``std``; infinite where the oracle reported it.
    """

    value: float = math.nan
    std: float = math.nan
    freedom: float = math.nan


FINAL_SHARE = 0.01
"""Of the budget, kept for the last estimate by default."""


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


def pool(fresh: FinalEstimate, known: tuple[float, float] | None) -> FinalEstimate:
    """Combine the last estimate with independent measurements of the same point.

    Weights are the inverse variances. The degrees of freedom are Satterthwaite's: all uncertainty
    of the variance is that of the last estimate's.

    Args:
        fresh: The last estimate.
        known: Value and variance of the other measurements, or None.

    Example:
        >>> pool(FinalEstimate(1.0, 0.2, 15.0), (2.0, 0.04))  # doctest: +ELLIPSIS
        FinalEstimate(value=1.5, std=0.141..., freedom=60.0...)
    """
    if known is None or math.isnan(fresh.std) or fresh.std == 0:
        return fresh
    value, variance = known
    if not (math.isfinite(value) and 0 < variance < math.inf):
        return fresh
    share = variance / (variance + fresh.std**2)
    std = math.sqrt(share) * fresh.std
    return FinalEstimate(share * fresh.value + (1 - share) * value, std, fresh.freedom / share**2)


def final_batch(oracle: Oracle, point: Array, budget: int) -> Batch | None:
    """The job that estimates a point from what a budget pays; None if it pays nothing.

    Args:
        oracle: What is measured.
        point: The recommendation, shape (d,).
        budget: Shots that may be spent.
    """
    rows = 1 if oracle.reports_variances else _ROWS
    while rows > 1 and oracle.price(rows).at(1) > budget:
        rows //= 2
    shots = oracle.price(rows).affordable(budget)
    return Batch(np.tile(point, (rows, 1)), shots, PHASE) if shots >= 1 else None


def conclude(estimate: Estimate, reports_variances: bool) -> FinalEstimate:
    """Mean, standard error and degrees of freedom of the rows of a last estimate."""
    values = np.asarray(estimate.values)[np.isfinite(estimate.values)]
    value = float(values.mean())
    if reports_variances and estimate.variances is not None:
        std = float(np.sqrt(np.mean(estimate.variances) / len(values)))
        return FinalEstimate(value, std, math.inf)
    if len(values) < 2:
        return FinalEstimate(value)
    return FinalEstimate(value, float(values.std(ddof=1) / math.sqrt(len(values))), len(values) - 1)
