"""Angles that name parameters and do not depend on them, as 0 * t - 0.5.

QAOA has them where a field of the operator is zero, or rounds to zero. The hash of a negative one
fails (Qiskit 2.6), in Aer and in every cache: they are given their value.
"""

from __future__ import annotations

from typing import Any

from qiskit.circuit import Parameter, ParameterExpression, QuantumCircuit


def settle(value: Any) -> Any:
    """An angle, as a number where it is such a constant and negative.

    Args:
        value: Any parameter of an instruction.

    Example:
        >>> t = Parameter("t")
        >>> settle(0 * t - 0.5), settle(t)
        (-0.5, Parameter(t))
    """
    if not isinstance(value, ParameterExpression) or isinstance(value, Parameter):
        return value
    try:
        hash(value)
    except OverflowError:
        return float(value.bind(dict.fromkeys(value.parameters, 0.0)))
    return value


def settle_angles(circuit: QuantumCircuit) -> QuantumCircuit:
    """Give such angles of a circuit their value.

    Args:
        circuit: Any circuit.

    Returns:
        The same circuit when there is nothing to replace.

    Example:
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
