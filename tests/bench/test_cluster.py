import os
import signal

import pytest
from distributed import Client, LocalCluster

from qiskit_arcmaes.bench import cluster
from qiskit_arcmaes.bench.cluster import check_versions, cluster_workers
from qiskit_arcmaes.bench.description import versions
from qiskit_arcmaes.bench.runner import run_sweep
from tests.bench.sweeps import slow_experiment, small_experiment, tables


@pytest.fixture(scope="module")
def local():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def test_dask_gives_the_same_store_as_one_process(tmp_path, local):
    experiment = small_experiment(runs=1)
    run_sweep(experiment, tmp_path / "here", root_seed=3)
    workers = cluster_workers(local.scheduler_address)
    run_sweep(experiment, tmp_path / "there", root_seed=3, workers=workers)
    assert tables(tmp_path / "here") == tables(tmp_path / "there")


def test_a_killed_worker_loses_and_doubles_nothing(tmp_path, local):
    """Tasks are waiting all the time, so the worker is killed in the middle of one."""
    experiment = slow_experiment()
    killed = []

    def kill_one(done, total):
        if done == 3:
            with Client(local.scheduler_address) as client:
                killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    told = []

    def counting(tasks, root_seed):
        for record in cluster_workers(local.scheduler_address)(tasks, root_seed):
            told.append(record.task.key)
            yield record

    run_sweep(experiment, tmp_path / "killed", workers=counting, watch=kill_one)
    assert len(killed) == 1
    assert sorted(told) == sorted(task.key for task in experiment.tasks())
    run_sweep(experiment, tmp_path / "whole")
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_workers_with_other_versions_are_refused(local):
    with Client(local.scheduler_address) as client:
        check_versions(client, versions())
        with pytest.raises(RuntimeError, match=r"worker tcp://.* has numpy .* process 0\.1"):
            check_versions(client, versions() | {"numpy": "0.1"})


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(cluster, "_TIMEOUT", 1)
    with pytest.raises(ValueError, match="does not answer"):
        next(cluster_workers("tcp://127.0.0.1:9")([], 1))
