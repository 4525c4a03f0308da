"""Numbers that are far off the others.

Least squares follow a single value that is wrong by a hundred standard errors. Such values are told
by the median of the sizes, which a few of them do not change. They are outliers where they are few,
and where noise explains the others, or may do so once they are left out. What a loss has that is no
quadratic spreads over all values, so that nothing is left out.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.surrogate.params import OutlierParams

Array = NDArray[np.float64]

_NORMAL_MEDIAN = 0.6745  # median size of a standard normal number


def far_off(values: Array, variance: float, params: OutlierParams) -> NDArray[np.bool_]:
    """Which values, with mean zero and equal variance but for outliers, are outliers.

    Args:
        values: Shape (n,).
        variance: What the variance of the others should be.
        params: When a value is an outlier.

    Returns:
        Shape (n,); all False where values far off are many, or where they are not what hides that
        the others are explained.

    Example:
        >>> values = np.array([0.1, -0.2, 0.1, 0.3, -0.1, 0.2, 9.0, -0.3])
        >>> far_off(values, 0.1, OutlierParams()).nonzero()
        (array([6]),)
    """
    count, sizes = len(values), np.abs(values)
    if count == 0:
        return np.full(0, False)
    deviation = float(np.median(sizes)) / _NORMAL_MEDIAN
    error = params.median_error / math.sqrt(count)
    outside = sizes > params.deviations * (1 + params.median_significance * error) * deviation
    few = outside.sum() <= max(1.0, params.share * count)
    explained = deviation**2 <= params.explained * variance
    dominating = np.sum(values[outside] ** 2) > params.squares_share * np.sum(values**2)
    hiding = dominating and deviation**2 <= params.hidden * variance
    return np.asarray(outside & (few and (explained or hiding)))
