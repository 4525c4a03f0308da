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
_MARGIN = 1.1  # shots beyond those that a standard error needs, as the variance is only estimated
_ROWS = 16  # how often the point is evaluated where the oracle reports no variance


@dataclass(frozen=True)
class FinalEstimate:
    """The loss at the recommendation.

    Attributes:
        value: The estimate; NaN where none was made.
        std: Its standard error.
        freedom: Degrees of freedom behind ``std``; infinite where the oracle reported it.
        jobs: Jobs behind it.
    """

    value: float = math.nan
    std: float = math.nan
    freedom: float = math.nan
    jobs: int = 0


FINAL_SHARE = 0.1
"""Of the budget, kept for the last estimate by default.

The error of the point falls as 1/shots, the standard error of ``fun`` as 1/sqrt(shots). A share s
raises the former by 1/(1 - s), at a tenth by 11%, and gives the latter 1/sqrt(s) of what the whole
budget would give it: at a tenth 3.2 times, at a hundredth 10 times.
"""


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


def pool(one: FinalEstimate, other: FinalEstimate | None) -> FinalEstimate:
    """Combine two independent estimates of one point, weighted by their inverse variances.

    Args:
        one: An estimate; it is returned as it is where either has no standard error.
        other: Another one, or None.

    Example:
        >>> pooled = pool(FinalEstimate(1.0, 0.2, 15.0, 1), FinalEstimate(2.0, 0.2, math.inf))
        >>> round(pooled.value, 3), round(pooled.std, 3), round(pooled.freedom), pooled.jobs
        (1.5, 0.141, 60, 1)
    """
    if other is None or not (one.std > 0 and 0 < other.std < math.inf):
        return one
    share = other.std**2 / (other.std**2 + one.std**2)
    uncertainty = share**2 / one.freedom + (1 - share) ** 2 / other.freedom  # Satterthwaite's
    return FinalEstimate(
        value=share * one.value + (1 - share) * other.value,
        std=math.sqrt(share) * one.std,
        freedom=1 / uncertainty if uncertainty > 0 else math.inf,
        jobs=one.jobs + other.jobs,
    )


def price_of_std(oracle: Oracle, variance: float, std: float) -> int:
    """Shots that an estimate of one point takes to have a standard error; 0 if it is not known.

    Args:
        oracle: What is measured.
        variance: Of one shot; NaN where it is not known.
        std: The standard error wanted, > 0.
    """
    if math.isnan(variance):
        return 0
    rows = 1 if oracle.reports_variances else _ROWS
    shots = max(math.ceil(_MARGIN * variance / std**2 / rows), 1)
    return oracle.price(rows).at(shots)


def missing_std(std: float, target: float) -> float:
    """The standard error of a second estimate with which both, pooled, reach a target.

    Example:
        >>> round(missing_std(0.5, target=0.3), 3)
        0.375
    """
    return math.sqrt(1 / (1 / target**2 - 1 / std**2))


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
    """Mean, standard error and degrees of freedom of the rows of one job."""
    values = np.asarray(estimate.values)[np.isfinite(estimate.values)]
    value = float(values.mean())
    if reports_variances and estimate.variances is not None:
        std = float(np.sqrt(np.mean(estimate.variances) / len(values)))
        return FinalEstimate(value, std, math.inf, 1)
    if len(values) < 2:
        return FinalEstimate(value, jobs=1)
    std = float(values.std(ddof=1) / math.sqrt(len(values)))
    return FinalEstimate(value, std, len(values) - 1, 1)
