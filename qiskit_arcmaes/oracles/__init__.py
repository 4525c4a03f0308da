"""Oracles: everything that can be optimised here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from qiskit_arcmaes.oracles.callables import CallableOracle
from qiskit_arcmaes.oracles.contract import Estimate, Oracle, OracleError, Price, check_shots
from qiskit_arcmaes.oracles.external import ExternalOracle
from qiskit_arcmaes.oracles.gaussian import GaussianOracle
from qiskit_arcmaes.oracles.plan import (
    GroupEstimate,
    MeasuredCircuit,
    MeasurementPlan,
    NotPlainError,
)

__all__ = [
    "CallableOracle",
    "Estimate",
    "ExternalOracle",
    "GaussianOracle",
    "GroupEstimate",
    "MeasuredCircuit",
    "MeasurementPlan",
    "NotPlainError",
    "Oracle",
    "OracleError",
    "Price",
    "as_oracle",
    "check_shots",
    "register_adapter",
]


Adapter = Callable[[Any, Any, bool | None], Oracle | None]
"""Makes an oracle of a callable, given x0 and ``vectorized``; None where it is not its kind."""

_adapters: list[Adapter] = []


def register_adapter(adapter: Adapter) -> None:
    """Let an adapter look at every callable that is to be minimised.

    The primitives register theirs when they are loaded, so that a loss that runs on a
    ``ShotEstimator`` is known as such without this module importing Qiskit.
    """
    _adapters.append(adapter)


def as_oracle(oracle_or_fun: Any, x0: ArrayLike, vectorized: bool | None = None) -> Oracle:
    """Take an oracle as it is, and make one of a callable.

    Args:
        oracle_or_fun: An ``Oracle`` or a callable.
        x0: A point at which a callable may be tried, shape (d,).
        vectorized: Whether a callable takes (n, d) arrays; None finds out.

    Example:
        >>> as_oracle(lambda x: x @ x, [0.0, 0.0]).evaluate([[1.0, 2.0]], shots=1).values
        array([5.])
    """
    if isinstance(oracle_or_fun, Oracle):
        return oracle_or_fun
    if hasattr(oracle_or_fun, "evaluate"):
        raise TypeError(
            f"{type(oracle_or_fun).__name__} has evaluate but is no Oracle; derive it from "
            "qiskit_arcmaes.Oracle, which says what else it needs."
        )
    if callable(oracle_or_fun):
        for adapter in _adapters:
            oracle = adapter(oracle_or_fun, x0, vectorized)
            if oracle is not None:
                return oracle
    return CallableOracle(oracle_or_fun, vectorized)
