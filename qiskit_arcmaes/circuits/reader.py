"""From a QuantumCircuit to its rotation form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from scipy.sparse import coo_array, csr_array

from qiskit_arcmaes.circuits.angles import Linear, linear_angle, quarter_turns
from qiskit_arcmaes.circuits.gates import ROTATION_GATES, elementary_gates
from qiskit_arcmaes.circuits.observables import observable_terms
from qiskit_arcmaes.circuits.tableau import CLIFFORD_GATES, Tableau
from qiskit_arcmaes.circuits.unknown import NotKnown, ReadingLimits, Reason, UnreadableError
from qiskit_arcmaes.rotations.form import RotationForm, Terms
from qiskit_arcmaes.rotations.paulis import Paulis, integer_rows
from qiskit_arcmaes.rotations.rows import Row, sign_of


def read(
    circuit: QuantumCircuit,
    observable: Any = None,
    parameters: Sequence[Parameter] | None = None,
    limits: ReadingLimits | None = None,
) -> RotationForm | NotKnown:
    """Read the Pauli-rotation form of a circuit, without a shot.

    Every gate is replaced by its definition until only Clifford gates and rotations
    exp(-i angle P / 2) are left; the Clifford gates are pushed to the end, through the rotations
    and into the observable. A bound rotation by a multiple of pi/2 is a Clifford gate; by any
    other angle it is a rotation without a parameter. Final measurements, barriers and global
    phases are left out.

    The time grows linearly with the number of gates: about 0.01 s for 20 qubits and 500 gates,
    0.3 s for 100 qubits and 10,000 gates. Larger circuits than ``limits`` are not read.

    A PauliEvolutionGate is read as the product formula that Qiskit synthesises, as devices and Aer
    run it. Primitives that evolve state vectors exactly, as Qiskit's StatevectorEstimator does,
    give other values where its terms do not commute.

    Args:
        circuit: The circuit. It may have a layout, sub-circuits, final measurements.
        observable: What is measured: a SparsePauliOp, SparseObservable, Pauli, label, or mapping
            of labels to coefficients. With as many qubits as the circuit it acts on the circuit's
            qubits, as in an Estimator's pub; with fewer, it is laid out as ``apply_layout`` does.
            None where only the circuit is known, as with a sampler.
        parameters: The order of the coordinates; ``circuit.parameters`` by default.
        limits: How large the circuit may be.

    Returns:
        The form, or a ``NotKnown``, which counts as False and names the obstacle.

    Raises:
        ValueError: When ``observable`` or ``parameters`` do not fit the circuit.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> form = read(real_amplitudes(2, reps=1), {"ZZ": 1.0, "XI": 0.5})
        >>> form.paulis.labels()
        ['IY', 'YI', 'XY', 'YZ']
        >>> form.terms.paulis.labels(), form.terms.coefficients
        (['ZI', 'XI'], array([1. , 0.5]))
        >>> angle = Parameter("t")
        >>> curved = QuantumCircuit(1)
        >>> _ = curved.rx(angle * angle, 0)
        >>> read(curved).reason.value
        'an angle is not linear in the parameters'
    """
    bounds = limits or ReadingLimits()
    order = list(circuit.parameters if parameters is None else parameters)
    missing = set(circuit.parameters).difference(order)
    if missing:
        names = ", ".join(sorted(parameter.name for parameter in missing))
        raise ValueError(f"parameters leaves out {names} of the circuit; name all of them.")
    try:
        collector = _collect(circuit, order, bounds)
        terms = None
        if observable is not None:
            terms = _conjugated(observable, circuit, collector.tableau, bounds.terms)
    except UnreadableError as error:
        return error.answer
    return collector.form(order, terms)


@dataclass
class _Collector:
    """Rotations read so far, and the Clifford gates between them."""

    tableau: Tableau
    num_qubits: int
    rows: list[Row] = field(default_factory=list)
    offsets: list[float] = field(default_factory=list)
    entries: list[tuple[int, int, float]] = field(default_factory=list)

    def add_rotation(self, pauli: str, qubits: tuple[int, ...], angle: Linear) -> None:
        quarters = quarter_turns(angle)
        if quarters is not None:
            self.tableau.append_rotation(pauli, qubits, quarters)
            return
        slopes, offset = angle
        self.entries.extend((len(self.rows), index, slope) for index, slope in slopes.items())
        self.rows.append(self.tableau.image(pauli, qubits))
        self.offsets.append(offset)

    def form(self, order: Sequence[Parameter], terms: Terms | None) -> RotationForm:
        qubits = self.num_qubits
        readout = [self.tableau.image("Z", [qubit]) for qubit in range(qubits)]
        return RotationForm(
            parameters=tuple(parameter.name for parameter in order),
            paulis=_paulis(self.rows, qubits),
            signs=np.array([sign_of(row) for row in self.rows], dtype=np.int8),
            coefficients=_sparse(self.entries, (len(self.rows), len(order))),
            offsets=np.array(self.offsets),
            readout=_paulis(readout, qubits),
            terms=terms,
        )


def _collect(
    circuit: QuantumCircuit, order: Sequence[Parameter], limits: ReadingLimits
) -> _Collector:
    indices = {parameter: index for index, parameter in enumerate(order)}
    collector = _Collector(Tableau(circuit.num_qubits), circuit.num_qubits)
    for gate in elementary_gates(circuit, limits):
        if gate.name in CLIFFORD_GATES:
            collector.tableau.append(gate.name, gate.qubits)
        elif gate.name in ROTATION_GATES:
            angle = linear_angle(gate.angle, indices)
            collector.add_rotation(ROTATION_GATES[gate.name], gate.qubits, angle)
        if len(collector.rows) > limits.rotations:
            raise UnreadableError(
                Reason.TOO_LARGE, f"a circuit of more than {limits.rotations} rotations"
            )
    return collector


def _conjugated(observable: Any, circuit: QuantumCircuit, tableau: Tableau, most: int) -> Terms:
    """The observable's terms behind the Clifford gates, the identity apart."""
    rows, coefficients, origins, identity = [], [], [], 0.0
    for label, coefficient, origin in observable_terms(observable, circuit, most):
        places = [q for q, letter in enumerate(reversed(label)) if letter != "I"]
        if not places:
            identity += coefficient
            continue
        row = tableau.image("".join(label[-1 - q] for q in places), places)
        rows.append(row)
        coefficients.append(coefficient * sign_of(row))
        origins.append(origin)
    return Terms(
        _paulis(rows, circuit.num_qubits),
        np.array(coefficients, dtype=float),
        np.array(origins, dtype=int),
        identity,
    )


def _paulis(rows: Sequence[Row], qubits: int) -> Paulis:
    return Paulis(
        integer_rows([row[0] for row in rows], qubits),
        integer_rows([row[1] for row in rows], qubits),
    )


def _sparse(entries: Sequence[tuple[int, int, float]], shape: tuple[int, int]) -> csr_array:
    table: NDArray[np.float64] = np.array(entries, dtype=float).reshape(-1, 3)
    places = (table[:, 0].astype(int), table[:, 1].astype(int))
    return csr_array(coo_array((table[:, 2], places), shape=shape))
