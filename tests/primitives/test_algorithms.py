"""The primitives in the place of others: Qiskit's algorithms run on them unchanged."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQD, VQE, SamplingVQE
from qiskit_algorithms.exceptions import AlgorithmError
from qiskit_algorithms.optimizers import SPSA
from qiskit_algorithms.state_fidelities import ComputeUncompute
from qiskit_algorithms.utils import algorithm_globals

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import RecordedOnlyError

from .problems import CIRCUIT, ISING, OPERATOR, exact, some_points

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

H2 = SparsePauliOp(
    ["II", "IZ", "ZI", "ZZ", "XX"], [-1.05237325, 0.39793742, -0.39793742, -0.01128010, 0.18093120]
)


def spsa(iterations):
    algorithm_globals.random_seed = 5  # its directions
    return SPSA(maxiter=iterations, learning_rate=0.1, perturbation=0.1)


def start_of(circuit):
    return np.random.default_rng(3).uniform(-1, 1, circuit.num_parameters)


@pytest.mark.parametrize(
    "make", [ShotEstimator, lambda **k: ShotEstimator(StatevectorEstimator(), **k)]
)
def test_vqe(make):
    ansatz = real_amplitudes(2, reps=1)
    estimator = make(shots=200, seed=1)
    vqe = VQE(estimator, ansatz, spsa(20), initial_point=start_of(ansatz))
    result = vqe.compute_minimum_eigenvalue(H2, aux_operators=[SparsePauliOp("ZZ")])
    assert result.eigenvalue < -1.0
    assert len(result.aux_operators_evaluated) == 1
    assert estimator.ledger.shots == 200 * estimator.ledger.circuits


def test_a_dry_run_learns_cost_and_whether_it_is_used():
    """What an optimizer does before a run: one call of the loss, nothing charged."""
    ansatz = real_amplitudes(2, reps=1)
    estimator, other = ShotEstimator(shots=100), ShotEstimator()
    loss = VQE(estimator, ansatz, spsa(1))._get_evaluate_energy(ansatz, H2)
    points = np.zeros((5, ansatz.num_parameters))
    with (
        estimator.recording() as used,
        other.recording() as unused,
        pytest.raises(AlgorithmError) as stopped,
    ):
        loss(points)
    assert isinstance(stopped.value.__cause__, RecordedOnlyError)
    assert (used.points, used.bases, used.shots) == (5, 2, 1000)
    assert unused.jobs == 0
    estimator.shots = 7
    loss(points)
    assert estimator.ledger.state == {"jobs": 1, "circuits": 10, "shots": 70, "failures": 0}
    assert estimator.last_variances.shape == (5,)


@pytest.mark.parametrize("make", [ShotSampler, lambda **k: ShotSampler(StatevectorSampler(), **k)])
def test_qaoa_and_the_dry_run(make):
    sampler = make(shots=200, seed=1)
    qaoa = QAOA(sampler, spsa(3), reps=2, initial_point=[0.1, 0.2, 0.3, 0.4])
    with sampler.recording() as recording, pytest.raises(RecordedOnlyError):
        qaoa.compute_minimum_eigenvalue(ISING)
    assert (recording.jobs, recording.shots) == (1, 200 * recording.points)
    assert sampler.ledger.jobs == 0
    result = qaoa.compute_minimum_eigenvalue(ISING)
    assert -2.5 <= result.eigenvalue.real < 1


def test_sampling_vqe():
    sampler = ShotSampler(shots=300, seed=1)
    ansatz = real_amplitudes(4, reps=1)
    vqe = SamplingVQE(sampler, ansatz, spsa(20), initial_point=start_of(ansatz))
    result = vqe.compute_minimum_eigenvalue(ISING)
    assert result.best_measurement["value"].real == pytest.approx(-2.5)


def test_vqd_charges_its_overlaps():
    estimator, sampler = ShotEstimator(shots=100, seed=1), ShotSampler(shots=50, seed=1)
    ansatz = real_amplitudes(2, reps=1)
    vqd = VQD(
        estimator, ComputeUncompute(sampler), ansatz, spsa(5), k=2, initial_point=start_of(ansatz)
    )
    result = vqd.compute_eigenvalues(H2)
    assert len(result.eigenvalues) == 2
    assert sampler.ledger.shots == 50 * sampler.ledger.circuits > 0


@pytest.mark.parametrize("mode", ["Session", "Batch"])
def test_runtime_sessions_and_batches_with_a_fake_device(mode):
    runtime = pytest.importorskip("qiskit_ibm_runtime")
    fakes = pytest.importorskip("qiskit_ibm_runtime.fake_provider")
    executor = pytest.importorskip("qiskit_ibm_runtime.executor_estimator")
    device = fakes.FakeManilaV2()
    points = some_points(2)
    truth = exact(CIRCUIT, OPERATOR, points)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with getattr(runtime, mode)(backend=device) as session:
            inner = executor.Estimator(mode=session, options={"resilience_level": 0})
            estimator = ShotEstimator(inner, shots=500)
            values = estimator.run([(CIRCUIT, OPERATOR, points)]).result()[0].data.evs
            sampler = ShotSampler(runtime.SamplerV2(mode=session), shots=100)
            sampler.run([(CIRCUIT.measure_all(inplace=False), points)])
    assert np.allclose(values, truth, atol=0.6)  # shot noise below 0.06, the rest is the device's
    assert estimator.ledger.shots == 2 * 3 * 500
    assert sampler.ledger.shots == 200
