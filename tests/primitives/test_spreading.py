"""The circuits of a batch over processes, threads and a Dask cluster: always the same result."""

import multiprocessing
import os
import signal
import time
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import numpy as np
import pytest
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

from qiskit_arcmaes import ShotEstimator, ShotFrugal
from qiskit_arcmaes.primitives.exact_estimator import ExactEstimator
from qiskit_arcmaes.primitives.spreading import LostWorkersWarning

ANSATZ = efficient_su2(4, reps=1)
OPERATOR = SparsePauliOp(["ZZII", "IXXI", "IIYZ", "ZIII", "XIXX"], [1.0, 0.5, -0.3, 0.2, 0.7])
POINTS = np.random.default_rng(1).uniform(-3, 3, (13, ANSATZ.num_parameters))


def values(executor, **options):
    estimator = ShotEstimator(seed=7, shots=50, executor=executor, **options)
    first = estimator.run([(ANSATZ, OPERATOR, POINTS)]).result()[0].data
    second = estimator.run([(ANSATZ, OPERATOR, POINTS[:3])]).result()[0].data
    return np.concatenate([first.evs, first.stds, second.evs, second.stds])


def planned_run(executor):
    """VQE with ShotFrugal, which measures by group; every number that the run gives."""
    estimator = ShotEstimator(seed=1, executor=executor)
    optimizer = ShotFrugal(3000, primitive=estimator, max_jobs=6, seed=1)
    vqe = VQE(estimator, ANSATZ, optimizer, initial_point=np.full(ANSATZ.num_parameters, 0.3))
    result = vqe.compute_minimum_eigenvalue(OPERATOR).optimizer_result
    history = [result.history[name] for name in ("spent", "value", "value_std")]
    return np.concatenate([result.x, [result.fun, result.fun_std, result.shots], *history])


def processes(workers=2):
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("workers", [1, 2, 5, 12])
@pytest.mark.parametrize("allocation", ["equal", "weighted"])
def test_threads_give_the_same_bits(workers, allocation):
    with ThreadPoolExecutor(workers) as executor:
        spread = values(executor, allocation=allocation)
    np.testing.assert_array_equal(spread, values(None, allocation=allocation))


def test_the_run_to_compare_with_is_planned(monkeypatch):
    measured = []

    def measure(engine, task, ledger):
        measured.append(task.plan.total)
        return original(engine, task, ledger)

    original = ExactEstimator.measure
    monkeypatch.setattr(ExactEstimator, "measure", measure)
    planned_run(None)
    assert len(measured) > 1


def test_processes_give_the_same_bits_and_lost_ones_are_replaced():
    with processes() as executor:
        np.testing.assert_array_equal(values(executor), values(None))
        np.testing.assert_array_equal(planned_run(executor), planned_run(None))
        os.kill(executor.submit(os.getpid).result(), signal.SIGKILL)
        wait_until_broken(executor)
        with pytest.warns(LostWorkersWarning, match="new workers"):
            np.testing.assert_array_equal(values(executor), values(None))


def wait_until_broken(executor):
    """Until then the worker that is left may do all the work."""
    for _ in range(3000):
        try:
            executor.submit(os.getpid).result()
        except BrokenExecutor:
            return
        time.sleep(0.01)
    raise AssertionError("the executor has not noticed that a worker was killed")


class Dead(Executor):
    """Has lost its workers for good."""

    def submit(self, call, /, *args, **options):
        future = Future()
        future.set_exception(BrokenExecutor("all workers are gone"))
        return future


def test_a_dead_executor_leaves_the_work_to_this_process():
    with pytest.warns(LostWorkersWarning, match="this process"):
        np.testing.assert_array_equal(values(Dead()), values(None))


def test_a_local_dask_cluster_gives_the_same_bits():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        np.testing.assert_array_equal(values(executor), values(None))
        np.testing.assert_array_equal(planned_run(executor), planned_run(None))


def test_marginals_do_not_depend_on_how_many_points_are_taken_together():
    """Sums over unmeasured qubits, in every pattern: what the same bits rely on."""
    from qiskit_arcmaes.primitives.states import probabilities

    rng = np.random.default_rng(2)
    states = rng.normal(size=(7, 32)) + 1j * rng.normal(size=(7, 32))
    for pattern in range(1, 32):
        axes = "".join("XYZ"[q % 3] if pattern >> q & 1 else "I" for q in range(5))
        ((_, whole),) = probabilities(states, [axes])
        for low in range(0, 6, 2):
            ((_, part),) = probabilities(states[low : low + 2], [axes])
            np.testing.assert_array_equal(whole[low : low + 2], part)


def test_bad_arguments():
    with pytest.raises(TypeError, match="get_executor"):
        ShotEstimator(executor="two")
    with pytest.raises(ValueError, match=r"executor=.*built-in"):
        ShotEstimator(backend=object(), executor=Dead())


def test_workers_lost_in_the_second_of_several_parts(monkeypatch):
    """Parts are handed over ahead: what was lost with the workers is run again, in order."""
    monkeypatch.setattr("qiskit_arcmaes.primitives.spreading.points_at_once", lambda qubits: 2)
    monkeypatch.setattr("qiskit_arcmaes.primitives.states.points_at_once", lambda qubits: 2)
    ansatz = efficient_su2(2, reps=1)
    points = np.linspace(0, 3, 8)[:, None] + np.arange(ansatz.num_parameters)
    pub = (ansatz, SparsePauliOp(["ZZ", "XI"]), points)
    alone = ShotEstimator(seed=1).run([pub]).result()[0].data.evs
    with pytest.warns(LostWorkersWarning, match="this process"):
        spread = ShotEstimator(seed=1, executor=Dying()).run([pub]).result()[0].data.evs
    np.testing.assert_array_equal(spread, alone)


class Dying(Executor):
    """Delivers the first part, and is lost in the second."""

    def __init__(self):
        self.left = 1

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        if self.left:
            future.set_result(function(*args, **kwargs))
        else:
            future.set_exception(BrokenExecutor("lost"))
        self.left = max(0, self.left - 1)
        return future
