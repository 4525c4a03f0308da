"""Circuits of all kinds with observables."""

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import AnnotatedOperation, ControlModifier, InverseModifier, Parameter
from qiskit.circuit.library import (
    CRYGate,
    PauliEvolutionGate,
    PermutationGate,
    QAOAAnsatz,
    RYGate,
    UnitaryGate,
    XXMinusYYGate,
    XXPlusYYGate,
    efficient_su2,
    qaoa_ansatz,
    real_amplitudes,
)
from qiskit.quantum_info import Clifford, SparsePauliOp, random_clifford, random_unitary
from qiskit.synthesis import SuzukiTrotter

A, B, C = (Parameter(name) for name in "abc")


def started(qubits):
    """A product state with no symmetry, so that nothing vanishes by accident."""
    circuit = QuantumCircuit(qubits)
    for qubit in range(qubits):
        circuit.ry(0.4 + 0.3 * qubit, qubit)
        circuit.rz(0.7 - 0.2 * qubit, qubit)
    return circuit


def chain(qubits):
    """An observable with one term of every kind on neighbours."""
    terms = [(axis * 2, [q, q + 1], 1.0 + q / 4) for q in range(qubits - 1) for axis in "XYZ"]
    terms += [(axis, [q], 0.5) for q in range(qubits) for axis in "XZ"]
    return SparsePauliOp.from_sparse_list([*terms, ("", [], 0.7)], qubits)


def controlled(name):
    def build():
        circuit = started(3)
        getattr(circuit, name)(A, 0, 1)
        circuit.h(2)
        getattr(circuit, name)(A - 2 * B, 2, 0)
        return circuit

    return build


def interactions():
    circuit = started(3)
    circuit.append(XXPlusYYGate(A, B), [0, 1])
    circuit.append(XXMinusYYGate(2 * B, A), [2, 1])
    return circuit


def general_gates():
    circuit = started(2)
    circuit.u(A, B, C, 0)
    circuit.cu(A, B, 0.3, C, 0, 1)
    circuit.r(B, 0.4, 1)
    circuit.rzx(C, 1, 0)
    circuit.rxx(A, 0, 1)
    circuit.ryy(A / 3, 0, 1)
    return circuit


def expressions():
    circuit = started(2)
    circuit.rx(A / 2, 0)
    circuit.ry(A + B, 1)
    circuit.cx(0, 1)
    circuit.rz(-B + np.pi / 3, 1)
    circuit.rx(2 * A - B / 4 + 1, 0)
    return circuit


def repeated():
    circuit = started(3)
    for _ in range(2):
        for qubit in range(3):
            circuit.ry(A, qubit)
        circuit.cz(0, 1)
        circuit.cz(1, 2)
    return circuit


def evolution(synthesis=None):
    def build():
        circuit = started(3)
        operator = SparsePauliOp(["XXI", "ZIZ", "IYX", "III"], [0.5, -1.0, 0.25, 2.0])
        circuit.append(PauliEvolutionGate(operator, A, synthesis=synthesis), range(3))
        circuit.append(PauliEvolutionGate(SparsePauliOp(["ZZ", "XX"]), 2 * B), [2, 0])
        return circuit

    return build


def nested():
    inner = QuantumCircuit(2, name="inner")
    inner.ry(A, 0)
    inner.cry(B, 0, 1)
    outer = started(3)
    outer.append(inner.to_instruction(), [2, 0])
    outer.barrier()
    outer.append(inner.to_gate().control(1, annotated=False), [1, 2, 0])
    outer.compose(inner.inverse(), [0, 1], inplace=True)
    outer.global_phase = A
    return outer


def open_controls():
    circuit = started(3)
    circuit.append(CRYGate(A, ctrl_state=0), [0, 1])
    circuit.mcp(B, [0, 1], 2)
    circuit.append(RYGate(C).control(2, ctrl_state="01", annotated=False), [0, 1, 2])
    circuit.ccx(0, 1, 2)
    return circuit


def foreign_operations():
    circuit = started(3)
    circuit.append(random_clifford(2, seed=1), [0, 2])
    circuit.append(Clifford(QuantumCircuit(1)), [1])
    circuit.append(UnitaryGate(random_unitary(4, seed=2)), [1, 2])
    modifiers = [InverseModifier(), ControlModifier(1)]
    circuit.append(AnnotatedOperation(RYGate(A), modifiers), [0, 1])
    circuit.append(PermutationGate([2, 0, 1]), range(3))
    circuit.rx(B, 0)
    return circuit


def prepared():
    circuit = QuantumCircuit(2)
    circuit.reset(0)
    circuit.initialize([0.6, 0.0, 0.0, 0.8], [0, 1])
    circuit.rx(A, 0)
    circuit.cp(B, 0, 1)
    circuit.delay(10, 0)
    return circuit


def all_cliffords():
    circuit = started(3)
    for name in ("h", "s", "sdg", "x", "y", "z", "sx", "sxdg", "id"):
        getattr(circuit, name)(0)
        circuit.rx(A, 0)
    for name in ("cx", "cz", "cy", "swap", "dcx", "ecr", "iswap"):
        getattr(circuit, name)(0, 1)
        circuit.ry(B, 1)
        getattr(circuit, name)(2, 0)
    circuit.rz(np.pi / 2, 0)
    circuit.rxx(-3 * np.pi / 2, 0, 1)
    circuit.p(5 * np.pi, 2)
    return circuit


EDGES = [(0, 1, 1.0), (1, 2, 0.75), (2, 3, 1.3), (3, 0, 1.0), (0, 2, 0.4)]


def cut(weighted):
    return SparsePauliOp.from_sparse_list(
        [("ZZ", [a, b], w if weighted else 1.0) for a, b, w in EDGES], 4
    )


CASES = {
    "efficient_su2": (lambda: efficient_su2(3, reps=2), chain(3)),
    "real_amplitudes": (lambda: real_amplitudes(4, reps=2, entanglement="full"), chain(4)),
    "cry": (controlled("cry"), chain(3)),
    "crx": (controlled("crx"), chain(3)),
    "crz": (controlled("crz"), chain(3)),
    "cp": (controlled("cp"), chain(3)),
    "interactions": (interactions, chain(3)),
    "general gates": (general_gates, chain(2)),
    "expressions": (expressions, chain(2)),
    "repeated": (repeated, chain(3)),
    "evolution": (evolution(), chain(3)),
    "second-order evolution": (evolution(SuzukiTrotter(order=2, reps=2)), chain(3)),
    "nested": (nested, chain(3)),
    "open controls": (open_controls, chain(3)),
    "foreign operations": (foreign_operations, chain(3)),
    "prepared": (prepared, chain(2)),
    "all Clifford gates": (all_cliffords, chain(3)),
    "qaoa 1": (lambda: qaoa_ansatz(cut(False), reps=1), cut(False)),
    "qaoa 2, weighted": (lambda: qaoa_ansatz(cut(True), reps=2), cut(True)),
    "qaoa 3": (lambda: QAOAAnsatz(cut(False), reps=3), cut(False)),
    "nothing": (lambda: QuantumCircuit(2), chain(2)),
    "projectors": (lambda: efficient_su2(2, reps=1), {"0X": 0.5, "+1": 2.0, "rl": 1.0, "ZI": 1.0}),
}
