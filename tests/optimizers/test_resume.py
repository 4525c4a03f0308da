"""Long runs: killed and resumed bit for bit, services that fail, results with holes."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit.library import EvolvedOperatorAnsatz
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE, AdaptVQE

from qiskit_arcmaes import (
    ARCMAES,
    UHCMAES,
    CheckpointError,
    OracleError,
    ShotEstimator,
    ShotFrugal,
    Stop,
)
from qiskit_arcmaes.engine.checkpoint import load
from qiskit_arcmaes.primitives import JobFailedError

from ..primitives.service import EstimatorService
from ..processes import start, wait_for_jobs
from ..runs import same
from .common import ANSATZ, H2, OPTIMIZERS, START

BUDGET = 40_000
FEW = 6_000  # for services whose jobs are slow: enough for all that their scripts do


def run_vqe(estimator, optimizer=ShotFrugal, budget=BUDGET, **settings):
    settings = {"shots": 10, "seed": 5, **settings}
    chosen = optimizer(budget, primitive=estimator, **settings)
    vqe = VQE(estimator, ANSATZ, chosen, initial_point=START)
    return vqe.compute_minimum_eigenvalue(H2).optimizer_result


def run_slowly(optimizer, allocation, path):
    """For a process that is killed."""
    run_vqe(
        ShotEstimator(seed=6, allocation=allocation), optimizer, checkpoint=path,
        checkpoint_seconds=0, callback=lambda *_: time.sleep(0.02),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("optimizer", "allocation"),
    [(ShotFrugal, "equal"), (ShotFrugal, "weighted"), (ARCMAES, "equal"), (UHCMAES, "equal")],
)
def test_killed_in_the_middle_and_resumed_is_the_uninterrupted_run(optimizer, allocation, tmp_path):
    path = tmp_path / "run"
    process = start(run_slowly, optimizer, allocation, path)
    wait_for_jobs(process, path, 4)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert 0 < load(path)["ledger"].fields["spent"] < 0.9 * BUDGET  # really in the middle

    def estimator():
        return ShotEstimator(seed=6, allocation=allocation)

    resumed = run_vqe(estimator(), optimizer, checkpoint=path, resume=True)
    same(resumed, run_vqe(estimator(), optimizer))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_stopped_and_resumed_with_a_wrapped_estimator(optimizer, tmp_path):
    """Seeded through the wrapper, other people's estimators go on bit for bit too."""

    def estimator():
        return ShotEstimator(StatevectorEstimator(), seed=6)

    class Killed(BaseException):
        """Stands for what no handler catches."""

    def stop(nfev, *_):
        if nfev > 12:
            raise Killed

    def run(**arguments):
        return run_vqe(estimator(), optimizer, budget=20_000, shots=40, **arguments)

    path = tmp_path / "run"
    with pytest.raises(Killed):
        run(checkpoint=path, checkpoint_seconds=0, callback=stop)
    same(run(checkpoint=path, resume=True), run())


def test_a_finished_run_stays_finished(tmp_path):
    """Killed after the optimizer returned: nothing is spent again, the result is the same."""
    path = tmp_path / "run"
    first = run_vqe(ShotEstimator(seed=6), checkpoint=path)
    again = ShotEstimator(seed=6)
    same(run_vqe(again, checkpoint=path, resume=True), first)
    assert again.ledger.shots == first.shots
    with pytest.raises(CheckpointError, match="already holds a run; pass resume=True"):
        run_vqe(ShotEstimator(seed=6), checkpoint=path)


def service_estimator(*script, **options):
    service = EstimatorService(seed=8).misbehave()
    estimator = ShotEstimator(service, sleep=lambda _: None, **options)
    estimator.run([(ANSATZ, H2, START)])  # the seed check is over
    service.misbehave(*script)
    return service, estimator


@pytest.mark.parametrize("trouble", ["refuse", "fail", "hang", "lose a pub", "lose a point"])
def test_failed_jobs_are_tried_again(trouble):
    _, troubled = service_estimator("work", trouble, trouble, "work", trouble, retries=2)
    before = troubled.ledger.shots
    result = run_vqe(troubled, budget=FEW, shots=50)
    assert troubled.ledger.failures == 3
    assert result.shots == troubled.ledger.shots - before <= FEW
    assert result.failures == 0


def test_then_it_is_raised_with_the_state_saved_and_resume_goes_on(tmp_path):
    path = tmp_path / "run"
    script = ["work"] * 4 + ["fail"] * 3  # the first job is two: the proof of the loss, its plan
    _, estimator = service_estimator(*script, retries=2)
    with pytest.raises(JobFailedError, match=r"failed 3 times.*raise retries") as caught:
        run_vqe(estimator, budget=BUDGET, shots=50, checkpoint=path, checkpoint_seconds=1e9)
    so_far = caught.value.result
    assert so_far.stop is Stop.FAILED
    assert len(so_far.history) == 3
    _, fresh = service_estimator()
    result = run_vqe(fresh, budget=BUDGET, shots=50, checkpoint=path, resume=True)
    for name in result.history.columns:  # nothing evaluated was lost
        np.testing.assert_array_equal(result.history[name][:3], so_far.history[name])
    assert so_far.shots < result.shots <= BUDGET
    assert np.isfinite(result.fun)


def test_nan_ranks_last_and_is_counted():
    _, estimator = service_estimator("work", "nan", "work", "nan")
    result = run_vqe(estimator, budget=FEW, shots=50)
    assert result.failures == 2
    assert np.isfinite(result.x).all()
    assert np.isfinite(result.fun)


class AllNan(EstimatorService):
    def run(self, pubs, *, precision=None):
        job = super().run(pubs, precision=precision)
        for one in job.result():
            one.data.evs[...] = np.nan
        return job


def test_nothing_but_nan_is_an_error():
    estimator = ShotEstimator(AllNan().misbehave(), gaussian=True)
    estimator._engine._checked = True  # the probe would be the first to see it
    with pytest.raises(OracleError, match="values of a job are NaN"):
        run_vqe(estimator)


def test_points_split_over_jobs_are_one_generation():
    service, estimator = service_estimator(max_points_per_job=3)
    result = run_vqe(estimator, budget=FEW, shots=50)
    assert max(service.points) <= 3
    assert len(service.jobs) > result.jobs
    assert result.shots <= FEW


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_algorithm_that_minimises_twice_has_two_checkpoints(tmp_path):
    start = QuantumCircuit(2)
    start.x(0)
    # the second term turns what the first leaves, so that the gradients stay large
    operator = SparsePauliOp(["ZI", "XI", "IZ", "IX", "XX"], [1.0, 0.7, -0.6, 0.5, 0.4])
    ansatz = EvolvedOperatorAnsatz([SparsePauliOp("YI"), SparsePauliOp("IY")], initial_state=start)

    def solve(resume):
        estimator = ShotEstimator(seed=6)
        chosen = ShotFrugal(
            5000, primitive=estimator, seed=5, checkpoint=tmp_path / "run", resume=resume
        )
        adapt = AdaptVQE(VQE(estimator, ansatz, chosen), max_iterations=2)
        return adapt.compute_minimum_eigenvalue(operator)

    first = solve(resume=False)
    assert {each.name for each in tmp_path.iterdir()} == {"run", "run.2"}
    assert solve(resume=True).eigenvalue == first.eigenvalue
