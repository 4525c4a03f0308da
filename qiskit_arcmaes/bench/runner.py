"""Run a sweep: what is missing in the store, on this machine or on a cluster, and nothing twice."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from qiskit_arcmaes.bench.description import describe
from qiskit_arcmaes.bench.executors import Workers, local_workers
from qiskit_arcmaes.bench.experiments import Experiment
from qiskit_arcmaes.bench.reuse import Reuse
from qiskit_arcmaes.bench.store import Store, exclusive
from qiskit_arcmaes.bench.tasks import Task

Watch = Callable[[int, int], None]


def run_sweep(
    experiment: Experiment,
    directory: str | os.PathLike[str],
    *,
    root_seed: int = 1,
    workers: Workers | None = None,
    watch: Watch | None = None,
    command: str = "",
    reuse: Reuse | None = None,
) -> Store:
    """Run an experiment, or what an interrupted sweep in the same directory has left to run.

    Args:
        experiment: What to run.
        directory: Where the store is, or will be.
        root_seed: All random numbers follow from it, >= 0.
        workers: Runs the tasks; default: one process, see ``local_workers``.
        watch: Called as ``watch(done, total)`` before the first and after every task.
        command: The command line, for the store's description.
        reuse: Outcomes of an earlier sweep to take over; the store says which.

    Returns:
        The finished store.

    Raises:
        StoreError: The directory holds something else, a sweep with other settings, or a damaged
            file; or another process writes there.
        KeyboardInterrupt: An interrupt came. What was finished before is kept, and the same call
            goes on from there; the task that was interrupted leaves nothing.

    Example:
        >>> import tempfile
        >>> from qiskit_arcmaes.bench.experiments import Grid
        >>> grid = Grid(("function:sphere",), (500,), ("frugal",), (2,), (1.0,))
        >>> demo = Experiment("demo", "A demonstration", (), (grid,), runs=2)
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     len(run_sweep(demo, directory).table("runs"))
        2
    """
    tasks, description = experiment.tasks(), describe(experiment, root_seed, command)
    earlier = [] if reuse is None else reuse.records(tasks, root_seed)
    if reuse is not None:
        description["reused"] = reuse.origin(earlier)
    with exclusive(directory):
        store = Store.resume(directory, description)
        if not store.finished:
            known = store.done()
            for record in earlier:
                if record.task not in known:
                    store.add(record)
            _run_missing(tasks, store, root_seed, workers or local_workers(1), watch)
            store.finish()
    return store


def _run_missing(
    tasks: Sequence[Task], store: Store, root_seed: int, workers: Workers, watch: Watch | None
) -> None:
    missing = list(set(tasks) - store.done())
    # long and short ones mixed, so that the time left can be told
    missing.sort(key=lambda task: hashlib.sha256(task.key.encode()).digest())
    done = len(tasks) - len(missing)
    watch = watch or (lambda done, total: None)
    watch(done, len(tasks))
    outcomes = workers(missing, root_seed)
    with _recorded_interrupts() as received, contextlib.closing(outcomes):  # type: ignore[type-var]
        for record in outcomes:
            if received:
                raise KeyboardInterrupt
            store.add(record)
            done += 1
            watch(done, len(tasks))


@contextlib.contextmanager
def _recorded_interrupts() -> Iterator[list[int]]:
    """Record the numbers of all SIGINTs that Python would turn into a KeyboardInterrupt.

    A method may catch KeyboardInterrupt to return what it has so far; such a truncated result must
    not be stored. A handler of the caller's own is left alone, and so are other threads than the
    main one, which get no signals.
    """
    received: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield received
        return

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, record)
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
