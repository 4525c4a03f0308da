"""Which part of the runs gets below a target: the paper's measure of a method at one budget."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def ecdf(errors: ArrayLike) -> tuple[Array, Array]:
    """The paper's empirical distribution of the final error, ``ECDF(x) = #(e_i <= x) / N``.

    Args:
        errors: Final errors e_i of N runs, one per run; a NaN is a run that reached no target.

    Returns:
        The targets x where the distribution rises, ascending, and its values there. Between them
        it is constant, before the first it is 0.

    Example:
        >>> ecdf([0.1, 3.0, 0.1, float("nan")])
        (array([0.1, 3. ]), array([0.5 , 0.75]))
    """
    values = np.asarray(errors, dtype=float)
    targets, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return targets, np.cumsum(counts) / max(values.size, 1)


def share_below(errors: ArrayLike, target: float) -> float:
    """Part of the runs whose error is at most ``target``.

    Args:
        errors: Final errors, one per run, at least one.
        target: Error to reach.

    Example:
        >>> share_below([0.1, 3.0, 0.1, float("nan")], 1.0)
        0.5
    """
    values = np.asarray(errors, dtype=float)
    if not values.size:
        raise ValueError("errors is empty: a share needs at least one run.")
    return float(np.mean(values <= target))  # a NaN is not below anything
