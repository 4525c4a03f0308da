"""One row of the history."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Progress
from qiskit_arcmaes.oracles import Estimate

Array = NDArray[np.float64]


def make_row(batch: Batch, answer: object, progress: Progress, spent: int) -> dict[str, Any]:
    """What the history keeps of a job.

    Args:
        batch: The job.
        answer: What the oracle answered. Where the method has no value of its own, the mean of an
            estimate's values stands in; an answer by group has no such mean.
        progress: The method's report after it was told.
        spent: All shots of the run so far.

    Example:
        >>> batch = Batch(np.zeros((2, 1)), 10, "example")
        >>> row = make_row(batch, Estimate(np.array([1.0, 3.0])), Progress(1, 0.1, 10.0), 20)
        >>> row["value"], row["value_std"], row["spent"]
        (2.0, 1.0, 20.0)
    """
    value, std = progress.value, progress.std
    if math.isnan(value) and isinstance(answer, Estimate):
        value, std = _mean(np.asarray(answer.values, dtype=float))
    return {
        "phase": batch.phase,
        "iteration": float(progress.iteration),
        "points": float(len(batch.points)),
        "shots": float(batch.shots),
        "spent": float(spent),
        "value": value,
        "value_std": std,
        "radius": progress.radius,
        "next_shots": progress.next_shots,
        **progress.diagnostics,
    }


def _mean(values: Array) -> tuple[float, float]:
    """Mean of the values that did not fail, and its standard error."""
    finite = values if np.isfinite(values).all() else values[np.isfinite(values)]
    count = len(finite)
    if count == 0:
        return math.nan, math.nan
    mean = float(finite.sum()) / count
    if count < 2:
        return mean, math.nan
    centred = finite - mean
    return mean, math.sqrt(float(centred @ centred) / (count - 1) / count)
