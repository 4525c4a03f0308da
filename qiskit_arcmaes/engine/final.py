"""The fresh estimate of the recommendation at the end of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch
from qiskit_arcmaes.oracles import Estimate, Oracle, OracleError

Array = NDArray[np.float64]

PHASE = "last estimate"
_ROWS = 16  # how often the point is evaluated where the oracle reports no variance
_SHARED = 4  # of so many rows one is for the spare point: the error of the other rises by 15%


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


def final_batch(oracle: Oracle, point: Array, budget: int, spare: Array | None = None) -> Batch:
    """The job that estimates a point from what a budget pays; its memo is the rows of that point.

    Args:
        oracle: What is measured.
        point: The recommendation, shape (d,).
        budget: Shots that may be spent; they must pay one point.
        spare: A point to measure in a quarter of the rows, in the same job, in case that the loss
            is not finite at the first; None for none.
    """
    count = rows(oracle) if spare is None else max(rows(oracle), _SHARED)
    while count > 1 and oracle.price(count).at(1) > budget:
        count //= 2
    shots = oracle.price(count).affordable(budget)
    if spare is None or count == 1:
        return Batch(np.tile(point, (count, 1)), shots, PHASE, count)
    own = count - max(count // _SHARED, 1)
    points = np.concatenate([np.tile(point, (own, 1)), np.tile(spare, (count - own, 1))])
    return Batch(points, shots, PHASE, own)


def choose_rows(batch: Batch, estimate: Estimate) -> tuple[Estimate, bool]:
    """The rows of the first point, or those of the spare one where all of the first have failed.

    Args:
        batch: What ``final_batch`` made.
        estimate: Its estimate, failed values as NaN.

    Returns:
        The rows, and whether they are those of the spare point.

    Example:
        >>> batch = Batch(np.array([[1.0], [1.0], [2.0]]), 10, PHASE, 2)
        >>> choose_rows(batch, Estimate(np.array([np.nan, np.nan, 3.0])))[0].values
        array([3.])
    """
    own: int = batch.memo
    failed = not np.isfinite(estimate.values[:own]).any()
    chosen = slice(own, None) if failed and own < len(estimate.values) else slice(own)
    variances = estimate.variances
    return Estimate(
        estimate.values[chosen], None if variances is None else variances[chosen]
    ), failed


def conclude(estimate: Estimate, reports_variances: bool) -> FinalEstimate:
    """Mean, standard error and degrees of freedom of the rows of one job.

    Raises:
        OracleError: All values have failed.
    """
    finite = np.isfinite(estimate.values)
    values = np.asarray(estimate.values)[finite]
    if len(values) == 0:
        raise OracleError("all values of the last estimate are NaN or infinite.")
    value = float(values.mean())
    if reports_variances and estimate.variances is not None:
        std = float(np.sqrt(np.mean(np.asarray(estimate.variances)[finite]) / len(values)))
        return FinalEstimate(value, std, math.inf, 1)
    if len(values) < 2:
        return FinalEstimate(value, jobs=1)
    std = float(values.std(ddof=1) / math.sqrt(len(values)))
    return FinalEstimate(value, std, len(values) - 1, 1)
