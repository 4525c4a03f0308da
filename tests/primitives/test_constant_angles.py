"""Angles as 0 * t - 0.5: they name a parameter, do not depend on it, and have no hash."""

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import qaoa_ansatz
from qiskit.primitives import StatevectorEstimator
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator

from qiskit_arcmaes import ShotEstimator, ShotFrugal, ShotSampler

A, B = Parameter("a"), Parameter("b")
POINTS = [[0.3, 0.4], [2.1, 0.2]]
SHOTS = 40_000  # a standard deviation of 0.005 at most; margins are six of them
BACKENDS = {
    "built-in": lambda: {},
    "aer": lambda: {"backend": AerSimulator()},
    "generic": lambda: {"backend": GenericBackendV2(2, noise_info=False)},
}


def plain():
    circuit = QuantumCircuit(2)
    circuit.ry(A, 0)
    circuit.ry(0 * B - 0.5, 1)
    circuit.rzz(0 * A - 0.1, 0, 1)
    circuit.cry(0 * A - 0.3, 0, 1)
    return circuit


def nested():
    circuit = QuantumCircuit(2)
    circuit.append(plain().to_gate(), [0, 1])
    return circuit


def constant():
    circuit = QuantumCircuit(2)
    circuit.ry(0 * A + 0 * B - 0.5, 0)
    return circuit


CIRCUITS = {made.__name__: made for made in (plain, nested, constant)}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CIRCUITS)
def test_estimators_take_them(name, backend):
    pub = (CIRCUITS[name](), "ZZ", POINTS)
    truth = StatevectorEstimator().run([pub]).result()[0].data.evs
    estimator = ShotEstimator(seed=1, shots=SHOTS, **BACKENDS[backend]())
    found = estimator.run([pub]).result()[0].data.evs
    np.testing.assert_allclose(found, truth, rtol=0, atol=0.03)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CIRCUITS)
def test_samplers_take_them(name, backend):
    circuit = CIRCUITS[name]()
    truth = StatevectorEstimator().run([(circuit, "ZZ", POINTS)]).result()[0].data.evs
    circuit.measure_all()
    sampler = ShotSampler(seed=1, shots=SHOTS, **BACKENDS[backend]())
    bits = sampler.run([(circuit, POINTS)]).result()[0].data.meas
    found = bits.expectation_values("ZZ")
    np.testing.assert_allclose(found, truth, rtol=0, atol=0.03)


def test_a_field_that_rounds_to_zero():
    """A weighted cut has one wherever the weights of a node add up to nothing."""
    cut = SparsePauliOp(["ZZ", "ZI"], [0.5, -1e-16])
    circuit = qaoa_ansatz(cut, reps=1)
    estimator = ShotEstimator(seed=1)

    def loss(x):
        return estimator.run([(circuit, cut, x)]).result()[0].data.evs

    found = ShotFrugal(2000, primitive=estimator, seed=1).minimize(loss, [0.3, 0.3])
    assert found.success


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_points_of_a_circuit_without_parameters(backend):
    """Valid in Qiskit; the points after the first were 0, without a word."""
    circuit, points = QuantumCircuit(1), BindingsArray(shape=(3,))
    circuit.h(0)
    estimator = ShotEstimator(seed=1, **BACKENDS[backend]())
    np.testing.assert_allclose(estimator.run([(circuit, "X", points)]).result()[0].data.evs, 1.0)
    circuit.h(0)
    circuit.measure_all()
    sampler = ShotSampler(seed=1, **BACKENDS[backend]())
    bits = sampler.run([(circuit, points)]).result()[0].data.meas
    np.testing.assert_allclose(bits.expectation_values("Z"), [1.0] * 3)
