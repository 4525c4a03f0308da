"""One template for many bound circuits that differ only in their angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import (
    Barrier,
    ClassicalRegister,
    Instruction,
    Measure,
    ParameterVector,
    QuantumCircuit,
)
from qiskit.circuit.library import PauliEvolutionGate, get_standard_gate_name_mapping
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.primitives.cache import Same

Array = NDArray[np.float64]

_GATES = get_standard_gate_name_mapping()


class Evolution:
    """A Pauli evolution but for its time: QAOA's circuits are made of them.

    Taken as one step, it is synthesised once for all points.
    """

    def __init__(self, gate: PauliEvolutionGate) -> None:
        self.gate = gate
        paulis, coeffs = gate.operator.paulis, gate.operator.coeffs
        arrays = (paulis.z, paulis.x, paulis.phase, coeffs)
        self._key = (*(array.tobytes() for array in arrays), coeffs.dtype, Same(gate.synthesis))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evolution) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def at(self, time: Any) -> PauliEvolutionGate:
        """The gate at another time, which may be a parameter."""
        return PauliEvolutionGate(self.gate.operator, time, synthesis=self.gate.synthesis)


# what is done (a gate's name, or an evolution), to which qubits and which classical bits
Step = tuple[str | Evolution, tuple[int, ...], tuple[int, ...]]


class Structure(NamedTuple):
    """What bound circuits share that differ only in angles and names of registers.

    Attributes:
        num_qubits: How many qubits there are.
        registers: The sizes of the classical registers, in order.
        steps: The gates and measurements, in order.
    """

    num_qubits: int
    registers: tuple[int, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Bound:
    """A circuit without free parameters, taken apart.

    Attributes:
        structure: What it shares with others of its kind.
        angles: The numbers that the gates carry, in order, shape (d,).
    """

    structure: Structure
    angles: Array


def take_apart(circuit: QuantumCircuit) -> Bound | None:
    """Separate the angles of a bound circuit from its structure.

    Args:
        circuit: A circuit without free parameters.

    Returns:
        Its two halves, or None when it holds something else than standard gates, measurements,
        barriers and what is made of them.

    Example:
        >>> a, b = QuantumCircuit(1), QuantumCircuit(1)
        >>> a.rx(0.1, 0) and b.rx(0.2, 0) and (take_apart(a).structure == take_apart(b).structure)
        True
    """
    loose = circuit.num_clbits != sum(register.size for register in circuit.cregs)
    if circuit.num_parameters or loose:
        return None
    steps: list[Step] = []
    angles: list[float] = []
    wires = {bit: index for index, bit in enumerate(circuit.qubits)}
    slots = {bit: index for index, bit in enumerate(circuit.clbits)}
    if not _flatten(circuit, wires, slots, steps, angles):
        return None
    registers = tuple(register.size for register in circuit.cregs)
    return Bound(Structure(circuit.num_qubits, registers, tuple(steps)), np.array(angles))


def put_together(bound: Bound) -> QuantumCircuit:
    """Build the circuit of a structure with one free parameter for every angle.

    Its classical registers are called r0, r1 and so on.

    Example:
        >>> circuit = QuantumCircuit(1)
        >>> _ = circuit.rx(0.1, 0)
        >>> put_together(take_apart(circuit)).num_parameters
        1
    """
    num_qubits, registers, steps = bound.structure
    template = QuantumCircuit(num_qubits)
    for place, size in enumerate(registers):
        template.add_register(ClassicalRegister(size, f"r{place}"))
    free = iter(ParameterVector("angle", len(bound.angles)))
    for kind, qubits, clbits in steps:
        if isinstance(kind, Evolution):
            template.append(kind.at(next(free)), qubits)
        elif kind == "measure":
            template.append(Measure(), qubits, clbits)
        elif kind == "barrier":
            template.append(Barrier(len(qubits)), qubits)
        else:
            gate = _GATES[kind]
            params = [next(free) for _ in gate.params]
            template.append(gate.base_class(*params), qubits)
    return template


def _flatten(
    circuit: QuantumCircuit,
    wires: dict[Any, int],
    slots: dict[Any, int],
    steps: list[Step],
    angles: list[float],
) -> bool:
    """Append the circuit's elementary steps and angles; False when one cannot be described."""
    for step in circuit.data:
        qubits = tuple(wires[bit] for bit in step.qubits)
        clbits = tuple(slots[bit] for bit in step.clbits)
        if step.name in ("measure", "barrier"):
            steps.append((step.name, qubits, clbits))
        elif step.is_standard_gate() and _is_plain_gate(step):
            steps.append((step.name, qubits, clbits))
            angles.extend(float(angle) for angle in step.params)
        elif _is_evolution(step):
            steps.append((Evolution(step.operation), qubits, clbits))
            angles.append(float(step.params[0]))
        else:
            inner = None if step.is_control_flow() else _definition(step.operation)
            if inner is None or step.name in ("reset", "initialize", "unitary"):
                return False
            inner_wires = dict(zip(inner.qubits, qubits, strict=True))
            inner_slots = dict(zip(inner.clbits, clbits, strict=True))
            if not _flatten(inner, inner_wires, inner_slots, steps, angles):
                return False
    return True


def _definition(operation: Any) -> QuantumCircuit | None:
    """What an operation is made of; operations that are synthesised later do not know it."""
    return operation.definition if isinstance(operation, Instruction) else None


def _is_plain_gate(step: Any) -> bool:
    """Whether name and angles rebuild the gate (not so for open controls)."""
    gate = _GATES.get(step.name)
    return (
        gate is not None
        and len(gate.params) == len(step.params)
        and bool(getattr(step.operation, "ctrl_state", None) == getattr(gate, "ctrl_state", None))
    )


def _is_evolution(step: Any) -> bool:
    return (
        step.name == "PauliEvolution"
        and type(step.operation) is PauliEvolutionGate
        and isinstance(step.operation.operator, SparsePauliOp)
    )
