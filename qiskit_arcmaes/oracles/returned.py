"""What losses return, as real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles.contract import OracleError

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # imaginary parts up to this share are rounding errors of a real number


def as_reals(returned: Any) -> Array:
    """An array of what a loss returned; complex numbers must be real up to rounding.

    Args:
        returned: Anything.

    Raises:
        OracleError: It is not made of numbers, or has an imaginary part.

    Example:
        >>> as_reals([1.5, 2 + 0j])
        array([1.5, 2. ])
    """
    try:
        array = np.asarray(returned)
        if array.dtype.kind == "O":  # None would become NaN, and run as a failed point
            array = np.array([float(one) for one in array.ravel()]).reshape(array.shape)
        if array.dtype.kind != "c":
            return array.astype(float)
    except (TypeError, ValueError) as error:
        raise OracleError(f"fun must return real numbers, not {returned!r}.") from error
    if np.any(np.abs(array.imag) > _ROUNDING * (1 + np.abs(array.real))):
        raise OracleError(
            f"fun must return real numbers, and {returned!r} has an imaginary part; take .real "
            "where it is a rounding error, otherwise make the operator Hermitian."
        )
    return array.real.astype(float)


def as_number(returned: Any) -> float:
    """One number, also as an array of one element, as scipy takes it.

    Args:
        returned: What a loss returned at one point.

    Raises:
        OracleError: It is more than a number, or none.

    Example:
        >>> as_number([[0.5]]), as_number(1 + 0j)
        (0.5, 1.0)
    """
    array = as_reals(returned)
    if array.size != 1:
        raise OracleError(
            f"fun must return one number at a point, not an array of shape {array.shape}; return "
            "its sum, or one of its elements."
        )
    return float(array.item())
