"""Random starts below the mean: many shots must not make them look as if somebody designed them."""

import numpy as np
from qiskit_algorithms import VQE

from qiskit_arcmaes import ShotEstimator, ShotFrugal
from qiskit_arcmaes.problems import get_problem

SEEDS = (0, 2, 3, 4)


def phases_of_two_jobs(seed):
    """What a run of 10⁶ shots does in its first two jobs."""
    problem = get_problem("heisenberg6")
    jobs = []

    def stop(*_):
        jobs.append(1)
        return len(jobs) == 2

    estimator = ShotEstimator(seed=seed)
    optimizer = ShotFrugal(10**6, primitive=estimator, seed=seed, callback=stop)
    start = problem.start(np.random.default_rng(seed))
    vqe = VQE(estimator, problem.ansatz, optimizer, initial_point=start)
    return vqe.compute_minimum_eigenvalue(problem.operator).optimizer_result.algorithm


def test_a_lucky_start_of_a_heisenberg_ring_is_left_by_descent():
    """All four lie below the mean by more than a quarter of the span. They were taken for designed
    ones and kept for Newton steps in proportion to proof, and ended 2 to 5 above the minimum.
    """
    for seed in SEEDS:
        assert phases_of_two_jobs(seed) == "inspection of x0, then parameter-shift Adam"
