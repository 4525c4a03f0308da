"""Run a sweep: what is missing in the store, on this machine or on a cluster, and nothing twice."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import platform
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from importlib import metadata
from typing import Any

from joblib.externals.loky import get_reusable_executor

from qiskit_arcmaes.bench.experiments import Experiment
from qiskit_arcmaes.bench.store import Record, Store
from qiskit_arcmaes.bench.work_units import WorkUnit, run_work_unit, work_units_of

Watch = Callable[[int, int], None]
Workers = Callable[[Sequence[WorkUnit], int], Iterator[Record]]

PACKAGES = (
    "qiskit-arcmaes",
    "numpy",
    "scipy",
    "qiskit",
    "qiskit-algorithms",
    "cma",
    "cmaes",
    "joblib",
    "distributed",
)
"""Whose versions a store tells."""

_WAITING = 2  # units handed out for each process


def run_sweep(
    experiment: Experiment,
    directory: str | os.PathLike[str],
    *,
    root_seed: int = 1,
    workers: Workers | None = None,
    watch: Watch | None = None,
    command: str = "",
) -> Store:
    """Run an experiment, or what an interrupted sweep in the same directory has left to run.

    Args:
        experiment: What to run.
        directory: Where the store is, or will be.
        root_seed: All random numbers follow from it, >= 0.
        workers: Takes units of tasks and the root seed and yields the outcomes of the tasks in any
            order; default: one process, see ``local_workers``.
        watch: Called as ``watch(done, total)`` before the first and after every task.
        command: The command line, for the store's description.

    Returns:
        The finished store.

    Raises:
        StoreError: The directory holds something else, or a sweep with other settings.

    Example:
        >>> import tempfile
        >>> from qiskit_arcmaes.bench.experiments import Grid
        >>> grid = Grid(("function:sphere",), (500,), ("frugal",), (2,), (1.0,))
        >>> demo = Experiment("demo", "A demonstration", (), (grid,), runs=2)
        >>> with tempfile.TemporaryDirectory() as place:
        ...     len(run_sweep(demo, place).runs())
        2
    """
    tasks = experiment.tasks()
    store = Store.resume(directory, describe(experiment, root_seed, command))
    if store.finished:
        return store
    missing = [task for task in tasks if not store.has(task)]
    units = work_units_of(missing, experiment.timed)
    units.sort(key=_shuffled)  # long and short ones mixed: the time left can be told
    done = len(tasks) - len(missing)
    watch = watch or (lambda done, total: None)
    watch(done, len(tasks))
    outcomes = (workers or local_workers(1))(units, root_seed)
    with contextlib.closing(outcomes):  # type: ignore[type-var]
        for record in outcomes:
            store.add(record)
            done += 1
            watch(done, len(tasks))
    store.finish()
    return store


def local_workers(jobs: int) -> Workers:
    """Workers on this machine.

    Args:
        jobs: Processes, >= 1. One runs the tasks in the process that calls.

    Returns:
        A function for ``run_sweep``. When a process is killed, the tasks that it took with it run
        again; a loss before any unit of tasks is finished ends the sweep.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}.")
    return _run_here if jobs == 1 else functools.partial(_run_in_processes, jobs)


def _run_here(units: Sequence[WorkUnit], root_seed: int) -> Iterator[Record]:
    for unit in units:
        yield from run_work_unit(unit, root_seed)


def _run_in_processes(jobs: int, units: Sequence[WorkUnit], root_seed: int) -> Iterator[Record]:
    left = {unit.key: unit for unit in units}
    while left:
        before = len(left)
        try:
            for unit, records in _outcomes(list(left.values()), root_seed, jobs):
                del left[unit.key]
                yield from records
        except BrokenExecutor:  # a process was killed; all that it had are still in left
            if len(left) == before:
                raise


def _outcomes(
    units: Sequence[WorkUnit], root_seed: int, jobs: int
) -> Iterator[tuple[WorkUnit, list[Record]]]:
    """Keep some units handed out to joblib's processes; the pool is made anew where it broke."""
    pool = get_reusable_executor(max_workers=jobs, initializer=_ignore_interrupts)
    queue = iter(units)
    running: dict[Future[list[Record]], WorkUnit] = {}

    def submit(count: int) -> None:
        for unit in itertools.islice(queue, count):
            running[pool.submit(run_work_unit, unit, root_seed)] = unit

    submit(_WAITING * jobs)
    try:
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            ended = [(running.pop(future), future) for future in done]
            submit(len(ended))
            for unit, future in ended:
                yield unit, future.result()
    finally:
        if running:  # interrupted: what is running is not waited for
            pool.shutdown(wait=True, kill_workers=True)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal; the one that runs the sweep handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def describe(experiment: Experiment, root_seed: int, command: str) -> dict[str, Any]:
    """What a store says about its sweep."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "shows": list(experiment.shows),
        "notes": list(experiment.notes),
        "command": command,
        "settings": experiment.settings(),
        "root_seed": root_seed,
        "versions": versions(),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
        },
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _shuffled(unit: WorkUnit) -> str:
    return hashlib.sha256(unit.key.encode()).hexdigest()
