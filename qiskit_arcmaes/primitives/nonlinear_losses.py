"""Losses that are no mean of shots: below some shots per circuit they are another loss.

The squared error of an estimated output has the output's variance on top, the logarithm of an
estimated probability has none to take where an outcome was not seen, and the mean of the lowest
quarter of one shot is that shot. Averaging many evaluations of few shots does not remove this.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from qiskit_arcmaes.primitives.plain_losses import aggregation_of

# Of 16, 32, 64 and 128 the best on six sets of data (squared error and cross entropy, 4 and 6
# weights, 2e5 shots), and level on two of them at 2e6: more points are worth more than less bias.
_NETWORK_SHOTS = 16
# For losses of counts, or of several expectation values, that nobody knows: most are means, which
# need no floor, so that it is lowered where the budget is small (``Oracle.advised_shots``).
UNKNOWN_LOSS_SHOTS = 16
_TAIL_SHOTS = 16  # shots in the tail that a CVaR averages
_UNKNOWN_TAIL = 0.25


def fewest_shots(fun: Callable[..., Any]) -> int:
    """The fewest shots per circuit at which a loss is nearly the one that is meant.

    Args:
        fun: Any loss.

    Returns:
        16 for the objectives of qiskit-machine-learning; 16/α for the CVaR of SamplingVQE and QAOA
        (64 for an aggregation of the user's); 1 for any other loss.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> from qiskit_algorithms import SamplingVQE
        >>> ansatz = real_amplitudes(2)
        >>> for share in (None, 0.2):
        ...     solver = SamplingVQE(None, ansatz, None, aggregation=share)
        ...     print(fewest_shots(solver._get_evaluate_energy(SparsePauliOp("ZZ"), ansatz)))
        1
        80
    """
    if _is_objective(fun):
        return _NETWORK_SHOTS
    aggregation = aggregation_of(fun)
    return 1 if aggregation is None else math.ceil(_TAIL_SHOTS / _share(aggregation))


def _is_objective(fun: Any) -> bool:
    module = getattr(fun, "__module__", None) or ""
    return module.startswith("qiskit_machine_learning.")


def _share(aggregation: Any) -> float:
    """The share of the bitstrings that a CVaR averages."""
    names = getattr(getattr(aggregation, "__code__", None), "co_freevars", ())
    cells = getattr(aggregation, "__closure__", None) or ()
    free = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
    share = free.get("alpha", _UNKNOWN_TAIL)
    return float(share) if isinstance(share, float | int) and 0 < share <= 1 else _UNKNOWN_TAIL
