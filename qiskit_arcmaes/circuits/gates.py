"""A circuit as a flat list of Clifford gates, rotations and measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from qiskit import QuantumCircuit, transpile

from qiskit_arcmaes.circuits.tableau import CLIFFORD_GATES
from qiskit_arcmaes.circuits.unknown import ReadingLimits, Reason, UnreadableError

ROTATION_GATES = {
    "p": "Z",
    "rx": "X",
    "rxx": "XX",
    "ry": "Y",
    "ryy": "YY",
    "rz": "Z",
    "rzx": "ZX",
    "rzz": "ZZ",
    "u1": "Z",
}
"""The Pauli string of each gate exp(-i angle P / 2), up to a global phase; letter k acts on the
gate's qubit k."""

_FIXED_ANGLES = {"t": math.pi / 4, "tdg": -math.pi / 4}
_IGNORED = ("barrier", "delay", "global_phase", "id")
_MATRICES = ("unitary", "state_preparation", "initialize", "isometry", "hamiltonian")
_BASIS = [*CLIFFORD_GATES, "rx", "ry", "rz", "rxx", "ryy", "rzz"]


@dataclass(frozen=True)
class Gate:
    """One elementary instruction.

    Attributes:
        name: A Clifford gate, a rotation gate, or "measure".
        qubits: The qubits it acts on.
        angle: The angle of a rotation: a number or a ParameterExpression; None otherwise.
        clbit: The classical bit of a measurement; None otherwise.
    """

    name: str
    qubits: tuple[int, ...]
    angle: Any = None
    clbit: int | None = None


@dataclass
class _Walker:
    """Takes a circuit apart and remembers which qubits were used and measured."""

    limits: ReadingLimits
    used: set[int] = field(default_factory=set)
    measured: set[int] = field(default_factory=set)

    def walk(
        self, circuit: QuantumCircuit, qubits: Sequence[int], clbits: Sequence[int]
    ) -> Iterator[Gate]:
        place = {bit: qubits[index] for index, bit in enumerate(circuit.qubits)}
        slot = {bit: clbits[index] for index, bit in enumerate(circuit.clbits)}
        for step in circuit.data:
            where = tuple(place[bit] for bit in step.qubits)
            yield from self._step(step, where, [slot[bit] for bit in step.clbits])

    def _step(self, step: Any, qubits: tuple[int, ...], clbits: list[int]) -> Iterator[Gate]:
        name = step.name
        if name in _IGNORED:
            return
        if name == "measure":
            self.measured.add(qubits[0])
            yield Gate(name, qubits, clbit=clbits[0])
        elif name == "reset" and qubits[0] not in self.used:
            return  # the qubit is in state 0 already
        elif step.is_standard_gate() and (name in CLIFFORD_GATES or name in ROTATION_GATES):
            self._use(name, qubits)
            yield Gate(name, qubits, step.params[0] if step.params else None)
        elif step.is_standard_gate() and name in _FIXED_ANGLES:
            self._use(name, qubits)
            yield Gate("p", qubits, _FIXED_ANGLES[name])
        elif step.is_standard_gate() and name in ("u", "u3"):
            self._use(name, qubits)
            yield from _euler(qubits, *step.params)
        else:
            yield from self.walk(self._definition(step), qubits, clbits)

    def _use(self, name: str, qubits: tuple[int, ...]) -> None:
        self.used.update(qubits)
        for qubit in self.measured.intersection(qubits):
            raise UnreadableError(
                Reason.NOT_UNITARY, f"{name} on qubit {qubit} after its measurement"
            )

    def _definition(self, step: Any) -> QuantumCircuit:
        operation = step.operation
        if step.name == "reset" or step.is_control_flow():
            raise UnreadableError(Reason.NOT_UNITARY, step.name)
        if step.name in _MATRICES and operation.num_qubits > self.limits.unitary_qubits:
            raise UnreadableError(
                Reason.TOO_LARGE,
                f"{step.name} on {operation.num_qubits} qubits, more than "
                f"{self.limits.unitary_qubits}",
            )
        definition = getattr(operation, "definition", None)
        return _synthesised(operation) if definition is None else definition


def _euler(qubits: tuple[int, ...], theta: Any, phi: Any, lam: Any) -> Iterator[Gate]:
    """U(theta, phi, lambda) = RZ(phi) RY(theta) RZ(lambda) up to a phase, the last one first."""
    yield Gate("rz", qubits, lam)
    yield Gate("ry", qubits, theta)
    yield Gate("rz", qubits, phi)


def _synthesised(operation: Any) -> QuantumCircuit:
    """Ask Qiskit's transpiler for an operation that has no definition of its own."""
    circuit = QuantumCircuit(operation.num_qubits, operation.num_clbits)
    circuit.append(operation, range(operation.num_qubits), range(operation.num_clbits))
    try:
        result = transpile(circuit, basis_gates=_BASIS, optimization_level=0)
    except Exception as error:  # whatever a plugin raises: the operation is not known
        raise UnreadableError(Reason.NO_DEFINITION, f"{operation.name} ({error})") from error
    if any(step.name == operation.name for step in result.data):
        raise UnreadableError(Reason.NO_DEFINITION, operation.name)
    return result


def elementary_gates(
    circuit: QuantumCircuit, limits: ReadingLimits | None = None
) -> Iterator[Gate]:
    """Take a circuit apart into Clifford gates, rotations and final measurements.

    Sub-circuits and gates outside Qiskit's Clifford gates and rotations are replaced by their
    definitions, as Qiskit synthesises them. Barriers, delays and global phases are left out.

    Args:
        circuit: The circuit.
        limits: How large matrices in it may be.

    Raises:
        UnreadableError: When an instruction is not unitary or has no definition.

    Example:
        >>> circuit = QuantumCircuit(2)
        >>> _ = circuit.cry(0.4, 0, 1)
        >>> [gate.name for gate in elementary_gates(circuit)]
        ['ry', 'cx', 'ry', 'cx']
    """
    walker = _Walker(limits or ReadingLimits())
    yield from walker.walk(circuit, range(circuit.num_qubits), range(circuit.num_clbits))
