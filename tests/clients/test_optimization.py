"""qiskit-optimization: its own eigensolvers, and the optimizers built on them."""

from functools import partial

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes

from qiskit_arcmaes import ShotEstimator, ShotFrugal, ShotSampler, minimize
from qiskit_arcmaes.primitives import PrimitiveOracle

pytest.importorskip("qiskit_optimization")

from qiskit_optimization import QuadraticProgram
from qiskit_optimization.algorithms import (
    MinimumEigenOptimizer,
    RecursiveMinimumEigenOptimizer,
    SlsqpOptimizer,
    WarmStartQAOAOptimizer,
)
from qiskit_optimization.minimum_eigensolvers import QAOA, VQE, SamplingVQE

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0)]
CUT = 4  # all edges of the ring
BUDGET = 3000


def maxcut():
    program = QuadraticProgram()
    for node in range(4):
        program.binary_var(f"x{node}")
    linear, quadratic = np.zeros(4), np.zeros((4, 4))
    for i, j in EDGES:
        linear[[i, j]] += 1
        quadratic[i, j] -= 2
    program.maximize(linear=linear, quadratic=quadratic)
    return program


PROGRAM = maxcut()
OPERATOR, _ = PROGRAM.to_ising()


def qaoa(sampler, optimizer=None, **options):
    optimizer = optimizer or ShotFrugal(BUDGET, primitive=sampler, max_jobs=20, seed=1)
    return QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.3], **options)


class Kept:
    """Keeps every result of an optimizer; the solvers above it lose them."""

    def __init__(self, sampler):
        self.optimizer = ShotFrugal(10_000, primitive=sampler, max_jobs=20, seed=1)
        self.results = []

    def minimize(self, fun, x0, jac=None, bounds=None):
        self.results.append(self.optimizer.minimize(fun, x0, jac, bounds))
        return self.results[-1]


@pytest.mark.parametrize("aggregation", [None, 0.25])
def test_minimum_eigen_optimizer(aggregation):
    sampler = ShotSampler(seed=1)
    kept = Kept(sampler)
    solver = MinimumEigenOptimizer(qaoa(sampler, kept, aggregation=aggregation))
    assert solver.solve(PROGRAM).fval == CUT
    (found,) = kept.results
    assert found.shots + sampler.shots == sampler.ledger.shots  # and the last sampling of QAOA
    assert found.shots <= 10_000


def recursive(solver):
    return RecursiveMinimumEigenOptimizer(MinimumEigenOptimizer(solver), min_num_vars=2)


def warm_start(solver):
    return WarmStartQAOAOptimizer(
        pre_solver=SlsqpOptimizer(), relax_for_pre_solver=True, qaoa=solver, epsilon=0.25
    )


def minimum_eigen(solver):
    return MinimumEigenOptimizer(solver)


@pytest.mark.parametrize("around", [recursive, warm_start])
def test_solvers_around_qaoa(around):
    assert around(qaoa(ShotSampler(seed=1))).solve(PROGRAM).fval == CUT


def test_sampling_vqe():
    sampler = ShotSampler(seed=1)
    optimizer = ShotFrugal(BUDGET, primitive=sampler, max_jobs=20, seed=1)
    solver = SamplingVQE(sampler, real_amplitudes(4, reps=0), optimizer, initial_point=[0.5] * 4)
    assert MinimumEigenOptimizer(solver).solve(PROGRAM).fval == CUT


@pytest.mark.parametrize("form", ["class", "partial"])
def test_vqe(form):
    estimator = ShotEstimator(seed=1)
    optimizer = ShotFrugal(BUDGET, primitive=estimator, max_jobs=12, seed=1)
    if form == "partial":
        optimizer = partial(minimize, max_shots=BUDGET, max_jobs=12, seed=1)
    solver = VQE(estimator, real_amplitudes(4, reps=0), optimizer, initial_point=[0.5] * 4)
    result = solver.compute_minimum_eigenvalue(OPERATOR)
    assert result.optimizer_result.shots == estimator.ledger.shots <= BUDGET
    assert result.eigenvalue.real < -1.5


def loss_of(solver):
    found = []

    def look(fun, x0, jac=None, bounds=None):
        found.append(PrimitiveOracle(fun, [solver.sampler], x0))
        raise StopIteration

    solver.optimizer = look
    with pytest.raises(StopIteration):
        solver.compute_minimum_eigenvalue(OPERATOR)
    return found[0]


def test_the_circuit_of_its_own_qaoa_is_read():
    loss = loss_of(qaoa(ShotSampler(seed=1)))
    assert loss.spectra is not None
    assert loss.vectorized
    assert loss.min_shots == 1


def test_a_cvar_takes_enough_shots_for_its_tail():
    """The CVaR of one shot is that shot."""
    loss = loss_of(qaoa(ShotSampler(seed=1), aggregation=0.25))
    assert loss.spectra is None
    assert loss.min_shots == 64
