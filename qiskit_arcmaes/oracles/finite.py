"""The one door for numbers from outside: what is not finite, or overflows when squared, failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles.contract import Estimate
from qiskit_arcmaes.oracles.plan import GroupEstimate
from qiskit_arcmaes.validation import LARGEST_FLOAT

Array = NDArray[np.float64]

LARGEST_VARIANCE = LARGEST_FLOAT**2


def admit(estimate: Estimate) -> Estimate:
    """Take an estimate in: failed values are NaN, and so are variances that are none.

    A value has failed where it is NaN, infinite, or beyond 1e100 in size: sums of its square over a
    budget would overflow. A variance is none where it is negative, infinite, or beyond 1e200.

    Args:
        estimate: What an oracle, or who evaluates step by step, has returned.

    Example:
        >>> admit(Estimate([1.0, np.inf, -1e160], variances=[0.1, -1.0, 0.2]))
        Estimate(values=array([ 1., nan, nan]), variances=array([0.1, nan, 0.2]), failures=0)
    """
    values = _bounded(estimate.values, -LARGEST_FLOAT, LARGEST_FLOAT)
    variances = estimate.variances
    if variances is not None:
        variances = _bounded(variances, 0.0, LARGEST_VARIANCE)
    return Estimate(values, variances, estimate.failures)


def admit_groups(estimate: GroupEstimate) -> GroupEstimate:
    """Take an estimate by group in: a mean has failed also where its variance is none.

    Args:
        estimate: What an oracle has measured; a variance that is not known is NaN.

    Example:
        >>> means = np.array([[[1.0], [1e160]]])
        >>> admit_groups(GroupEstimate(means, np.ones((1, 2, 1)))).means.ravel()
        array([ 1., nan])
    """
    means = _bounded(estimate.means, -LARGEST_FLOAT, LARGEST_FLOAT)
    variances = _bounded(estimate.variances, 0.0, LARGEST_VARIANCE)
    wrong = np.isnan(variances) & ~np.isnan(np.asarray(estimate.variances, dtype=float))
    return replace(estimate, means=np.where(wrong, np.nan, means), variances=variances)


def _bounded(given: ArrayLike, lower: float, upper: float) -> NDArray[Any]:
    """The numbers, NaN in place of those that do not lie between two limits."""
    numbers = np.asarray(given, dtype=float)
    inside = (numbers >= lower) & (numbers <= upper)
    return numbers if inside.all() else np.where(inside, numbers, np.nan)
