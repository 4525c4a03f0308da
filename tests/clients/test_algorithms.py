"""qiskit-algorithms: VQD's states under noise, and minimizers that are plain callables."""

from functools import partial

import numpy as np
import pytest
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import EvolvedOperatorAnsatz, efficient_su2, real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQD, VQE, AdaptVQE, SamplingVQE
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ARCMAES, ShotEstimator, ShotFrugal, ShotSampler, minimize

H2 = SparsePauliOp.from_list(
    [("II", -1.05237), ("IZ", 0.39794), ("ZI", -0.39794), ("ZZ", -0.01128), ("XX", 0.18093)]
)  # fmt: skip
EXACT = np.linalg.eigvalsh(H2.to_matrix())


@pytest.fixture(scope="module")
def vqd():
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=2)
    optimizer = ShotFrugal(max_shots=40_000, primitive=(estimator, sampler), overhead=100, seed=3)
    ansatz = real_amplitudes(2, reps=1)
    solver = VQD(
        estimator, ComputeUncompute(sampler), ansatz, optimizer, k=2, betas=[3.0, 3.0],
        initial_point=np.full(4, 0.4),
    )  # fmt: skip
    return solver.compute_eigenvalues(H2), estimator, sampler


def test_vqd_reports_the_energies_of_its_states(vqd):
    """It used to report the luckiest value: below the true ground state."""
    result, *_ = vqd
    np.testing.assert_allclose(result.eigenvalues.real, EXACT[:2], atol=0.1)


def test_vqd_deflates_with_the_recommendation(vqd):
    result, *_ = vqd
    for point, found in zip(result.optimal_points, result.optimizer_results, strict=True):
        np.testing.assert_array_equal(point, found.x)
    np.testing.assert_array_equal(
        result.optimal_values, [found.fun for found in result.optimizer_results]
    )


def test_vqd_keeps_its_budget(vqd):
    result, estimator, sampler = vqd
    spent = [found.shots for found in result.optimizer_results]
    assert max(spent) <= 40_000
    assert sum(spent) == estimator.ledger.shots + sampler.ledger.shots


def test_a_partial_is_a_minimizer():
    estimator = ShotEstimator(seed=1)
    minimizer = partial(minimize, max_shots=3000, max_jobs=8, seed=1)
    vqe = VQE(estimator, real_amplitudes(2, reps=1), minimizer, initial_point=np.full(4, 0.4))
    result = vqe.compute_minimum_eigenvalue(H2)
    assert result.optimizer_result.shots == estimator.ledger.shots <= 3000
    assert result.eigenvalue == result.optimizer_result.fun


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_adapt_vqe():
    estimator = ShotEstimator(seed=1, shots=4096)
    start = QuantumCircuit(2)
    start.x(0)
    pool = [SparsePauliOp("XY"), SparsePauliOp("YX")]
    ansatz = EvolvedOperatorAnsatz(pool, initial_state=start)
    vqe = VQE(estimator, ansatz, ShotFrugal(2000, primitive=estimator, seed=1))
    adapt = AdaptVQE(vqe, max_iterations=2, gradient_threshold=0.05)
    result = adapt.compute_minimum_eigenvalue(H2)
    assert result.eigenvalue.real < EXACT[0] + 0.1


@pytest.mark.parametrize("kind", [QAOA, SamplingVQE])
def test_sampling_algorithms(kind):
    sampler = ShotSampler(seed=1)
    operator = SparsePauliOp(["ZZI", "IZZ"])
    optimizer = ARCMAES(800, primitive=sampler, max_jobs=12, seed=1)
    if kind is QAOA:
        solver = QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.3])
    else:
        solver = SamplingVQE(sampler, efficient_su2(3, reps=0), optimizer, initial_point=[0.3] * 6)
    result = solver.compute_minimum_eigenvalue(operator)
    assert result.optimizer_result.shots <= 800
    assert result.best_measurement["value"].real == -2
