"""The noise that the optimizers see: true levels, and seeds that repeat it."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit.primitives import BackendEstimatorV2, StatevectorEstimator
from qiskit.quantum_info import Statevector
from qiskit_aer import AerSimulator
from qiskit_algorithms import VQE
from scipy import stats

from qiskit_arcmaes import ARCMAES, ShotEstimator
from qiskit_arcmaes.primitives import RepeatedNoiseError
from qiskit_arcmaes.problems import get_problem

from ..primitives.service import line_device
from ..primitives.test_seeds import UnknownEstimator
from .common import ANSATZ, H2, ONE, START


def run_vqe(estimator, operator=H2, ansatz=ANSATZ, start=START, **settings):
    chosen = ARCMAES(primitive=estimator, **settings)
    vqe = VQE(estimator, ansatz, chosen, initial_point=start)
    return vqe.compute_minimum_eigenvalue(operator).optimizer_result


def run_lih(estimator, **settings):
    """A narrow distribution around one point: the noise level hardly changes over the run."""
    problem = get_problem("lih")
    start = problem.start(np.random.default_rng(5))
    result = run_vqe(
        estimator, problem.operator, problem.ansatz, start, sigma0=1e-3, seed=3, **settings
    )
    return result, float(problem.variances(start)[0])


def test_reported_noise_is_the_true_one():
    estimator = ShotEstimator(seed=4, allocation="equal")
    result, truth = run_lih(estimator, max_shots=200_000, shots=50, maxiter=5)
    assert np.allclose(result.history["noise"], truth, rtol=0.01)  # but for where the points lie


def test_noise_seen_in_the_shots_is_the_true_one():
    estimator = ShotEstimator(seed=4, backend=AerSimulator(**ONE), allocation="equal")
    result, truth = run_lih(estimator, max_shots=10**6, shots=1000, popsize=11, maxiter=2)
    # 11 points x 1000 shots of kurtosis 20: a relative error of 0.042, so that 0.25 is beyond 5.9
    # standard errors and fails with probability 2e-8 for a random seed
    assert np.allclose(result.history["noise"], truth, rtol=0.25)


def test_noise_measured_by_repeats_is_the_true_one():
    """Wrapped: the curve at the start, then repeated points; within chi-square limits."""
    estimator = ShotEstimator(BackendEstimatorV2(backend=AerSimulator(**ONE)), seed=4)
    problem = get_problem("lih")
    with estimator.recording() as recording:
        estimator.run([(problem.ansatz, problem.operator, problem.best_parameters)])
    result, _ = run_lih(estimator, max_shots=50_000, shots=20, popsize=11, maxiter=1)
    history = result.history
    calibration = history["iteration"] == 0
    truth = coloured_variance(problem)
    freedom = np.sum(history["points"][calibration] - 1)
    # tau is the mean of four sample deviations: its square has about these degrees of freedom;
    # fails with probability 2e-4 for a random seed
    low, high = stats.chi2(freedom).ppf([1e-4, 1 - 1e-4]) / freedom
    level = history["noise"][calibration][-1]
    assert low < level / truth < high
    assert recording.bases == len(problem.operator.group_commuting(qubit_wise=True))


def coloured_variance(problem):
    """The variance of one shot in the groups that BackendEstimatorV2 makes."""
    start = problem.start(np.random.default_rng(5))
    state = Statevector(problem.ansatz.assign_parameters(start))
    total = 0.0
    for group in problem.operator.group_commuting(qubit_wise=True):
        square = (group @ group).simplify()
        mean = state.expectation_value(group).real
        total += state.expectation_value(square).real - mean**2
    return total


def test_gaussian_estimators_have_the_noise_that_was_asked():
    estimator = ShotEstimator(StatevectorEstimator(), seed=4)
    result, _ = run_lih(estimator, max_shots=400_000, shots=20, maxiter=1)
    history = result.history
    calibration = history["iteration"] == 0
    freedom = np.sum(history["points"][calibration] - 1)
    low, high = stats.chi2(freedom).ppf([1e-4, 1 - 1e-4]) / freedom
    assert low < history["noise"][calibration][-1] < high  # tau = 1


def test_noise_follows_the_point():
    """On the way to the minimum the built-in estimator's noise falls, and ``ar`` knows.

    The level is that of the whole population, which stays wide while the learning rates fall: it
    lies above the noise at its mean.
    """
    problem = get_problem("h2")
    estimator = ShotEstimator(seed=4)
    start = problem.start(np.random.default_rng(1))
    result = run_vqe(
        estimator, problem.operator, problem.ansatz, start, max_shots=100_000, min_shots=40, seed=3
    )
    first, last = problem.variances(np.stack([start, result.x]))
    levels = result.history["noise"]
    assert levels[0] == pytest.approx(first, rel=0.5)
    assert 0.5 * last < levels[-1] < 0.8 * levels[0]


@pytest.mark.parametrize("settings", [{}, {"shots": 1}, {"min_shots": 1}])
def test_one_shot_on_a_noisy_backend_becomes_two(settings):
    """One shot shows no variance."""
    estimator = ShotEstimator(backend=line_device(**ONE), seed=2)
    result = run_vqe(estimator, max_shots=3000, seed=3, popsize=4, maxiter=4, **settings)
    assert result.history["shots"].min() >= 2
    assert np.isfinite(result.history["noise"]).all()
    assert np.isfinite(result.fun)


def test_an_integer_as_seed_is_refused_at_once():
    with pytest.raises(RepeatedNoiseError, match=r"seed=numpy.random.default_rng"):
        ShotEstimator(StatevectorEstimator(seed=1))
    inner = BackendEstimatorV2(backend=AerSimulator(**ONE))
    estimator = ShotEstimator(inner)
    inner.options.seed_simulator = 3
    with pytest.raises(RepeatedNoiseError, match=r"has options\.seed_simulator = 3"):
        run_vqe(estimator, max_shots=5000)
    assert estimator.ledger.shots == 0


def test_a_hidden_seed_is_found_out_in_the_first_two_calls():
    unknown = UnknownEstimator(lambda: StatevectorEstimator(seed=1))
    estimator = ShotEstimator(unknown)
    words = "same noise in two calls.*leave it unseeded"
    with pytest.raises(RepeatedNoiseError, match=words) as caught:
        run_vqe(estimator, max_shots=5000)
    assert unknown.calls == 2
    assert caught.value.result.shots == estimator.ledger.shots == 128
    assert estimator.shots == 1024
