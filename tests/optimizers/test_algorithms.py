"""Every algorithm on every primitive that fits: the real things, on small circuits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit.library import EvolvedOperatorAnsatz, real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQD, VQE, AdaptVQE, SamplingVQE
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import CMAES, ShotEstimator, ShotFrugal, ShotSampler

from .common import ANSATZ, ESTIMATORS, H2, ISING, NOISY, SAMPLERS, START, exact_energy

pytestmark = pytest.mark.filterwarnings("ignore")  # deprecated parts of Qiskit and the runtime

SHOTS = 321  # what the user has set before the run
MARGIN = 7  # standard errors; Student's t with 15 degrees of freedom: beyond with 4e-6


def optimizer_for(*primitives):
    for primitive in primitives:
        primitive.shots = SHOTS
    given = primitives[0] if len(primitives) == 1 else primitives
    return ShotFrugal(30_000, primitive=given, seed=7, popsize=4, maxiter=1)


def check_run(result, *primitives, later=0):
    """All shots are counted, within the budget; the shots are as they were."""
    assert result.shots == sum(p.ledger.shots for p in primitives) - later <= 30_000
    assert result.nit == 1
    assert [p.shots for p in primitives] == [SHOTS] * len(primitives)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_vqe(name):
    estimator = ESTIMATORS[name]()
    vqe = VQE(estimator, ANSATZ, optimizer_for(estimator), initial_point=START)
    result = vqe.compute_minimum_eigenvalue(H2, aux_operators=[SparsePauliOp("ZZ")])
    after = result.optimizer_result
    with estimator.recording() as recording:
        estimator.run([(ANSATZ, [SparsePauliOp("ZZ")], [START])])
    check_run(after, estimator, later=recording.shots)  # the auxiliary operator got SHOTS
    assert result.eigenvalue == after.fun
    if name not in NOISY:
        truth = exact_energy(ANSATZ, H2, result.optimal_point)
        assert abs(after.fun - truth) < MARGIN * after.fun_std


@pytest.mark.parametrize("name", SAMPLERS)
def test_sampling_vqe(name):
    sampler, ansatz = SAMPLERS[name](), real_amplitudes(4, reps=1)
    vqe = SamplingVQE(sampler, ansatz, optimizer_for(sampler), initial_point=[0.3] * 8)
    result = vqe.compute_minimum_eigenvalue(ISING)
    check_run(result.optimizer_result, sampler, later=SHOTS)  # the last sampling
    assert sum(result.eigenstate.values()) == pytest.approx(1)
    if name not in NOISY:
        truth = exact_energy(result.optimal_circuit, ISING, result.optimal_point)
        after = result.optimizer_result
        assert abs(after.fun - truth) < MARGIN * after.fun_std


@pytest.mark.parametrize("name", SAMPLERS)
def test_qaoa(name):
    sampler = SAMPLERS[name]()
    qaoa = QAOA(sampler, optimizer_for(sampler), reps=1, initial_point=[0.3] * 2)
    result = qaoa.compute_minimum_eigenvalue(ISING)
    check_run(result.optimizer_result, sampler, later=SHOTS)
    if name not in NOISY:
        truth = exact_energy(result.optimal_circuit, ISING, result.optimal_point)
        after = result.optimizer_result
        assert abs(after.fun - truth) < MARGIN * after.fun_std


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) & set(SAMPLERS)))
def test_vqd(name):
    """The estimator and the fidelity's sampler as a pair; overlaps are charged."""
    pair = (ESTIMATORS[name](), SAMPLERS[name]())
    fidelity = ComputeUncompute(pair[1])
    vqd = VQD(pair[0], fidelity, ANSATZ, optimizer_for(*pair), k=2, initial_point=START, betas=[3])
    result = vqd.compute_eigenvalues(H2)
    first, second = result.optimizer_results
    assert first.shots <= 30_000 >= second.shots
    assert first.shots + second.shots == sum(p.ledger.shots for p in pair)
    assert pair[1].ledger.shots > 0
    assert [p.shots for p in pair] == [SHOTS] * 2
    if name not in NOISY:
        truth = exact_energy(ANSATZ, H2, first.x)
        assert abs(first.fun - truth) < MARGIN * first.fun_std


