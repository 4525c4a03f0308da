"""The form of a circuit has the circuit's expectation values, term by term."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit import ClassicalRegister, QuantumCircuit, transpile
from qiskit.circuit import Parameter, ParameterVector
from qiskit.circuit.library import UnitaryGate, efficient_su2
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.quantum_info import (
    Pauli,
    SparseObservable,
    SparsePauliOp,
    Statevector,
    random_unitary,
)

from qiskit_arcmaes.circuits import ReadingLimits, Reason, read, with_own_angles
from tests.circuits.cases import CASES, chain, started
from tests.circuits.exact import (
    by_form,
    by_statevector,
    identity_parts,
    labelled,
    summed_by_origin,
)


def check(circuit, observable, points):
    form = read(circuit, observable)
    assert form, str(form)
    count = len(labelled(observable))
    values = summed_by_origin(form, by_form(form, points), count)
    values += identity_parts(observable, circuit, count)
    assert identity_parts(observable, circuit, count).sum() == pytest.approx(form.terms.identity)
    np.testing.assert_allclose(values, by_statevector(circuit, observable, points), atol=1e-12)
    return form


@pytest.mark.parametrize("name", CASES)
def test_the_form_has_the_values_of_the_circuit(name):
    build, observable = CASES[name]
    circuit = build()
    check(circuit, observable, np.random.default_rng(1).uniform(-4, 4, (3, circuit.num_parameters)))


ONE = ("rx", "ry", "rz", "p", "h", "s", "sx", "x", "t")
TWO = ("cx", "cz", "swap", "ecr", "rzz", "rxx", "ryy", "rzx", "crx", "cry", "crz", "cp", "ch")
TURNS = ("rx", "ry", "rz", "p", "rzz", "rxx", "ryy", "rzx", "crx", "cry", "crz", "cp")
VECTOR = ParameterVector("v", 3)


@st.composite
def random_circuits(draw):
    """Three qubits, gates of the library, angles that are linear in three parameters."""
    circuit = QuantumCircuit(3)
    for name in draw(st.lists(st.sampled_from(ONE + TWO), max_size=12)):
        qubits = draw(st.permutations(range(3)))[: 1 if name in ONE else 2]
        angle = ()
        if name in TURNS:
            weights = draw(st.tuples(*[st.sampled_from([0, 0, 1, -1, 2, 0.5])] * 3))
            offset = draw(st.sampled_from([0.0, np.pi / 2, np.pi, 0.3]))
            angle = (sum((w * v for w, v in zip(weights, VECTOR, strict=True) if w), offset),)
        getattr(circuit, name)(*angle, *qubits)
    return circuit


@settings(max_examples=60, deadline=None)
@given(random_circuits())
def test_random_circuits_have_the_values_of_their_forms(circuit):
    points = np.random.default_rng(2).uniform(-4, 4, (2, circuit.num_parameters))
    check(circuit, chain(3), points)


@pytest.mark.parametrize("name", CASES)
def test_a_circuit_with_own_angles_is_the_circuit_at_the_angles_of_its_form(name):
    build, observable = CASES[name]
    circuit = build()
    own, form = with_own_angles(circuit), read(circuit)
    points = np.random.default_rng(3).uniform(-4, 4, (2, circuit.num_parameters))
    np.testing.assert_allclose(
        by_statevector(own, observable, form.angles(points)),
        by_statevector(circuit, observable, points),
        atol=1e-12,
    )


def test_own_angles_keep_the_gates_and_measurements_of_a_backend():
    backend = GenericBackendV2(3, basis_gates=["ecr", "rz", "sx", "x"], seed=1)
    circuit = efficient_su2(3, reps=1)
    circuit.measure_all()
    native = transpile(circuit, backend, seed_transpiler=1)
    own = with_own_angles(native)
    assert set(own.count_ops()) <= {"ecr", "rz", "sx", "x", "measure"}
    assert own.count_ops()["measure"] == 3
    assert own.num_parameters == read(native).num_rotations


def test_parameters_can_be_given_in_any_order():
    a, b, unused = Parameter("a"), Parameter("b"), Parameter("unused")
    circuit = QuantumCircuit(1)
    circuit.rx(a, 0)
    circuit.ry(3 * b, 0)
    form = read(circuit, "Z", parameters=[unused, b, a])
    assert form.parameters == ("unused", "b", "a")
    np.testing.assert_array_equal(form.coefficients.toarray(), [[0, 0, 1], [0, 3, 0]])


def test_a_parameter_that_is_left_out_is_an_error():
    circuit = efficient_su2(2, reps=1)
    with pytest.raises(ValueError, match=r"parameters leaves out θ\[0\]"):
        read(circuit, parameters=circuit.parameters[1:])


@pytest.mark.parametrize("level", [0, 3])
def test_observables_follow_a_layout(level):
    line = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 4], [4, 3]]
    backend = GenericBackendV2(5, coupling_map=line, seed=1)
    circuit = efficient_su2(3, reps=2, entanglement="full")
    native = transpile(circuit, backend, optimization_level=level, seed_transpiler=4)
    points = np.random.default_rng(4).uniform(-4, 4, (2, circuit.num_parameters))
    wanted = by_statevector(circuit, chain(3), points)
    for observable in (chain(3), chain(3).apply_layout(native.layout)):
        form = read(native, observable)
        values = summed_by_origin(form, by_form(form, points), len(observable))
        np.testing.assert_allclose(values[:, :-1], wanted[:, :-1], atol=1e-12)


def test_every_form_of_an_observable_is_read():
    circuit = efficient_su2(2, reps=1)
    forms = [
        SparsePauliOp("XZ"),
        SparseObservable("XZ"),
        Pauli("XZ"),
        "XZ",
        {"XZ": 1.0},
    ]
    for observable in forms:
        terms = read(circuit, observable).terms
        reference = read(circuit, forms[0]).terms
        assert terms.paulis.labels() == reference.paulis.labels()
        np.testing.assert_array_equal(terms.coefficients, reference.coefficients)


def test_an_observable_of_another_size_is_an_error():
    with pytest.raises(ValueError, match="observable has 3 qubits, the circuit 2"):
        read(efficient_su2(2), chain(3))


def test_a_complex_observable_is_an_error():
    with pytest.raises(ValueError, match="observable needs real coefficients"):
        read(efficient_su2(2), SparsePauliOp("ZZ", 1j))


def test_final_measurements_are_left_out():
    circuit = efficient_su2(2, reps=1)
    measured = circuit.copy()
    measured.measure_all()
    np.testing.assert_array_equal(read(measured).paulis.x, read(circuit).paulis.x)


def nonlinear():
    angle = Parameter("t")
    circuit = QuantumCircuit(1)
    circuit.rx(angle * angle, 0)
    return circuit


def measured_midway():
    circuit = QuantumCircuit(1, 1)
    circuit.measure(0, 0)
    circuit.h(0)
    return circuit


def reset_midway():
    circuit = QuantumCircuit(1)
    circuit.h(0)
    circuit.reset(0)
    return circuit


def conditional():
    circuit = QuantumCircuit(1)
    register = ClassicalRegister(1)
    circuit.add_register(register)
    with circuit.if_test((register, 1)):
        circuit.x(0)
    return circuit


def opaque():
    from qiskit.circuit import Gate

    circuit = QuantumCircuit(2)
    circuit.append(Gate("mystery", 2, []), [0, 1])
    return circuit


def matrix():
    circuit = QuantumCircuit(3)
    circuit.append(UnitaryGate(random_unitary(8, seed=1)), range(3))
    return circuit


SMALL = ReadingLimits(rotations=10, unitary_qubits=2, terms=5)


@pytest.mark.parametrize(
    ("build", "reason", "detail"),
    [
        (nonlinear, Reason.NONLINEAR_ANGLE, "t"),
        (measured_midway, Reason.NOT_UNITARY, "h on qubit 0 after its measurement"),
        (reset_midway, Reason.NOT_UNITARY, "reset"),
        (conditional, Reason.NOT_UNITARY, "if_else"),
        (opaque, Reason.NO_DEFINITION, "mystery"),
        (matrix, Reason.TOO_LARGE, "unitary on 3 qubits, more than 2"),
        (lambda: efficient_su2(3), Reason.TOO_LARGE, "more than 10 rotations"),
    ],
)
def test_what_cannot_be_read_is_not_known_and_named(build, reason, detail):
    answer = read(build(), limits=SMALL)
    assert not answer
    assert answer.reason is reason
    assert detail in answer.detail
    assert not with_own_angles(build(), limits=SMALL) or reason is Reason.TOO_LARGE


def test_an_observable_with_too_many_terms_is_not_known():
    answer = read(QuantumCircuit(3), {"000": 1.0}, limits=SMALL)
    assert answer.reason is Reason.TOO_LARGE


def test_a_gate_that_has_only_the_name_of_a_library_gate_is_read_by_its_definition():
    impostor = QuantumCircuit(1, name="h")
    impostor.ry(0.3, 0)
    circuit = started(1)
    circuit.append(impostor.to_gate(), [0])
    form, state = read(circuit, {"X": 1.0, "Z": 1.0}), Statevector(circuit)
    wanted = [state.expectation_value(SparsePauliOp(label)).real for label in "XZ"]
    np.testing.assert_allclose(by_form(form, np.zeros((1, 0)))[0], wanted, atol=1e-12)
