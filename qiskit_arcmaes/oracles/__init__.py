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
from qiskit_arcmaes.oracles.shot_callables import ShotCallableOracle, ShotLoss, takes_shots

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
    "ShotCallableOracle",
    "ShotLoss",
    "as_oracle",
    "check_shots",
    "plain_oracle",
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
        oracle_or_fun: An ``Oracle`` or a callable; one with a parameter named ``shots`` is told its
            shots instead of being called so often.
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
    if not callable(oracle_or_fun):
        return CallableOracle(oracle_or_fun, vectorized)  # which says what is wrong
    fun = ShotLoss(oracle_or_fun) if takes_shots(oracle_or_fun) else oracle_or_fun
    for adapter in _adapters:
        oracle = adapter(fun, x0, vectorized)
        if oracle is not None:
            return oracle
    return plain_oracle(fun, vectorized)


def plain_oracle(fun: Any, vectorized: bool | None = None, calls_before: int = 0) -> CallableOracle:
    """The oracle of a callable that runs on no shot-controlled primitive.

    Args:
        fun: A callable of a point, or a ``ShotLoss``, which takes the shots itself.
        vectorized: Whether it takes (n, d) arrays; None finds out.
        calls_before: Calls that were made to find out what it is, >= 0, of one shot each.

    Example:
        >>> type(plain_oracle(ShotLoss(lambda x, shots: 0.0))).__name__
        'ShotCallableOracle'
    """
    kind = ShotCallableOracle if isinstance(fun, ShotLoss) else CallableOracle
    return kind(fun, vectorized, calls_before=calls_before)