def test_vqd_with_shots_of_its_own_for_the_overlaps():
    pair = (ShotEstimator(seed=1), ShotSampler(seed=1))
    fidelity = ComputeUncompute(pair[1], shots=50)
    vqd = VQD(pair[0], fidelity, ANSATZ, optimizer_for(*pair), k=2, initial_point=START, betas=[3])
    result = vqd.compute_eigenvalues(H2)
    second = result.optimizer_results[1]
    assert pair[1].ledger.shots == 50 * second.nfev
    assert second.shots == pair[1].ledger.shots + sum(
        2 * points * shots for points, shots in jobs_of(second)
    )


def jobs_of(result):
    """(points, shots) of every job, the last estimate worked out from what is missing."""
    history = result.history
    jobs = list(zip(history["points"], history["shots"], strict=True))
    missing = result.shots - history["spent"][-1]
    points = result.nfev - sum(history["points"])
    return [*jobs, (points, (missing - 50 * points) / (2 * points))]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_adapt_vqe(name):
    estimator = ESTIMATORS[name]()
    start = QuantumCircuit(2)
    start.x(0)
    pool = [SparsePauliOp("XY"), SparsePauliOp("YX")]
    ansatz = EvolvedOperatorAnsatz(pool, initial_state=start)
    vqe = VQE(estimator, ansatz, optimizer_for(estimator))
    result = AdaptVQE(vqe, max_iterations=1).compute_minimum_eigenvalue(H2)
    assert result.num_iterations == 1
    assert result.optimizer_result.shots <= 30_000
    assert estimator.shots == SHOTS
    if name not in NOISY:
        after = result.optimizer_result
        truth = exact_energy(result.optimal_circuit, H2, result.optimal_point)
        assert abs(after.fun - truth) < MARGIN * after.fun_std


@pytest.mark.parametrize("name", ["built-in", "aer", "coupled"])
def test_minimum_eigen_optimizer(name):
    """It hands a program to QAOA, which runs on every sampler above."""
    optimization = pytest.importorskip("qiskit_optimization")
    algorithms = pytest.importorskip("qiskit_optimization.algorithms")
    problem = optimization.QuadraticProgram()
    for variable in "abc":
        problem.binary_var(variable)
    problem.minimize(linear={"a": -1, "b": 1}, quadratic={("a", "c"): 2, ("b", "c"): -3})
    sampler = SAMPLERS[name]()
    qaoa = QAOA(sampler, optimizer_for(sampler), reps=1, initial_point=[0.3] * 2)
    result = algorithms.MinimumEigenOptimizer(qaoa).solve(problem)
    after = result.min_eigen_solver_result.optimizer_result
    check_run(after, sampler, later=SHOTS)
    assert result.fval == -2  # b and c; 321 shots on 8 outcomes do not miss it


def test_qaoa_on_a_coupled_device_gives_the_right_energy():
    """Routing permutes the qubits; a forgotten layout would measure one of the other orders."""
    sampler = SAMPLERS["coupled"]()
    optimizer = CMAES(10**6, primitive=sampler, seed=7, maxiter=1, shots=100, sigma0=1e-3)
    qaoa = QAOA(sampler, optimizer, reps=3, initial_point=[1.3, 0.8, 0.5, 1.5, 0.5, 0.3])
    result = qaoa.compute_minimum_eigenvalue(ISING)
    after = result.optimizer_result
    for order in itertools.permutations(range(4)):
        moved = ISING.apply_layout(order)
        energy = exact_energy(result.optimal_circuit, moved, result.optimal_point)
        right = order == (0, 1, 2, 3)
        assert (abs(after.fun - energy) < MARGIN * after.fun_std) == right


def test_a_generation_is_one_job_and_m_its_shots():
    estimator = ShotEstimator(seed=1)
    chosen = CMAES(30_000, primitive=estimator, shots=20, maxiter=3, seed=1)
    result = VQE(estimator, ANSATZ, chosen, initial_point=START).compute_minimum_eigenvalue(H2)
    after = result.optimizer_result
    assert estimator.ledger.jobs == after.jobs == len(after.history) + 1
    assert np.array_equal(
        np.diff(after.history["spent"], prepend=0),
        2 * after.history["points"] * after.history["shots"],
    )
