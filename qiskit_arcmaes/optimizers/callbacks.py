"""The forms of callback that clients use."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.settings import Callback

Array = NDArray[np.float64]


def adapt_callback(callback: Any) -> Callback | None:
    """Take a callback in our form, or in that of qiskit-machine-learning, and return it in ours.

    Args:
        callback: ``callback(nfev, x, fun, std, shots)``, or ``callback(weights, value)`` with two
            parameters as qiskit-machine-learning's models have it, or None.

    Example:
        >>> seen = []
        >>> adapt_callback(lambda weights, value: seen.append(value))(10, [0.1], 0.5, 0.01, 400)
        >>> seen
        [0.5]
    """
    if callback is None or not _takes_two(callback):
        return callback  # type: ignore[no-any-return]

    def adapted(nfev: int, x: Array, fun: float, std: float, shots: int) -> Any:
        return callback(x, fun)

    return adapted


def _takes_two(callback: Any) -> bool:
    """Whether a function must be called with two arguments: five would be too many."""
    try:
        signature = inspect.signature(callback)
    except (TypeError, ValueError):  # builtins have no signature
        return False
    try:
        signature.bind(*range(5))
    except TypeError:
        pass
    else:
        return False
    try:
        signature.bind(*range(2))
    except TypeError:
        return False
    return True
