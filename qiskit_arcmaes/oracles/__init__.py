"""Oracles: everything that can be optimised here."""

from __future__ import annotations

from typing import Any

from qiskit_arcmaes.oracles.callable import CallableOracle
from qiskit_arcmaes.oracles.contract import Estimate, Oracle, OracleError, Price, check_shots
from qiskit_arcmaes.oracles.external import ExternalOracle
from qiskit_arcmaes.oracles.gaussian import GaussianOracle

__all__ = [
    "CallableOracle",
    "Estimate",
    "ExternalOracle",
    "GaussianOracle",
    "Oracle",
    "OracleError",
    "Price",
    "as_oracle",
    "check_shots",
]


def as_oracle(oracle_or_fun: Any, vectorized: bool | None = None) -> Oracle:
    """Take an oracle as it is, and make one of a callable.

    Args:
        oracle_or_fun: An ``Oracle`` or a callable.
        vectorized: Whether a callable takes (n, d) arrays; None finds out.

    Example:
        >>> as_oracle(lambda x: x @ x).evaluate([[1.0, 2.0]], shots=1).values
        array([5.])
    """
    if isinstance(oracle_or_fun, Oracle):
        return oracle_or_fun
    if hasattr(oracle_or_fun, "evaluate"):
        raise TypeError(
            f"{type(oracle_or_fun).__name__} has evaluate but is no Oracle; derive it from "
            "qiskit_arcmaes.Oracle, which says what else it needs."
        )
    return CallableOracle(oracle_or_fun, vectorized)
