"""Which of several measured points is the lowest, as far as their errors tell."""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.surrogate.design import Array


def lowest(values: Array, variances: Array, significance: float | Array) -> int:
    """The first point, unless others are lower by so many standard errors: then the lowest of them.

    Args:
        values: Measured values, NaN where they failed, shape (n,).
        variances: Their variances, shape (n,).
        significance: Standard errors of the difference to the first one, for all or for each point.

    Returns:
        Its index.

    Example:
        >>> values, variances = np.array([1.0, 0.9, 0.5]), np.full(3, 0.01)
        >>> lowest(values, variances, 2.0), lowest(values, variances, 4.0)
        (2, 0)
    """
    limits = significance * np.sqrt(variances + variances[0])
    known = np.where(np.isnan(values), math.inf, values)
    known[1:] = np.where(known[1:] + limits[1:] < known[0], known[1:], math.inf)
    return int(np.argmin(known))
