"""A small statevector simulator that runs one circuit at many points at once.

A circuit becomes a *program*: a start state and a list of steps, where every parameterised gate
is a rotation ``exp(-i angle P / 2)`` about a Pauli string P and all angles together are one linear
map of the parameters, ``angles = slopes @ parameters + offsets``. States are arrays of shape
(2**qubits, n) with one column for each point. Circuits that stay real are run in real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterExpression
from qiskit.quantum_info import Operator, SparsePauliOp, Statevector
from scipy.sparse import csr_array

Array = NDArray[np.float64]
States = NDArray[Any]

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

_ROUNDING = 1e-14


class Step(Protocol):
    """One reversible piece of a program; ``angles`` are all angles of the program, (m, n)."""

    @property
    def real(self) -> bool:
        """Whether the step keeps real states real."""
        ...

    def apply(self, states: States, angles: Array) -> States:
        """Run the step."""
        ...

    def undo(self, states: States, angles: Array) -> States:
        """Run the inverse of the step."""
        ...

    def slopes(self, left: States, states: States, into: Array) -> None:
        """Add ``Re <left| d/dangle |states>`` to the rows of ``into``, for states after it."""
        ...


@dataclass(frozen=True)
class _Fixed:
    """A run of gates without parameters, as a sparse matrix."""

    matrix: Any

    @property
    def real(self) -> bool:
        return not np.iscomplexobj(self.matrix.data)

    def apply(self, states: States, angles: Array) -> States:
        return np.asarray(self.matrix @ states)

    def undo(self, states: States, angles: Array) -> States:
        return np.asarray(self.matrix.conj().T @ states)

    def slopes(self, left: States, states: States, into: Array) -> None:
        """Add nothing: there is no angle."""


@dataclass(frozen=True)
class _Rotation:
    """exp(angle G / 2) with G = -iP: ``(G v)[k] = phases[k] * v[source[k]]``."""

    angle: int
    source: NDArray[np.intp]
    phases: States

    @property
    def real(self) -> bool:
        return not np.iscomplexobj(self.phases)

    def _turn(self, states: States, halves: Array) -> States:
        turned = states[self.source]
        turned *= self.phases[:, None]
        turned *= np.sin(halves)
        turned += states * np.cos(halves)
        return turned

    def apply(self, states: States, angles: Array) -> States:
        return self._turn(states, angles[self.angle] / 2)

    def undo(self, states: States, angles: Array) -> States:
        return self._turn(states, -angles[self.angle] / 2)

    def slopes(self, left: States, states: States, into: Array) -> None:
        generated = self.phases[:, None] * states[self.source]
        into[self.angle] += np.einsum("kn,kn->n", left.conj(), generated).real / 2


@dataclass(frozen=True)
class _Phases:
    """Neighbouring rotations about strings of Z, done as one product with phases.

    ``signs[k, j]`` is the eigenvalue of the j-th string at basis state k.
    """

    angles: list[int]
    signs: Array
    real = False

    def apply(self, states: States, angles: Array) -> States:
        return np.asarray(states * np.exp(-0.5j * (self.signs @ angles[self.angles])))

    def undo(self, states: States, angles: Array) -> States:
        return np.asarray(states * np.exp(0.5j * (self.signs @ angles[self.angles])))

    def slopes(self, left: States, states: States, into: Array) -> None:
        into[self.angles] += self.signs.T @ (left.conj() * states).imag / 2


@dataclass(frozen=True)
class Program:
    """A circuit made ready to run at many points.

    Attributes:
        start: The state before the first step, shape (2**qubits,).
        steps: What is done to it, in order.
        angle_slopes: How every angle depends on the parameters, shape (m, d).
        angle_offsets: The angles where all parameters are 0, shape (m,).
    """

    start: States
    steps: tuple[Step, ...]
    angle_slopes: Array
    angle_offsets: Array

    def states(self, points: Array) -> States:
        """Return the final states, shape (2**qubits, n), for points of shape (n, d)."""
        return self._run(self._angles(points))

    def energies(self, points: Array, observable: Any) -> Array:
        """Return the expectation of a Hermitian sparse matrix at every point."""
        states = self.states(points)
        return overlaps(states, observable @ states)

    def gradients(self, points: Array, observable: Any) -> tuple[Array, Array]:
        """Return energies (n,) and their gradients (n, d), by running the program backwards."""
        angles = self._angles(points)
        states = self._run(angles)
        left = observable @ states
        energies = overlaps(states, left)
        slopes = np.zeros_like(angles)
        for step in reversed(self.steps):
            step.slopes(left, states, slopes)
            left, states = step.undo(left, angles), step.undo(states, angles)
        return energies, 2 * slopes.T @ self.angle_slopes

    def _angles(self, points: Array) -> Array:
        return np.asarray(self.angle_slopes @ points.T + self.angle_offsets[:, None])

    def _run(self, angles: Array) -> States:
        states = np.repeat(self.start[:, None], angles.shape[1], axis=1)
        for step in self.steps:
            states = step.apply(states, angles)
        return states


def overlaps(left: States, right: States) -> Array:
    """Return the real part of the inner product of each pair of columns."""
    return np.asarray(np.einsum("kn,kn->n", left.conj(), right).real)


def sparse_matrix(operator: SparsePauliOp) -> Any:
    """Return the matrix of an observable, with real entries where they all are.

    Example:
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> sparse_matrix(SparsePauliOp(["Z"])).toarray()
        array([[ 1.,  0.],
               [ 0., -1.]])
    """
    matrix = csr_array(operator.to_matrix(sparse=True))
    matrix.data = _simplified(matrix.data)
    matrix.eliminate_zeros()
    return matrix


def build_program(circuit: QuantumCircuit) -> Program:
    """Translate a circuit.

    Args:
        circuit: Unitary; every parameterised gate is one of ``ROTATIONS`` or defined by them, with
            an angle that is linear in the parameters.

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
        self.start: States | None = None
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
            _Rotation(index, matrix.indices.astype(np.intp), _simplified(-1j * matrix.data))
        )

    def _add_angle(self, angle: Any) -> int:
        slopes, offset = _linear(angle, self.parameters)
        self.slopes.append(slopes)
        self.offsets.append(offset)
        return len(self.offsets) - 1

    def _flush_fixed(self) -> None:
        if self.start is None:
            self.start = _simplified(Statevector(self.fixed).data)
        elif self.fixed.data:
            matrix = csr_array(Operator(self.fixed).data)
            matrix.data = _simplified(matrix.data)
            matrix.eliminate_zeros()
            self.steps.append(_Fixed(matrix))
        self.fixed = QuantumCircuit(self.qubits)

    def _flush_diagonal(self) -> None:
        if self.diagonal:
            angles, signs = zip(*self.diagonal, strict=True)
            self.steps.append(_Phases(list(angles), np.stack(signs, axis=1)))
        self.diagonal = []

    def finish(self) -> Program:
        """Return the program of everything added."""
        self._flush_diagonal()
        self._flush_fixed()
        assert self.start is not None
        real = not np.iscomplexobj(self.start) and all(step.real for step in self.steps)
        return Program(
            start=self.start if real else self.start.astype(complex),
            steps=tuple(self.steps),
            angle_slopes=np.array(self.slopes).reshape(-1, len(self.parameters)),
            angle_offsets=np.array(self.offsets),
        )


def _is_parameterised(values: Sequence[Any]) -> bool:
    return any(isinstance(value, ParameterExpression) and value.parameters for value in values)


def _simplified(values: States) -> States:
    """Drop rounding dust, and the imaginary part when it is all dust."""
    values = np.where(np.abs(values.real) < _ROUNDING, 0, values.real) + 1j * np.where(
        np.abs(values.imag) < _ROUNDING, 0, values.imag
    )
    return values if values.imag.any() else values.real


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
