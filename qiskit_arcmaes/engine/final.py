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
        jobs: Jobs behind it.
    """

    value: float = math.nan
    std: float = math.nan
    freedom: float = math.nan
    jobs: int = 0


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


def rows(oracle: Oracle) -> int:
    """How often the point is evaluated in one job: more than once to see the variance."""
    return 1 if oracle.reports_variances else _ROWS


def final_batch(oracle: Oracle, point: Array, budget: int) -> Batch:
    """The job that estimates a point from what a budget pays.

    Args:
        oracle: What is measured.
        point: The recommendation, shape (d,).
        budget: Shots that may be spent; they must pay one point.
    """
    count = rows(oracle)
    while count > 1 and oracle.price(count).at(1) > budget:
        count //= 2
    return Batch(np.tile(point, (count, 1)), oracle.price(count).affordable(budget), PHASE)


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
