"""Losses that run on shot-controlled primitives, recognised by a dry run."""

from __future__ import annotations

from typing import Any

from qiskit_arcmaes.oracles import Oracle, ShotLoss, plain_oracle, register_adapter
from qiskit_arcmaes.oracles.shot_callables import takes_shots
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.discovery import find_primitives
from qiskit_arcmaes.primitives.oracle import PrimitiveOracle
from qiskit_arcmaes.primitives.uncounted import refuse_given


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
        refuse_given(fun, found.primitives)
        return PrimitiveOracle(
            on_primitive(fun, found.primitives[0]), found.primitives, x0, vectorized
        )
    return plain_oracle(fun, vectorized, found.calls) if found.calls else None


def on_primitive(fun: Any, primitive: ShotControl) -> Any:
    """A loss that runs on a primitive, as a function of the point alone.

    Args:
        fun: The loss. One with a parameter named ``shots`` is told those that the optimizer has set
            on the primitive.
        primitive: The primitive.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator
        >>> on_primitive(lambda x, shots: shots, ShotEstimator(shots=7))([0.0])
        7
    """
    if isinstance(fun, ShotLoss):
        fun = fun.fun
    if not takes_shots(fun):
        return fun

    def loss(x: Any) -> Any:
        return fun(x, shots=primitive.shots)

    return loss


register_adapter(adapt)
