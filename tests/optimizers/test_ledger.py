"""``result.shots`` is what the backend counted, for every optimizer, and never above the budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit.primitives import BackendEstimatorV2, BackendSamplerV2
from qiskit_algorithms import QAOA, VQE

from qiskit_arcmaes import CMAES, ShotEstimator, ShotSampler, Stop

from ..primitives.service import EstimatorService, SpyingSimulator, line_device
from .common import ANSATZ, H2, ISING, ONE, OPTIMIZERS, START, runtime_primitive

BASES = 2  # of H2


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_vqe_spends_what_the_backend_counted(optimizer, wrapped):
    spy = SpyingSimulator(**ONE)
    inner = BackendEstimatorV2(backend=spy) if wrapped else None
    estimator = ShotEstimator(inner, backend=None if wrapped else spy, seed=3)
    chosen = optimizer(6_000, primitive=estimator, shots=25, popsize=5, seed=4)
    vqe = VQE(estimator, ANSATZ, chosen, initial_point=START)
    result = vqe.compute_minimum_eigenvalue(H2).optimizer_result
    assert result.shots == spy.spied["shots"] == estimator.ledger.shots <= 6_000
    assert result.stop is Stop.BUDGET
    assert result.shots > 0.7 * 6_000
    assert np.isfinite(result.fun_std)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_qaoa_spends_what_the_backend_counted(optimizer):
    spy = line_device(SpyingSimulator, **ONE)
    sampler = ShotSampler(BackendSamplerV2(backend=spy), seed=3)
    chosen = optimizer(4_000, primitive=sampler, shots=40, popsize=5, seed=4)
    qaoa = QAOA(sampler, chosen, reps=1, initial_point=[0.3, 0.2])
    result = qaoa.compute_minimum_eigenvalue(ISING).optimizer_result
    assert result.shots == spy.spied["shots"] - 1024 <= 4_000  # without the last sampling
    assert result.jobs == spy.spied["jobs"] - 1


def test_the_check_of_an_unknown_seed_is_counted():
    estimator = ShotEstimator(EstimatorService().misbehave())
    chosen = CMAES(5_000, primitive=estimator, shots=20, seed=4)
    vqe = VQE(estimator, ANSATZ, chosen, initial_point=START)
    result = vqe.compute_minimum_eigenvalue(H2).optimizer_result
    assert result.shots == estimator.ledger.shots <= 5_000
    assert result.history["spent"][0] % (2 * 20) == 128 % (2 * 20)


@pytest.mark.filterwarnings("ignore")
def test_calibration_of_the_readout_is_counted_once_a_job():
    """The executor adds circuits to every job, and splits shots over randomizations."""
    estimator = ShotEstimator(runtime_primitive(".executor_estimator", "Estimator"))
    chosen = CMAES(8_000, primitive=estimator, shots=100, popsize=4, maxiter=1, seed=4, tau=1.0)
    vqe = VQE(estimator, ANSATZ, chosen, initial_point=START)
    result = vqe.compute_minimum_eigenvalue(H2).optimizer_result
    assert result.shots == estimator.ledger.shots <= 8_000
    first = int(result.history["points"][0])
    assert result.history["spent"][0] == (BASES * first + 1) * 100


@settings(max_examples=15, deadline=None)
@given(
    optimizer=st.sampled_from(OPTIMIZERS),
    max_shots=st.integers(1, 2500),
    shots=st.none() | st.integers(1, 30),
    unknown=st.booleans(),
)
def test_no_budget_is_exceeded(optimizer, max_shots, shots, unknown):
    """Any budget: it runs within it, or is refused before the first shot."""
    estimator = ShotEstimator(EstimatorService().misbehave() if unknown else None)
    chosen = optimizer(max_shots, primitive=estimator, shots=shots, popsize=4, seed=4)
    vqe = VQE(estimator, ANSATZ, chosen, initial_point=START)
    try:
        result = vqe.compute_minimum_eigenvalue(H2).optimizer_result
    except ValueError as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        assert "max_shots" in refused
        assert estimator.ledger.shots == 0
        return
    assert result.shots == estimator.ledger.shots <= max_shots
