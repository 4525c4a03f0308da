"""Where the loss was finite last: what a run recommends when its method leads where it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch
from qiskit_arcmaes.oracles import Estimate, GroupEstimate

Array = NDArray[np.float64]

MOST_FAILED_JOBS = 10
"""Jobs in a row without a finite value that end a run.

One such job is a step into a region where the loss is not defined; every method finds out of most
of them by itself. A service that is down returns nothing else, and must not use up the budget.
"""


@dataclass(frozen=True)
class FiniteRecord:
    """What a run remembers about finite values.

    Attributes:
        point: The lowest point of the last job that had finite values, shape (d,); None before it.
        failed_jobs: Jobs since then, all of whose values failed.
        adopted: Whether the last estimate failed at the method's recommendation, so that ``point``
            is recommended.

    Example:
        >>> record = FiniteRecord()
        >>> batch = Batch(np.array([[1.0], [2.0], [3.0]]), 10, "example")
        >>> record = record.after(batch, Estimate(np.array([5.0, 4.0, np.nan])))
        >>> record.point, record.after(batch, Estimate(np.full(3, np.nan))).failed_jobs
        (array([2.]), 1)
    """

    point: Array | None = None
    failed_jobs: int = 0
    adopted: bool = False

    def after(self, batch: Batch, answer: Estimate | GroupEstimate) -> FiniteRecord:
        """The record after one more job.

        Args:
            batch: The job.
            answer: Its estimate, failed values as NaN.
        """
        values = answer.values if isinstance(answer, Estimate) else _sums(answer)
        known = np.isfinite(values)
        if not known.any():
            return replace(self, failed_jobs=self.failed_jobs + 1)
        lowest = int(values.argmin() if known.all() else np.nanargmin(values))
        return FiniteRecord(batch.points[lowest].copy())

    @property
    def stands_in(self) -> bool:
        """Whether ``point`` is recommended in place of what the method recommends."""
        return self.point is not None and (self.adopted or self.failed_jobs > 0)


def _sums(answer: GroupEstimate) -> Array:
    """What was measured at each point, summed over groups and parts; NaN where nothing was."""
    known = np.isfinite(answer.means)
    sums = np.where(known, answer.means, 0.0).sum(axis=(1, 2))
    return np.where(known.any(axis=(1, 2)), sums, np.nan)
