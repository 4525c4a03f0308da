"""How much single shots scatter, per angle and measurement group: learned from job to job."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.group_rules import GroupRules
from qiskit_arcmaes.shift.spectral_params import GroupParams

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Variances of one shot, and running means of half differences.

    Attributes:
        variances: Of one shot of each angle's cone in each group, shape (d, groups).
        freedom: Degrees of freedom behind them, shape (d, groups).
        totals: Variance of one shot of the whole observable in each group, shape (groups,).
        total_freedom: Degrees of freedom behind these, shape (groups,).
        references: Running mean of each angle's half difference in each group, shape (d, groups);
            it stands in where a group gets no shot.
    """

    variances: Array
    freedom: Array
    totals: Array
    total_freedom: Array
    references: Array

    def floored(self, rules: GroupRules, params: GroupParams) -> Array:
        """Variances no smaller than a share of those on a random state, shape (d, groups)."""
        return np.maximum(self.variances, params.floor**2 * rules.prior)

    def floored_totals(self, rules: GroupRules, params: GroupParams) -> Array:
        """The same of the whole observable, shape (groups,)."""
        return np.maximum(self.totals, params.floor**2 * rules.total_prior)


def first_scatter(rules: GroupRules, params: GroupParams, known: Array | None = None) -> Scatter:
    """Before the first job: the variances on a random state, or what an earlier run found.

    Args:
        rules: The pairs.
        params: Degrees of freedom that these count for.
        known: Of an earlier run, shape (d, groups), NaN where it does not know; None without one.
    """
    shape = rules.prior.shape
    found = np.full(shape, np.nan) if known is None else known
    return Scatter(
        variances=np.where(np.isfinite(found), found, rules.prior),
        freedom=np.full(shape, params.prior_freedom),
        totals=rules.total_prior.copy(),
        total_freedom=np.full(shape[1], params.prior_freedom),
        references=np.zeros(shape),
    )


def pooled(
    variance: Array, freedom: Array, shown: Array, added: Array, memory: float
) -> tuple[Array, Array]:
    """Pool variances with those that a job showed; what was known before fades.

    Args:
        variance: What was known.
        freedom: Its degrees of freedom.
        shown: What the job showed; anything where ``added`` is 0.
        added: Degrees of freedom of the job.
        memory: Factor by which old degrees of freedom fade in a job that adds some.

    Example:
        >>> [x.tolist() for x in pooled(np.array([1.0]), np.array([2.0]), np.array([4.0]),
        ...                             np.array([1.0]), 1.0)]
        [[2.0], [3.0]]
    """
    kept = np.where(added > 0, memory * freedom, freedom)
    total = kept + added
    mixed = (kept * variance + np.where(added > 0, shown * added, 0.0)) / total
    return np.where(added > 0, mixed, variance), total


def with_references(scatter: Scatter, angles: Array, rate: Array) -> Scatter:
    """Move the running means towards measured half differences.

    Args:
        scatter: What was known.
        angles: Half differences, shape (d, groups); anything where ``rate`` is 0.
        rate: How far, shape (d, groups), in [0, 1].
    """
    change = np.where(rate > 0, rate * (angles - scatter.references), 0.0)
    return replace(scatter, references=scatter.references + change)
