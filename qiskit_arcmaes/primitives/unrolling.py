"""Circuits that Aer runs as they are meant: no angle dropped, no gate mistaken for another.

Aer's ``parameter_binds`` runs a circuit at many points in one call, but it takes the angle of most
controlled gates for 0 (qiskit-aer issues 2323, 2391, 2403), and Aer knows instructions by their
names alone. Both give wrong numbers without a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from qiskit.circuit import (
    CircuitInstruction,
    ControlledGate,
    Gate,
    Instruction,
    ParameterExpression,
    QuantumCircuit,
)
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit_aer import AerSimulator

# Gates whose free parameters Aer sets rightly. Found by comparing every gate of Qiskit's library
# with Statevector, on Aer 0.17.2 and 0.18.2; the tests repeat it. All others are unrolled, cu too:
# it is right or wrong depending on where the gate object came from.
SETTABLE = frozenset(
    ("p", "r", "rx", "rxx", "ry", "ryy", "rz", "rzx", "rzz", "u", "u1", "u2", "u3")
)
_GENERIC = (Instruction, Gate, ControlledGate)  # classes whose instances have any name and meaning


def unroll_free(circuit: QuantumCircuit) -> QuantumCircuit:
    """Replace every gate whose free parameters Aer would not set by its definition.

    Args:
        circuit: Any circuit without control flow that has free parameters.

    Returns:
        The same circuit when there is nothing to replace. Otherwise another one that acts alike up
        to its global phase, with the same layout.

    Raises:
        ValueError: When a gate has no definition.

    Example:
        >>> from qiskit.circuit import Parameter
        >>> circuit = QuantumCircuit(2)
        >>> _ = circuit.cry(Parameter("t"), 0, 1)
        >>> [step.name for step in unroll_free(circuit).data]
        ['ry', 'cx', 'ry', 'cx']
    """
    return _expand(circuit, is_settable, _is_elementary)


def can_set(circuit: QuantumCircuit) -> bool:
    """Whether Aer sets all free parameters of a circuit rightly."""
    return all(is_settable(step) for step in circuit.data)


def is_settable(step: CircuitInstruction) -> bool:
    """Whether Aer sets all free parameters of an instruction rightly."""
    return not has_free_parameters(step) or (step.is_standard_gate() and step.name in SETTABLE)


def has_free_parameters(step: CircuitInstruction) -> bool:
    """Whether an instruction, or a block inside it, has free parameters."""
    return any(
        bool(value.parameters)
        for value in step.params
        if isinstance(value, ParameterExpression | QuantumCircuit)
    )


def expand_lookalikes(circuit: QuantumCircuit) -> QuantumCircuit:
    """Replace instructions that only share their name with a standard one by their definitions.

    A subcircuit called ``h`` becomes an instruction of that name, and a simulator or transpiler
    that goes by names would take it for a Hadamard gate.

    Args:
        circuit: Any circuit.

    Returns:
        The same circuit when there is nothing to replace.

    Raises:
        ValueError: When such an instruction has no definition.

    Example:
        >>> inner = QuantumCircuit(1, name="h")
        >>> _ = inner.x(0)
        >>> circuit = QuantumCircuit(1)
        >>> _ = circuit.append(inner.to_gate(), [0])
        >>> [step.name for step in expand_lookalikes(circuit).data]
        ['x']
    """
    return _expand(circuit, _has_true_name, _has_true_name)


def _has_true_name(step: CircuitInstruction) -> bool:
    if step.is_standard_gate() or step.is_directive() or step.name not in _known_names():
        return True
    kind = type(step.operation)
    return kind not in _GENERIC and (kind.__module__ or "qiskit").startswith("qiskit")


def _is_elementary(step: CircuitInstruction) -> bool:
    """Whether an instruction of a definition is one that Aer knows and sets rightly."""
    standard = step.is_standard_gate() and step.name in _aer_names()
    return is_settable(step) and (standard or step.is_directive())


@cache
def _known_names() -> frozenset[str]:
    return frozenset(get_standard_gate_name_mapping()) | _aer_names()


@cache
def _aer_names() -> frozenset[str]:
    return frozenset(AerSimulator().target.operation_names)


Keep = Callable[[CircuitInstruction], bool]


def _expand(circuit: QuantumCircuit, keep: Keep, keep_inside: Keep) -> QuantumCircuit:
    """Replace instructions by their definitions until all that is left is kept.

    Args:
        circuit: The circuit.
        keep: Whether an instruction of the circuit stays as it is.
        keep_inside: The same for an instruction inside a definition.
    """
    if all(keep(step) for step in circuit.data):
        return circuit
    expanded = circuit.copy_empty_like()
    for step in circuit.data:
        if keep(step):
            expanded.append(step)
        else:
            _append_definition(expanded, step, step.qubits, step.clbits, keep_inside)
    return expanded


def _append_definition(
    target: QuantumCircuit, step: CircuitInstruction, qubits: Any, clbits: Any, keep: Keep
) -> None:
    """Append what an instruction is made of; global phases of definitions are left out."""
    definition = getattr(step.operation, "definition", None)
    if definition is None:
        raise ValueError(
            f"the circuit contains {step.name!r}, whose definition is unknown, and Aer would not "
            "run it as it is meant; give it a definition or bind its parameters."
        )
    wires = dict(zip(definition.qubits, qubits, strict=True))
    slots = dict(zip(definition.clbits, clbits, strict=True))
    for inner in definition.data:
        inner_qubits = [wires[qubit] for qubit in inner.qubits]
        inner_clbits = [slots[clbit] for clbit in inner.clbits]
        if keep(inner):
            target.append(inner.operation, inner_qubits, inner_clbits)
        else:
            _append_definition(target, inner, inner_qubits, inner_clbits, keep)
