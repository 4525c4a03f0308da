"""Where work units run: in this process, in processes of this machine, or wherever an executor is.

Everything that runs more than one unit at a time is a ``concurrent.futures.Executor``: joblib's
processes here, a Dask cluster in ``cluster``.
"""

from __future__ import annotations

import functools
import itertools
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from multiprocessing import resource_tracker

from joblib.externals.loky import get_reusable_executor

from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.work_units import WorkUnit, run_work_unit

Workers = Callable[[Sequence[WorkUnit], int], Iterator[Record]]
"""Takes work units and the root seed; yields the outcomes of their tasks in any order."""

_WAITING = 2  # units handed out per process: the next one is there when one ends


def local_workers(jobs: int) -> Workers:
    """Workers on this machine.

    Args:
        jobs: Processes, >= 1. One runs the tasks in the process that calls.

    Returns:
        A function for ``run_sweep``. When a process is killed, the tasks that it had run again; a
        loss before any work unit is finished ends the sweep.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}.")
    return _run_here if jobs == 1 else functools.partial(_run_in_processes, jobs)


def outcomes(
    executor: Executor, units: Sequence[WorkUnit], root_seed: int, window: int
) -> Iterator[tuple[WorkUnit, list[Record]]]:
    """Run work units on an executor, in the order in which they end.

    Args:
        executor: Runs them.
        units: What to run.
        root_seed: The sweep's root seed.
        window: Units that are handed out at a time, >= 1.

    Returns:
        Each unit with its records.
    """
    queue = iter(units)
    running: dict[Future[list[Record]], WorkUnit] = {}

    def submit(count: int) -> None:
        for unit in itertools.islice(queue, count):
            running[executor.submit(run_work_unit, unit, root_seed)] = unit

    submit(window)
    while running:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        ended = [(running.pop(future), future) for future in done]
        submit(len(ended))
        for unit, future in ended:
            yield unit, future.result()


def _run_here(units: Sequence[WorkUnit], root_seed: int) -> Iterator[Record]:
    for unit in units:
        yield from run_work_unit(unit, root_seed)


def _run_in_processes(jobs: int, units: Sequence[WorkUnit], root_seed: int) -> Iterator[Record]:
    left = {unit.key: unit for unit in units}
    while left:
        before = len(left)
        try:
            with _processes(jobs) as pool:
                for unit, records in outcomes(
                    pool, list(left.values()), root_seed, _WAITING * jobs
                ):
                    del left[unit.key]
                    yield from records
        except BrokenExecutor:  # a process was killed; all that it had are still in left
            if len(left) == before:
                raise


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Joblib's processes, made anew where they broke; at an error nothing that runs is awaited."""
    pool = get_reusable_executor(max_workers=jobs, initializer=_ignore_interrupts)
    try:
        with _held_interrupts():
            pool.submit(_ignore_interrupts)  # starts the processes
        yield pool
    except BaseException:
        pool.shutdown(wait=True, kill_workers=True)
        raise


@contextmanager
def _held_interrupts() -> Iterator[None]:
    """Interrupts wait until the end; processes started meanwhile never get one.

    Ctrl-C reaches all processes of a terminal, and the one that runs the sweep handles it.
    """
    if sys.platform == "win32":  # no signal masks; processes ignore it once they have started
        yield
        return
    resource_tracker.ensure_running()  # which, when it starts, lets interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
