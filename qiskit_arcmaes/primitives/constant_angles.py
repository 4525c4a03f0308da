"""Angles that name parameters and do not depend on them, as 0 * t - 0.5.

QAOA has them where a field of the operator is zero, or rounds to zero. The hash of a negative one
fails (Qiskit 2.6), in Aer and in every cache: they are given their value.
"""

from __future__ import annotations

from typing import Any

from qiskit.circuit import QuantumCircuit

from qiskit_arcmaes.primitives.cache import settle


def settle_angles(circuit: QuantumCircuit) -> QuantumCircuit:
    """Give such angles of a circuit their value.

    Args:
        circuit: Any circuit.

    Returns:
        The same circuit when there is nothing to replace.

    Example:
        >>> from qiskit.circuit import Parameter
        >>> circuit = QuantumCircuit(1)
        >>> _ = circuit.rz(0 * Parameter("t") - 0.5, 0)
        >>> settle_angles(circuit).data[0].params
        [-0.5]
    """
    found = _settled(circuit)
    if not found:
        return circuit
    other = circuit.copy()
    for index, values in found.items():
        operation = circuit.data[index].operation.to_mutable()
        operation.params = values
        other.data[index] = circuit.data[index].replace(operation=operation, params=values)
    return other


def _settled(circuit: QuantumCircuit) -> dict[int, list[Any]]:
    """The parameters of instructions that change."""
    found = {}
    for index, step in enumerate(circuit.data):
        old = step.params  # every look at them makes new numbers
        new = list(map(settle, old))
        if any(one is not other for one, other in zip(old, new, strict=True)):
            found[index] = new
    return found
