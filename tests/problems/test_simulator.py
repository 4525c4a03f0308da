"""The simulator against Qiskit's own."""

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter, ParameterVector
from qiskit.quantum_info import SparsePauliOp, Statevector

from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.problems.simulator import sparse_matrix
from qiskit_arcmaes.problems.translation import ROTATIONS, build_program

OPERATOR = SparsePauliOp(["XYZ", "ZZI", "IXX", "YIY"], [0.7, -1.1, 0.4, 0.9])


def mixed_circuit() -> QuantumCircuit:
    """Every rotation once, with offsets, multiples, sums, and fixed gates before and between."""
    angles = ParameterVector("a", len(ROTATIONS))
    circuit = QuantumCircuit(3)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.t(2)
    for place, (name, pauli) in enumerate(ROTATIONS.items()):
        qubits = [(place + shift) % 3 for shift in range(len(pauli))]
        getattr(circuit, name)(2 * angles[place] - angles[0] + 0.3, *qubits)
        circuit.barrier()
        circuit.ccx(0, 1, 2)
        circuit.s(place % 3)
    circuit.rx(0.2, 1)
    circuit.crz(angles[1], 0, 2)
    return circuit


def expectation(circuit: QuantumCircuit, point: np.ndarray) -> float:
    return float(Statevector(circuit.assign_parameters(point)).expectation_value(OPERATOR).real)


def test_states_and_energies_equal_qiskits() -> None:
    circuit = mixed_circuit()
    points = np.random.default_rng(1).normal(size=(4, circuit.num_parameters))
    program = build_program(circuit)
    for point, state in zip(points, program.states(points).T, strict=True):
        exact = Statevector(circuit.assign_parameters(point))
        assert abs(exact.inner(Statevector(state))) == pytest.approx(1)
    np.testing.assert_allclose(
        program.energies(points, sparse_matrix(OPERATOR)),
        [expectation(circuit, point) for point in points],
        atol=1e-12,
    )


def test_gradient_equals_finite_differences() -> None:
    circuit = mixed_circuit()
    point = np.random.default_rng(2).normal(size=circuit.num_parameters)
    step = 1e-5 * np.eye(len(point))
    _, gradients = build_program(circuit).gradients(point[None], sparse_matrix(OPERATOR))
    slopes = [
        (expectation(circuit, point + e) - expectation(circuit, point - e)) / 2e-5 for e in step
    ]
    np.testing.assert_allclose(gradients[0], slopes, atol=1e-8)


def test_nested_circuits_keep_their_qubits() -> None:
    inner = QuantumCircuit(2)
    inner.ry(Parameter("a"), 0)
    inner.cx(0, 1)
    outer = QuantumCircuit(3)
    outer.x(1)
    outer.append(inner.to_instruction(), [2, 0])
    state = build_program(outer).states(np.array([[0.8]]))[:, 0]
    np.testing.assert_allclose(state, Statevector(outer.assign_parameters([0.8])).data, atol=1e-12)


def test_fixed_circuit_has_one_state() -> None:
    circuit = QuantumCircuit(2)
    circuit.h([0, 1])
    np.testing.assert_allclose(build_program(circuit).states(np.empty((3, 0))), 0.5)


def test_real_circuits_stay_real() -> None:
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.ry(Parameter("a"), 0)
    circuit.cx(0, 1)
    assert build_program(circuit).states(np.ones((1, 1))).dtype == float


def test_refuses_what_it_cannot_simulate() -> None:
    angle = Parameter("a")
    curved = QuantumCircuit(1)
    curved.rx(angle * angle, 0)
    with pytest.raises(ValueError, match="not linear in a"):
        build_program(curved)
    measured = QuantumCircuit(1, 1)
    measured.rx(angle, 0)
    measured.measure(0, 0)
    with pytest.raises(ValueError, match="'measure' that cannot be simulated"):
        build_program(measured)


@pytest.mark.parametrize(("name", "single"), [("h2", True), ("ising6", True), ("maxcut8", False)])
def test_problems_know_whether_their_parameters_are_single_rotations(name: str, single: bool):
    # a sine of period 2π: f(x + s) - f(x - s) is proportional to sin s
    problem = get_problem(name)
    assert problem.single_rotations is single
    point = problem.start(np.random.default_rng(1))
    steps = np.eye(problem.dim)

    def slopes(spacing: float) -> np.ndarray:
        rise = problem.energy(point + spacing * steps) - problem.energy(point - spacing * steps)
        return rise / (2 * np.sin(spacing))

    assert np.allclose(slopes(1.5), slopes(0.7)) is single


def test_states_are_normalised_rows() -> None:
    problem = get_problem("lih")
    points = np.random.default_rng(0).normal(size=(5, problem.dim))
    states = problem.states(points)
    assert states.shape == (5, 16)
    assert np.allclose(np.linalg.norm(states, axis=1), 1)
