"""Losses that run on shot-controlled primitives, recognised by a dry run."""

from __future__ import annotations

from typing import Any

from qiskit_arcmaes.oracles import CallableOracle, Oracle, register_adapter
from qiskit_arcmaes.primitives.discovery import find_primitives
from qiskit_arcmaes.primitives.oracle import PrimitiveOracle


def adapt(fun: Any, x0: Any, vectorized: bool | None = None) -> Oracle | None:
    """Make an oracle of a loss, on the primitives that a dry run finds behind it.

    Args:
        fun: The loss.
        x0: Where it is called once, shape (d,).
        vectorized: Whether it takes (n, d) arrays; None finds out.

    Returns:
        An oracle on the primitives; where the loss runs on none, an oracle of plain calls that
        counts the one of the dry run; None where there is no primitive that it could run on.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit_arcmaes import ShotEstimator, minimize
        >>> estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=1)
        >>> def fun(points):
        ...     return estimator.run([(ansatz, "ZZ", points)]).result()[0].data.evs
        >>> result = minimize(fun, [0.3] * 4, max_shots=2000, seed=1)
        >>> result.shots == estimator.ledger.shots <= 2000
        True
    """
    found = find_primitives(fun, x0)
    if found.primitives:
        return PrimitiveOracle(fun, found.primitives, x0, vectorized)
    if found.calls:
        return CallableOracle(fun, vectorized, calls_before=found.calls)
    return None


register_adapter(adapt)
