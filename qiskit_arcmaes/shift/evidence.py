"""Which angles' moves away from an informed start the measured slopes prove.

All slopes of the run, brought back to x0 by the curvatures along the axes, are averaged. A move
counts as proved where the loss that it is expected to take away is more than what choosing the
move from the same noise pretends (as in Akaike's criterion): variance of the slope / curvature.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.record import GradientRecord

Array = NDArray[np.float64]

_TINY = 1e-300  # replaces zero in denominators


def expected_changes(record: GradientRecord, x0: Array, centre: Array) -> Array:
    """Expected change of the loss by the move along each angle, shape (d,), noise's part added.

    Args:
        record: Slopes and curvatures of the descent.
        x0: The start in radians, shape (d,).
        centre: Where the descent is, shape (d,).

    Returns:
        Negative where the move is proved; infinite where nothing is known yet.
    """
    data = record.gradients
    if not len(data.centres) or not record.curvature_shots:
        return np.full(len(x0), np.inf)
    curvatures, move = record.curvatures, centre - x0
    weights = 1 / np.maximum(data.variances, _TINY)
    at_start = weights @ (data.values - curvatures * (data.centres - x0)) / weights.sum()
    optimism = 1 / weights.sum() / np.maximum(np.abs(curvatures), _TINY)
    return np.asarray(at_start * move + 0.5 * curvatures * move**2 + optimism)


def proved_centre(record: GradientRecord, x0: Array, centre: Array, local: float) -> Array:
    """The centre of a local descent with all moves taken back that are not proved, shape (d,).

    Args:
        record: Slopes and curvatures of the descent.
        x0: The start in radians, shape (d,).
        centre: Where the descent is, shape (d,).
        local: Longest move in radians for which slopes at the start hold; where any angle moved
            farther, all moves stay.

    Example:
        >>> from qiskit_arcmaes.shift.record import empty_record
        >>> record = empty_record(2).with_gradient(np.zeros(2), np.array([1.0, 0.1]), 0.1)
        >>> record = record.with_curvatures(np.ones(2) * 4, 1)
        >>> proved_centre(record, np.zeros(2), np.array([-0.25, -0.025]), 0.5).tolist()
        [-0.25, 0.0]
    """
    if np.abs(centre - x0).max() > local:
        return centre
    return np.where(expected_changes(record, x0, centre) < 0, centre, x0)
