"""From a circuit to the program that simulates it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterExpression
from qiskit.quantum_info import Operator, SparsePauliOp, Statevector
from scipy.sparse import csr_array

from qiskit_arcmaes.problems._steps import Array, Fixed, Phases, Rotation, States, Step
from qiskit_arcmaes.problems.simulator import Program, simplified

ROTATIONS = {
    "p": "Z",
    "rx": "X",
    "rxx": "XX",
    "ry": "Y",
    "ryy": "YY",
    "rz": "Z",
    "rzz": "ZZ",
}
"""The Pauli string that each parameterised gate turns about."""


def build_program(circuit: QuantumCircuit) -> Program:
    """Translate a circuit.

    Args:
        circuit: Unitary; every parameterised gate is one of ``ROTATIONS`` or defined by them, or a
            PauliEvolutionGate of commuting strings, with an angle that is linear in the parameters.

    Returns:
        The program; its points have the order of ``circuit.parameters``.

    Raises:
        ValueError: When a gate cannot be translated.

    Example:
        >>> import numpy as np
        >>> from qiskit import QuantumCircuit
        >>> from qiskit.circuit import Parameter
        >>> circuit = QuantumCircuit(1)
        >>> _ = circuit.ry(Parameter("angle"), 0)
        >>> build_program(circuit).states(np.array([[0.0], [np.pi]])).round(6)
        array([[1., 0.],
               [0., 1.]])
    """
    builder = _Builder(circuit)
    builder.add(circuit, range(circuit.num_qubits))
    return builder.finish()


class _Builder:
    """Collects steps, joining neighbours of the same kind."""

    def __init__(self, circuit: QuantumCircuit) -> None:
        self.qubits = circuit.num_qubits
        self.parameters = list(circuit.parameters)
        self.start: States = np.empty(0)
        self.steps: list[Step] = []
        self.slopes: list[Array] = []
        self.offsets: list[float] = []
        self.fixed = QuantumCircuit(self.qubits)
        self.diagonal: list[tuple[int, Array]] = []

    def add(self, circuit: QuantumCircuit, qubits: Sequence[int]) -> None:
        """Add all gates of a circuit that acts on ``qubits`` of the program."""
        for instruction in circuit.data:
            gate = instruction.operation
            place = [qubits[circuit.find_bit(bit).index] for bit in instruction.qubits]
            if gate.name == "barrier":
                continue
            if gate.name in ROTATIONS:
                self._add_rotation(ROTATIONS[gate.name], place, gate.params[0])
            elif gate.name == "PauliEvolution":
                self._add_evolution(gate, place)
            elif not _is_parameterised(gate.params) and hasattr(gate, "to_matrix"):
                self._flush_diagonal()
                self.fixed.append(gate, place)
            elif gate.definition is not None:
                self.add(gate.definition, place)
            else:
                raise ValueError(
                    f"circuit has a gate {gate.name!r} that cannot be simulated; "
                    f"use gates without parameters or {', '.join(sorted(ROTATIONS))}."
                )

    def _add_evolution(self, gate: Any, place: list[int]) -> None:
        """Add one rotation per Pauli string, faster than the gates that make it."""
        if not isinstance(gate.operator, SparsePauliOp) or not _commute(gate.operator):
            self.add(gate.definition, place)
            return
        for pauli, qubits, coefficient in gate.operator.to_sparse_list():
            where = [place[qubit] for qubit in qubits]
            self._add_rotation(pauli, where, 2 * float(coefficient.real) * gate.time)

    def _add_rotation(self, pauli: str, place: list[int], angle: Any) -> None:
        self._flush_fixed()
        index = self._add_angle(angle)
        matrix = SparsePauliOp.from_sparse_list(
            [(pauli, place, 1.0)], num_qubits=self.qubits
        ).to_matrix(sparse=True)
        if set(pauli) == {"Z"}:
            self.diagonal.append((index, matrix.diagonal().real))
            return
        self._flush_diagonal()
        matrix.sort_indices()
        self.steps.append(
            Rotation(index, matrix.indices.astype(np.intp), simplified(-1j * matrix.data))
        )

    def _add_angle(self, angle: Any) -> int:
        slopes, offset = _linear(angle, self.parameters)
        self.slopes.append(slopes)
        self.offsets.append(offset)
        return len(self.offsets) - 1

    def _flush_fixed(self) -> None:
        if not self.start.size:
            self.start = simplified(Statevector(self.fixed).data)
        elif self.fixed.data:
            matrix = csr_array(Operator(self.fixed).data)
            matrix.data = simplified(matrix.data)
            matrix.eliminate_zeros()
            self.steps.append(Fixed(matrix))
        self.fixed = QuantumCircuit(self.qubits)

    def _flush_diagonal(self) -> None:
        if self.diagonal:
            angles, signs = zip(*self.diagonal, strict=True)
            self.steps.append(Phases(list(angles), np.stack(signs, axis=1)))
        self.diagonal = []

    def finish(self) -> Program:
        """Return the program of everything added."""
        self._flush_diagonal()
        self._flush_fixed()
        real = not np.iscomplexobj(self.start) and all(step.real for step in self.steps)
        return Program(
            start=self.start if real else self.start.astype(complex),
            steps=tuple(self.steps),
            angle_slopes=np.array(self.slopes).reshape(len(self.offsets), len(self.parameters)),
            angle_offsets=np.array(self.offsets),
        )


def _commute(operator: SparsePauliOp) -> bool:
    """Whether all strings commute, so that their order does not matter."""
    return all(operator.paulis.commutes(pauli).all() for pauli in operator.paulis)


def _is_parameterised(values: Sequence[Any]) -> bool:
    return any(isinstance(value, ParameterExpression) and value.parameters for value in values)


def _linear(angle: Any, parameters: Sequence[Any]) -> tuple[Array, float]:
    """Split an angle into its slopes in the parameters and its value where they are all 0."""
    slopes = np.zeros(len(parameters))
    if not isinstance(angle, ParameterExpression):
        return slopes, float(angle)
    for parameter in angle.parameters:
        slope = angle.gradient(parameter)
        if isinstance(slope, ParameterExpression) and slope.parameters:
            raise ValueError(f"circuit has an angle {angle} that is not linear in {parameter}.")
        slopes[parameters.index(parameter)] = float(np.real(complex(slope)))
    return slopes, float(angle.bind(dict.fromkeys(angle.parameters, 0.0)))
