"""Checks that an oracle keeps its contract, where a breach would give wrong numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles.contract import Estimate, Oracle, OracleError, Price

Array = NDArray[np.float64]


def check_oracle(oracle: Oracle) -> None:
    """Refuse an oracle whose traits or prices are no such things, before a shot is spent.

    Args:
        oracle: What a run is to minimise.
    """
    name, least = type(oracle).__name__, oracle.min_shots
    price: Any = oracle.price(1)
    if not isinstance(price, Price):
        raise TypeError(f"{name}.price must return a Price, as in Price(0, n), not {price!r}.")
    if isinstance(least, bool) or not isinstance(least, int | np.integer) or least < 1:
        raise ValueError(f"{name}.min_shots must be an integer >= 1, not {least!r}.")


def check_job(
    estimate: Any, count: int, reports_variances: bool, charged: int, price: int
) -> Array:
    """Check the answer of an oracle and its charge; return the values.

    Args:
        estimate: What ``evaluate`` returned.
        count: How many points it was given.
        reports_variances: Whether the oracle says that every estimate has variances.
        charged: Shots by which the oracle's ``spent`` rose.
        price: What the job was to take at the most.

    Example:
        >>> check_job(Estimate(np.zeros(2)), 2, False, charged=120, price=100)
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.oracles.contract.OracleError: the oracle charged 120 shots for a job that \
it had priced at 100: its price must be an upper bound, or no budget can be kept.
    """
    if not isinstance(estimate, Estimate):
        raise OracleError(f"evaluate must return an Estimate, not {type(estimate).__name__}.")
    values = np.asarray(estimate.values, dtype=float)
    variances = estimate.variances
    if values.shape != (count,):
        raise OracleError(_wrong_shape("values", values.shape, count))
    if variances is not None and np.shape(variances) != (count,):
        raise OracleError(_wrong_shape("variances", np.shape(variances), count))
    if variances is None and reports_variances:
        raise OracleError(
            "the oracle says reports_variances but its estimate has none: return them, or set "
            "reports_variances to False."
        )
    if not 0 < charged <= price:
        raise OracleError(_wrong_charge(charged, price))
    return values


def _wrong_shape(what: str, shape: tuple[int, ...], count: int) -> str:
    return (
        f"the oracle returned {what} of shape {shape} for {count} points; it must return shape "
        f"({count},)."
    )


def _wrong_charge(charged: int, price: int) -> str:
    if charged <= 0:
        return (
            "the oracle charged nothing for a job: evaluate must call self.charge with the shots "
            "it took, or no budget can be kept."
        )
    return (
        f"the oracle charged {charged} shots for a job that it had priced at {price}: its price "
        "must be an upper bound, or no budget can be kept."
    )
