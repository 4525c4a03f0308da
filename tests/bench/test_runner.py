import contextlib
import multiprocessing
import os
import signal

import pandas
import psutil
import pytest

from qiskit_arcmaes.bench.executors import local_workers
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.store import Store, StoreError
from tests.bench.sweeps import slow_experiment, small_experiment, tables


class InterruptedSweepError(Exception):
    """Stands for whatever ends a sweep in the middle."""


def stop_after(count):
    def watch(done, total):
        if done == count:
            raise InterruptedSweepError

    return watch


def test_one_process_two_processes_and_interrupted_are_byte_identical(tmp_path):
    experiment, two = small_experiment(runs=1), local_workers(2)
    run_sweep(experiment, tmp_path / "one", root_seed=3)
    run_sweep(experiment, tmp_path / "two", root_seed=3, workers=two)
    for count in (4, 9):
        with pytest.raises(InterruptedSweepError):
            run_sweep(experiment, tmp_path / "cut", root_seed=3, watch=stop_after(count))
    run_sweep(experiment, tmp_path / "cut", root_seed=3, workers=two)
    assert tables(tmp_path / "one") == tables(tmp_path / "two") == tables(tmp_path / "cut")
    other = run_sweep(experiment, tmp_path / "other", root_seed=4)
    assert tables(other.directory) != tables(tmp_path / "one")


def test_only_what_is_missing_runs(tmp_path):
    experiment = small_experiment(runs=1)
    with pytest.raises(InterruptedSweepError):
        run_sweep(experiment, tmp_path / "s", watch=stop_after(5))
    ran = []

    def counting(tasks, root_seed):
        ran.extend(tasks)
        return local_workers(1)(tasks, root_seed)

    run_sweep(experiment, tmp_path / "s", workers=counting)
    assert len(ran) == len(experiment.tasks()) - 5
    ran.clear()
    store = run_sweep(experiment, tmp_path / "s", workers=counting)
    assert ran == []
    assert len(store.table("runs")) == len(experiment.tasks())


def test_with_more_runs_the_first_ones_stay_the_same(tmp_path):
    few, more = (
        run_sweep(small_experiment(runs=runs), tmp_path / str(runs), root_seed=3) for runs in (1, 2)
    )
    for name in ("runs", "trajectories"):
        first = more.table(name).query("run < 1").reset_index(drop=True)
        pandas.testing.assert_frame_equal(first, few.table(name))


def test_a_killed_process_loses_and_doubles_nothing(tmp_path):
    """One of two workers is killed, surely in the middle of a task: there is always a next one."""
    experiment, others = slow_experiment(), set(multiprocessing.active_children())
    killed = []

    def kill_one(done, total):
        if done == 3 and not killed:
            killed.append((set(multiprocessing.active_children()) - others).pop().pid)
            os.kill(killed[0], signal.SIGKILL)

    told = []

    def counting(tasks, root_seed):
        for record in local_workers(2)(tasks, root_seed):
            told.append(record.task.key)
            yield record

    run_sweep(experiment, tmp_path / "killed", workers=counting, watch=kill_one)
    assert killed
    assert not psutil.pid_exists(killed[0])
    assert sorted(told) == sorted(task.key for task in experiment.tasks())
    run_sweep(experiment, tmp_path / "whole")
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_other_settings_in_the_same_directory_are_refused(tmp_path):
    run_sweep(slow_experiment(runs=1, budget=300), tmp_path / "s")
    with pytest.raises(StoreError, match="runs = 1, not 2; give the same settings"):
        run_sweep(slow_experiment(runs=2, budget=300), tmp_path / "s")


def test_the_description_tells_how_it_was_made(tmp_path):
    store = run_sweep(slow_experiment(runs=1, budget=300), tmp_path / "s", command="arcmaes x")
    told = store.description
    assert told["command"] == "arcmaes x"
    assert told["root_seed"] == 1
    assert told["settings"]["runs"] == 1
    assert {"python", "numpy", "qiskit-arcmaes"} <= set(told["versions"])
    assert told["machine"]["cores"] == os.cpu_count()


def test_jobs_must_be_positive():
    with pytest.raises(ValueError, match="jobs must be at least 1, not 0"):
        local_workers(0)


def test_a_damaged_file_is_told_before_anything_runs(tmp_path):
    experiment = slow_experiment(runs=1, budget=300)
    with pytest.raises(InterruptedSweepError):
        run_sweep(experiment, tmp_path / "s", watch=stop_after(2))
    damaged = tmp_path / "s" / "sweep.sqlite"
    damaged.write_bytes(damaged.read_bytes()[:-5000])

    def nobody(tasks, root_seed):
        pytest.fail("work was handed out")

    with pytest.raises(StoreError, match=f"{damaged.name}.* is damaged"):
        run_sweep(experiment, tmp_path / "s", workers=nobody)
    damaged.unlink()
    run_sweep(experiment, tmp_path / "s")
    run_sweep(experiment, tmp_path / "whole")
    assert tables(tmp_path / "s") == tables(tmp_path / "whole")


def test_a_second_runner_on_one_store_is_refused_by_name(tmp_path):
    experiment = slow_experiment(runs=1, budget=300)
    refused = []

    def run_it_too(done, total):
        with pytest.raises(StoreError, match=f"process {os.getpid()} on .* writes to") as caught:
            run_sweep(experiment, tmp_path / "s")
        refused.append(caught.value)

    run_sweep(experiment, tmp_path / "s", watch=run_it_too)
    assert len(refused) == 1 + len(experiment.tasks())
    run_sweep(experiment, tmp_path / "whole")
    assert tables(tmp_path / "s") == tables(tmp_path / "whole")


@pytest.fixture
def _python_handles_interrupts():
    """As in a process of its own; pytest's workers have a handler of theirs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_python_handles_interrupts")
def test_an_interrupt_that_a_method_swallows_stops_the_sweep_and_stores_nothing(tmp_path):
    """As a method may do to return what it has so far: a truncated run."""

    def swallowing(tasks, root_seed):
        for task in tasks:
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            yield run_task(task, root_seed)

    with pytest.raises(KeyboardInterrupt):
        run_sweep(slow_experiment(runs=1, budget=300), tmp_path / "s", workers=swallowing)
    assert Store.open(tmp_path / "s").done() == set()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_callers_own_is_left_alone(tmp_path):
    heard = []

    def signalling(tasks, root_seed):
        signal.raise_signal(signal.SIGINT)
        return local_workers(1)(tasks, root_seed)

    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        run_sweep(slow_experiment(runs=1, budget=300), tmp_path / "s", workers=signalling)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]
