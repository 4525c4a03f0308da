"""Scales for shifts from the circuit alone, and the eigensolvers of qiskit-optimization."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA
from qiskit_algorithms.optimizers import OptimizerResult

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import PrimitiveOracle

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages that are tried

RING = SparsePauliOp.from_sparse_list([("ZZ", [q, (q + 1) % 4], 1.0) for q in range(4)], 4)
ANSATZ = real_amplitudes(4, reps=1)


class Spy:
    """An optimizer that keeps the oracle of its loss."""

    def __init__(self, primitive):
        self.primitive = primitive

    def __call__(self, fun, x0, jac=None, bounds=None):
        self.oracle = PrimitiveOracle(fun, [self.primitive], x0)
        result = OptimizerResult()
        result.x, result.fun, result.nfev = np.array(x0), float(np.asarray(fun(x0)).item()), 1
        return result


def qaoa_oracle(kind, **options):
    sampler = ShotSampler(seed=1, shots=10)
    spy = Spy(sampler)
    kind(sampler, spy, initial_point=[0.1, 0.2], **options).compute_minimum_eigenvalue(RING)
    return spy.oracle


def test_cvar_has_the_frequencies_of_pairs_of_qubits():
    """rx(2 beta) on two qubits: 4; two edges at each end of an edge that is none of them: 8."""
    plain, cvar = (qaoa_oracle(QAOA, aggregation=share) for share in (None, 0.2))
    assert cvar.spectra is cvar.mean_loss is cvar.circuit is None
    assert cvar.circuit_frequencies[0] == 4.0
    assert cvar.circuit_frequencies[1] >= plain.circuit_frequencies[1]
    assert np.array_equal(plain.circuit_frequencies, [s.maximum for s in plain.spectra])


def test_a_loss_of_its_own_on_a_sampler():
    angle = Parameter("t")
    circuit = QuantumCircuit(2)
    circuit.rx(3 * angle, 0)
    circuit.measure_all()
    sampler = ShotSampler(seed=1)

    def fun(x):
        counts = sampler.run([(circuit, np.reshape(x, -1))]).result()[0].data.meas.get_counts()
        return max(counts.values()) ** 2

    oracle = PrimitiveOracle(fun, [sampler], [0.1], vectorized=False)
    assert oracle.circuit_frequencies == pytest.approx([3.0])


def test_a_function_on_an_estimator_with_gaussian_noise():
    """It could not be proved plain in a plan, so nothing but the scale is said."""
    estimator = ShotEstimator(StatevectorEstimator(), seed=1)
    fun = lambda x: estimator.run([(ANSATZ, RING, x)]).result()[0].data.evs  # noqa: E731
    oracle = PrimitiveOracle(fun, [estimator], np.zeros(8), vectorized=True)
    assert oracle.spectra is oracle.mean_loss is oracle.circuit is None
    assert np.array_equal(oracle.circuit_frequencies, np.ones(8))


def test_angles_that_are_not_linear():
    estimator = ShotEstimator(seed=1)
    fun = lambda x: estimator.run([(ANSATZ, RING, np.square(x))]).result()[0].data.evs  # noqa: E731
    oracle = PrimitiveOracle(fun, [estimator], np.ones(8), vectorized=True)
    assert oracle.circuit is oracle.circuit_frequencies is None


@pytest.mark.parametrize(("aggregation", "known"), [(None, True), (1.0, True), (0.3, False)])
def test_qaoa_of_qiskit_optimization(aggregation, known):
    package = pytest.importorskip("qiskit_optimization.minimum_eigensolvers")
    oracle = qaoa_oracle(package.QAOA, aggregation=aggregation)
    assert oracle.vectorized
    assert (oracle.spectra is not None) == known
    if known:
        assert oracle.spectra == qaoa_oracle(QAOA).spectra
    assert oracle.circuit is None
    assert oracle.price(3).at(10) == 30  # nothing has to be found out


def test_vqes_of_qiskit_optimization():
    package = pytest.importorskip("qiskit_optimization.minimum_eigensolvers")
    sampler, estimator = ShotSampler(seed=1, shots=10), ShotEstimator(seed=1, shots=10)
    for primitive, kind in ((sampler, package.SamplingVQE), (estimator, package.VQE)):
        spy = Spy(primitive)
        kind(primitive, ANSATZ.copy(), spy).compute_minimum_eigenvalue(RING)
        assert [spectrum.values for spectrum in spy.oracle.spectra] == [(1.0,)] * 8
    assert spy.oracle.circuit is not None
    gaussian = ShotEstimator(StatevectorEstimator(), seed=1)
    spy = Spy(gaussian)
    package.VQE(gaussian, ANSATZ.copy(), spy).compute_minimum_eigenvalue(RING)
    assert spy.oracle.spectra is not None
    assert spy.oracle.circuit is None
