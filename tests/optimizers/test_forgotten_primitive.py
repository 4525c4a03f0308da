"""A forgotten ``primitive=``: the budget and the ledger of the primitive agree all the same."""

import warnings
from functools import partial

import numpy as np
import pytest
from qiskit.primitives import StatevectorEstimator
from qiskit_algorithms import QAOA, VQD, VQE, SamplingVQE
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import (
    ARCMAES,
    ForeignLossWarning,
    OracleError,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    minimize,
)

from .common import ANSATZ, H2, ISING, START

BUDGET = 800


def run_vqe(optimizer):
    estimator = ShotEstimator(seed=1)
    vqe = VQE(estimator, ANSATZ, optimizer, initial_point=START)
    return vqe.compute_minimum_eigenvalue(H2).optimizer_result, estimator


@pytest.mark.parametrize("kind", [ShotFrugal, ARCMAES])
def test_vqe(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForeignLossWarning)
        result, estimator = run_vqe(kind(BUDGET, seed=3))
    assert result.shots == estimator.ledger.shots <= BUDGET
    assert estimator.shots == 1024  # what the user had set is restored


def test_minimize_as_a_minimizer():
    result, estimator = run_vqe(partial(minimize, max_shots=BUDGET, seed=3))
    assert result.shots == estimator.ledger.shots <= BUDGET


def test_the_found_primitive_gives_the_run_of_the_named_one():
    estimator = ShotEstimator(seed=1)
    named = ShotFrugal(BUDGET, primitive=estimator, seed=3)
    vqe = VQE(estimator, ANSATZ, named, initial_point=START)
    expected = vqe.compute_minimum_eigenvalue(H2).optimizer_result
    found, _ = run_vqe(ShotFrugal(BUDGET, seed=3))
    np.testing.assert_array_equal(found.x, expected.x)
    assert found.fun == expected.fun


def test_qaoa_and_sampling_vqe():
    sampler = ShotSampler(seed=1)
    optimizer = ShotFrugal(BUDGET, seed=3)
    qaoa = QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.4])
    result = qaoa.compute_minimum_eigenvalue(ISING).optimizer_result
    last = sampler.ledger.shots - result.shots  # QAOA samples once more at the end
    assert result.shots <= BUDGET
    assert last == sampler.shots
    sampler = ShotSampler(seed=1)
    ansatz = ANSATZ.copy()  # SamplingVQE measures the ansatz in place
    solver = SamplingVQE(sampler, ansatz, ARCMAES(BUDGET, seed=3), initial_point=START)
    result = solver.compute_minimum_eigenvalue(H2[1:4]).optimizer_result
    assert sampler.ledger.shots - result.shots == sampler.shots


def test_vqd_has_two_primitives():
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=1)
    start = [START, START + 1]
    optimizer = ARCMAES(BUDGET, seed=3)
    fidelity = ComputeUncompute(sampler)
    solver = VQD(estimator, fidelity, ANSATZ, optimizer, k=2, initial_point=start)
    results = solver.compute_eigenvalues(H2).optimizer_results
    assert all(result.shots <= BUDGET for result in results)
    spent = estimator.ledger.shots + sampler.ledger.shots
    assert sum(result.shots for result in results) <= spent


MEASURED = ANSATZ.measure_all(inplace=False)


def one_after_the_other(x, estimator, sampler):
    """The sampler is asked after the estimator's result: no dry run sees it."""
    value = estimator.run([(ANSATZ, H2, x)]).result()[0].data.evs
    sampler.run([(MEASURED, x)]).result()
    return value


def both_at_once(x, estimator, sampler):
    sampled = sampler.run([(MEASURED, x)])
    value = estimator.run([(ANSATZ, H2, x)]).result()[0].data.evs
    sampled.result()
    return value


@pytest.mark.parametrize("vectorized", [True, False])
def test_a_primitive_that_is_asked_after_a_result_is_refused_in_the_first_job(vectorized):
    """Before it runs anything; what the first job took is counted."""
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=1)

    def fun(x):
        return one_after_the_other(x, estimator, sampler)

    optimizer = ARCMAES(20_000, primitive=estimator, seed=3, vectorized=vectorized)
    with pytest.raises(OracleError, match="ShotSampler that max_shots does not count") as refused:
        optimizer.minimize(fun, START)
    assert sampler.ledger.shots == 0
    assert refused.value.result.shots == estimator.ledger.shots < 20_000


def test_a_primitive_that_is_not_named_is_refused_before_a_shot():
    """Dry runs used to run it, with its own thousand shots each."""
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=1)

    def fun(x):
        return both_at_once(x, estimator, sampler)

    with pytest.raises(OracleError, match="ShotSampler that max_shots does not count"):
        ARCMAES(20_000, primitive=estimator, seed=3).minimize(fun, START)
    assert (estimator.ledger.shots, sampler.ledger.shots) == (0, 0)


@pytest.mark.parametrize("named", [True, False])
def test_a_primitive_among_the_arguments_is_refused_before_a_shot(named):
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=1)
    optimizer = ARCMAES(20_000, primitive=estimator if named else None, seed=3)
    fun = partial(one_after_the_other, estimator=estimator, sampler=sampler)
    with pytest.raises(OracleError, match=r"is given a ShotSampler.*first result"):
        optimizer.minimize(fun, START)
    assert (estimator.ledger.shots, sampler.ledger.shots) == (0, 0)


def test_two_primitives_that_are_asked_at_once_are_both_counted():
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=1)
    fun = partial(both_at_once, estimator=estimator, sampler=sampler)
    result = ARCMAES(BUDGET, seed=3).minimize(fun, START)
    assert result.shots == estimator.ledger.shots + sampler.ledger.shots <= BUDGET
    assert sampler.ledger.shots > 0


def test_a_foreign_loss_is_warned_of_once_and_counts_its_calls():
    calls = []

    def fun(x):
        calls.append(x)
        return float(np.sum(np.square(x))) + 0.1

    keep = ShotEstimator()  # alive, but fun does not run on it
    with pytest.warns(ForeignLossWarning, match=r"max_shots = 500 counts calls of fun") as caught:
        result = ARCMAES(500, tau=0.0, vectorized=False, seed=1).minimize(fun, [1.0, 2.0])
    assert len([w for w in caught if w.category is ForeignLossWarning]) == 1
    assert result.shots == len(calls) <= 500
    assert keep.ledger.shots == 0


def test_vqe_on_another_estimator_is_foreign():
    solver = VQE(StatevectorEstimator(), ANSATZ, ARCMAES(200, seed=1), initial_point=START)
    with pytest.warns(ForeignLossWarning, match=r"ShotEstimator\(estimator\)"):
        result = solver.compute_minimum_eigenvalue(H2).optimizer_result
    assert result.shots <= 200
