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
