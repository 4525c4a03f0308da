"""A warning for losses that cannot teach anything, with the likely cause."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch

Array = NDArray[np.float64]

_ZERO_NOISE = (
    "repeated evaluations of one point are identical, the noise has zero variance. Likely an "
    "integer seed that repeats the noise in every call; if the loss really has no noise, pass tau=0"
)
_CONSTANT = (
    "different points have the same value, the loss seems to be constant. Likely it does not use "
    "its argument"
)


class ConstantLossWarning(UserWarning):
    """All values were the same: nothing can be learned from them.

    Example:
        >>> import warnings
        >>> from qiskit_arcmaes import minimize
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     _ = minimize(lambda x: 3.0, [1.0, 2.0], max_shots=2000, tau=1.0, seed=1)
        >>> caught[0].category.__name__
        'ConstantLossWarning'
    """


def warn_if_constant(batch: Batch, values: Array, noiseless: bool, first: bool) -> bool:
    """Warn where all values of a job are the same and that has a likely cause.

    Args:
        batch: The job.
        values: Its values, shape (n,).
        noiseless: Whether equal values of one point are expected.
        first: Whether the method has not moved yet; later, equal values mean convergence.

    Returns:
        Whether there was a warning.
    """
    if not np.all(values == values[0]):
        return False
    same_point = bool(np.all(batch.points == batch.points[0]))
    if noiseless if same_point else not first:
        return False
    warnings.warn(
        f"All {len(values)} values of a job are {float(values[0])!r}: "
        f"{_ZERO_NOISE if same_point else _CONSTANT}.",
        ConstantLossWarning,
        stacklevel=3,
    )
    return True
