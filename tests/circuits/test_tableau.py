import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qiskit import QuantumCircuit
from qiskit.quantum_info import Clifford, Pauli

from qiskit_arcmaes.circuits.tableau import CLIFFORD_GATES, Tableau
from qiskit_arcmaes.rotations.rows import sign_of

QUBITS = 3
TWO = {"cx", "cz", "cy", "swap", "dcx", "ecr", "iswap"}


def expected(label, circuit):
    image = Pauli(label).evolve(Clifford(circuit), frame="h")
    bits = 1 << np.arange(circuit.num_qubits)
    return int(bits @ image.x), int(bits @ image.z), {0: 1, 2: -1}[int(image.phase)]


def got(label, tableau):
    row = tableau.image(label[::-1], range(len(label)))
    return row[0], row[1], sign_of(row)


@pytest.mark.parametrize("name", CLIFFORD_GATES)
@pytest.mark.parametrize("label", ["IX", "IZ", "YI", "ZX", "XY"])
def test_one_gate_conjugates_as_in_qiskit(name, label):
    circuit, tableau = QuantumCircuit(2), Tableau(2)
    qubits = [1, 0] if name in TWO else [1]
    getattr(circuit, name)(*qubits)
    tableau.append(name, qubits)
    assert got(label, tableau) == expected(label, circuit)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(CLIFFORD_GATES)), st.permutations(range(QUBITS)))),
    st.text("IXYZ", min_size=QUBITS, max_size=QUBITS),
)
def test_sequences_conjugate_as_in_qiskit(steps, label):
    circuit, tableau = QuantumCircuit(QUBITS), Tableau(QUBITS)
    for name, order in steps:
        qubits = order[: 2 if name in TWO else 1]
        getattr(circuit, name)(*qubits)
        tableau.append(name, qubits)
    assert got(label, tableau) == expected(label, circuit)


@pytest.mark.parametrize("quarters", [-1, 0, 1, 2, 3, 5])
@pytest.mark.parametrize("name", ["rx", "ry", "rz", "rxx", "ryy", "rzz", "rzx"])
def test_rotations_by_quarter_turns_conjugate_as_in_qiskit(name, quarters):
    circuit, tableau = QuantumCircuit(2), Tableau(2)
    circuit.h(0)
    circuit.cx(0, 1)
    tableau.append("h", [0])
    tableau.append("cx", [0, 1])
    pauli = name[1:].upper()
    qubits = [1, 0][: len(pauli)]
    getattr(circuit, name)(quarters * np.pi / 2, *qubits)
    tableau.append_rotation(pauli, qubits, quarters)
    for label in ("IX", "XI", "IZ", "ZI", "YZ"):
        assert got(label, tableau) == expected(label, circuit)
