"""Backends with a coupling map: the right energies, and circuits transpiled once."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import efficient_su2
from qiskit.primitives import BackendEstimatorV2, BackendSamplerV2
from qiskit.quantum_info import SparsePauliOp, Statevector
from qiskit.transpiler import generate_preset_pass_manager
from qiskit_aer.primitives import SamplerV2 as AerSampler
from qiskit_algorithms import QAOA
from qiskit_algorithms.optimizers import SPSA

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives.cache import fingerprint
from qiskit_arcmaes.primitives.transpiling import Transpiler

from .problems import ISING, exact
from .service import line_device

STAR = SparsePauliOp.from_sparse_list(
    [("ZZ", [0, q], 0.3 * q) for q in (1, 2, 3)] + [("X", [3], 0.4), ("Y", [1], -0.7)], 4
)


@pytest.fixture
def device():
    """Noise-free, but only neighbours on a line of five are coupled."""
    return line_device()


def entangled(qubits):
    """Couples every pair, so that routing has to move qubits."""
    circuit = efficient_su2(qubits, reps=1, entanglement="full")
    points = np.random.default_rng(2).uniform(-2, 2, (3, circuit.num_parameters))
    return circuit, points


@pytest.mark.parametrize("level", [0, 1, 3])
def test_estimators_follow_the_layout(device, level):
    circuit, points = entangled(4)
    truth = exact(circuit, STAR, points)
    for estimator in (
        ShotEstimator(BackendEstimatorV2(backend=device), optimization_level=level, seed=1),
        ShotEstimator(backend=device, optimization_level=level, seed=1),
    ):
        estimator.shots = 40_000
        values = estimator.run([(circuit, STAR, points)]).result()[0].data.evs
        # one shot has a deviation of at most the sum of the coefficients of a group, together
        # below 4; 6 deviations of 4/sqrt(40000)
        assert np.allclose(values, truth, atol=0.12)


def one_point(device, sampler, ansatz_point):
    """The energy that QAOA computes at a point, on a sampler of a coupled device."""
    energies = []
    qaoa = QAOA(
        sampler,
        SPSA(maxiter=1, learning_rate=0.0, perturbation=1e-9),
        reps=2,
        initial_point=ansatz_point,
        callback=lambda count, point, value, metadata: energies.append(value),
    )
    qaoa.compute_minimum_eigenvalue(ISING)
    return np.array(energies), qaoa.ansatz.remove_final_measurements(inplace=False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda device: ShotSampler(BackendSamplerV2(backend=device), seed=1),
        lambda device: ShotSampler(AerSampler.from_backend(device), seed=1),
        lambda device: ShotSampler(backend=device, seed=1),
        lambda device: ShotSampler(seed=1),
    ],
)
def test_qaoa_on_a_coupled_device_gives_the_right_energy(device, make):
    sampler = make(device)
    sampler.shots = 10_000
    point = [0.3, 0.9, 0.7, 0.2]
    energies, ansatz = one_point(device, sampler, point)
    truth = Statevector(ansatz.assign_parameters(point)).expectation_value(ISING).real
    spread = np.sqrt(
        Statevector(ansatz.assign_parameters(point)).expectation_value(ISING @ ISING).real
        - truth**2
    )
    assert len(energies) >= 2
    assert np.all(np.abs(energies - truth) < 5 * spread / 100)  # a few values: below 1e-5


def test_hundred_generations_transpile_once(device):
    circuit, points = entangled(3)
    runs = []
    manager = generate_preset_pass_manager(1, backend=device, seed_transpiler=1)

    class Counting:
        def run(self, circuit):
            runs.append(circuit)
            return manager.run(circuit)

    estimator = ShotEstimator(
        BackendEstimatorV2(backend=device), shots=1, pass_manager=Counting(), seed=1
    )
    for _ in range(5):
        estimator.run([(circuit, "ZZZ", points)])
    assert len(runs) == 1
    sampler = ShotSampler(
        BackendSamplerV2(backend=device), pass_manager=Counting(), seed=1, shots=1
    )
    measured = circuit.measure_all(inplace=False)
    for generation in range(5):
        sampler.run([(measured.assign_parameters(point + generation),) for point in points])
    assert len(runs) == 2  # bound circuits of one structure


def test_a_circuit_changed_in_place_is_transpiled_again(device):
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.measure_all()
    transpiler = Transpiler(device)
    first = transpiler.circuit(circuit)
    assert transpiler.circuit(circuit) is first
    circuit.data.insert(0, circuit.data[0])
    assert transpiler.circuit(circuit) is not first
    assert transpiler.transpiled.misses == 2


def test_keys_tell_circuits_apart():
    def rotated(angle):
        circuit = QuantumCircuit(1)
        circuit.rx(angle, 0)
        return circuit

    assert fingerprint(rotated(0.1)) == fingerprint(rotated(0.1))
    assert fingerprint(rotated(0.1)) != fingerprint(rotated(0.2))
    a, b = Parameter("a"), Parameter("a")
    assert fingerprint(rotated(a)) != fingerprint(rotated(b))
    assert fingerprint(rotated(a)) != fingerprint(rotated(2 * a))
    swapped, straight = QuantumCircuit(2), QuantumCircuit(2)
    swapped.cx(1, 0)
    straight.cx(0, 1)
    assert fingerprint(swapped) != fingerprint(straight)
    first, second = QuantumCircuit(1), QuantumCircuit(1)
    first.unitary([[0, 1], [1, 0]], 0)
    second.unitary([[1, 0], [0, -1]], 0)
    assert fingerprint(first) != fingerprint(second)
    assert fingerprint(first) == fingerprint(first)


def test_a_circuit_that_fits_stays_as_it_is(device):
    circuit = QuantumCircuit(5)
    circuit.sx(4)
    circuit.cx(4, 3)
    circuit.barrier()
    assert Transpiler(device).circuit(circuit) is circuit
    circuit.cx(0, 4)
    assert Transpiler(device).circuit(circuit) is not circuit


def test_a_layout_chosen_by_the_user_is_kept(device):
    circuit, points = entangled(3)
    manager = generate_preset_pass_manager(1, backend=device, initial_layout=[4, 2, 3])
    own = manager.run(circuit)
    operator = SparsePauliOp(["ZIX", "IYI"]).apply_layout(own.layout)
    estimator = ShotEstimator(BackendEstimatorV2(backend=device), shots=40_000, seed=3)
    values = estimator.run([(own, operator, points)]).result()[0].data.evs
    truth = exact(circuit, SparsePauliOp(["ZIX", "IYI"]), points)
    assert np.allclose(values, truth, atol=6 * 2 / 200)


def test_parameters_that_transpiling_removes_do_not_matter(device):
    circuit = QuantumCircuit(2)
    circuit.x(1)
    circuit.rz(Parameter("nothing"), 0)
    circuit.measure_all()
    sampler = ShotSampler(BackendSamplerV2(backend=device), shots=3, optimization_level=3, seed=1)
    bits = sampler.run([(circuit, [[0.1], [0.2]])]).result()[0].data.meas
    assert bits.shape == (2,)
    assert bits.get_counts() == {"10": 6}
