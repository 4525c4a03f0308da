"""Where tasks run: in this process, or on any ``concurrent.futures.Executor``.

Processes of this machine are one here, the workers of a Dask cluster one in ``cluster``.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any

from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import Task

Workers = Callable[[Sequence[Task], int], Iterator[Record]]
"""Takes tasks and the root seed; yields their outcomes in any order."""

_WAITING = 2  # tasks handed out per process: the next one is there when one ends


def local_workers(jobs: int) -> Workers:
    """Workers on this machine.

    Args:
        jobs: Processes, >= 1. One runs the tasks in the process that calls.

    Returns:
        A function for ``run_sweep``. When a process is killed, the tasks that it had run again; a
        loss before any task is finished ends the sweep.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}.")
    if jobs > 1:
        return _Processes(jobs)
    return lambda tasks, root_seed: (run_task(task, root_seed) for task in tasks)


def outcomes(
    executor: futures.Executor, tasks: Sequence[Task], root_seed: int, window: int
) -> Iterator[Record]:
    """Run tasks on an executor; their outcomes come in the order in which they end.

    Args:
        executor: Runs them.
        tasks: What to run.
        root_seed: The sweep's root seed.
        window: Tasks that are handed out at a time, >= 1.
    """
    submitted = (executor.submit(run_task, task, root_seed) for task in tasks)  # when asked for
    running = set(itertools.islice(submitted, window))
    while running:
        done, running = futures.wait(running, return_when=futures.FIRST_COMPLETED)
        running |= set(itertools.islice(submitted, len(done)))
        for future in done:
            yield future.result()


class _Processes:
    """Processes that serve one sweep after another, and are made anew where they broke.

    At an error nothing that they run is awaited.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: _Pool | None = None

    def __call__(self, tasks: Sequence[Task], root_seed: int) -> Iterator[Record]:
        left = dict.fromkeys(tasks)
        while left:
            before = len(left)
            pool = self._pool = self._pool or _Pool(self._jobs)
            try:
                for record in outcomes(pool, list(left), root_seed, _WAITING * self._jobs):
                    del left[record.task]
                    yield record
            except BaseException as error:
                self._pool = None
                pool.kill()
                killed = isinstance(error, futures.BrokenExecutor)  # left has all that it had
                if not killed or len(left) == before:
                    raise


class _Pool(futures.ProcessPoolExecutor):
    """Processes that never get an interrupt, which reaches all processes of a terminal.

    Attributes:
        children: The processes.
    """

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs, multiprocessing.get_context("spawn"), _begin_process)
        self.children: set[BaseProcess] = set()

    def submit(self, *call: Any, **kwargs: Any) -> futures.Future[Any]:
        """Hand a call to a process; one is started where none is idle."""
        before = set(multiprocessing.active_children())
        with _held_interrupts():
            future = super().submit(*call, **kwargs)
        self.children |= set(multiprocessing.active_children()) - before
        return future

    def kill(self) -> None:
        """End without waiting for what runs."""
        self.shutdown(wait=False, cancel_futures=True)
        for child in self.children:
            child.kill()
            child.join()


@contextmanager
def _held_interrupts() -> Iterator[None]:
    """Interrupts wait until the end; processes started meanwhile never get one."""
    if sys.platform == "win32":  # no signal masks; processes ignore it once they have started
        yield
        return
    resource_tracker.ensure_running()  # which, when it starts, lets interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process outlives no runner, however that ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
