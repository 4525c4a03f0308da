"""Attacks on sweeps: kills, interrupts, two runners on one store, damaged stores, lost workers."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.store import Record, Store, StoreError
from qiskit_arcmaes.bench.store.database import FILE

from .harness import expect, promise
from .processes import end, fork, kill_after, send_after

TABLES = ("runs.csv", "trajectories.csv")
REFUSED = 7  # exit code of a runner that is refused by name


def _experiment() -> Experiment:
    functions = Grid(
        ("function:sphere", "function:trid"), (400,), ("frugal", "cma"), dims=(2,), noise=(1.0,)
    )
    single = Grid(("function:ellipsoid",), (400,), ("lra:10@1",), dims=(2,), noise=(1.0,))
    return Experiment("attacked", "A small sweep", (), (functions, single), runs=2)


def _tables(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in TABLES}


_whole: dict[int, tuple[dict[str, bytes], float]] = {}


def _draw(rng: np.random.Generator, folder: Path) -> tuple[int, dict[str, bytes], float]:
    """A root seed, the tables of its sweep, and how long it took."""
    seed = int(rng.integers(1, 9))
    if seed not in _whole:
        began = time.monotonic()
        run_sweep(_experiment(), folder / "whole", root_seed=seed)
        _whole[seed] = _tables(folder / "whole"), time.monotonic() - began
    return seed, *_whole[seed]


def _expect_finished(directory: Path, seed: int, tables: dict[str, bytes]) -> None:
    run_sweep(_experiment(), directory, root_seed=seed)
    expect(_tables(directory) == tables, "the tables differ from those of an undisturbed sweep")
    left = [each.name for each in directory.iterdir() if each.name.startswith(".")]
    expect(not left, f"the store holds {left}")


@promise("sweep", "A sweep ended by SIGKILL or Ctrl-C goes on to byte-identical tables", 1.9)
def survive_end(rng: np.random.Generator, folder: Path) -> int:
    """Ended once or twice at random moments."""
    seed, tables, seconds = _draw(rng, folder)
    store, killed = folder / "store", 0
    for _ in range(int(rng.integers(1, 3))):
        after = seconds * rng.uniform(0.1, 1.2)
        if rng.random() < 0.6:
            killed += kill_after(lambda: run_sweep(_experiment(), store, root_seed=seed), after)
        else:
            child = fork(lambda: run_sweep(_experiment(), store, root_seed=seed))
            code = send_after(child, signal.SIGINT, after)
            expect(code in (0, 130), f"an interrupted sweep ended with {code}")
    _expect_finished(store, seed, tables)
    return killed


@promise("runners", "Of two runners on one store the second is refused by name", 1.9)
def share_store(rng: np.random.Generator, folder: Path) -> None:
    """Two at about the same time; one finishes, and the tables are those of a single runner."""
    seed, tables, seconds = _draw(rng, folder)
    store = folder / "store"

    def run() -> None:
        try:
            run_sweep(_experiment(), store, root_seed=seed)
        except StoreError as error:
            sys.exit(REFUSED if str(store) in str(error) and "process" in str(error) else 1)

    first = fork(run)
    time.sleep(seconds * rng.uniform(0, 0.6))
    second = fork(run)
    codes = sorted([end(first), end(second)])
    expect(codes in ([0, 0], [0, REFUSED]), f"the runners ended with {codes}")
    expect(_tables(store) == tables, "the tables differ from those of one runner")


class EnoughError(Exception):
    """Ends a sweep in its middle."""


def _watch(done: int, total: int) -> None:
    if done == 4:
        raise EnoughError


@promise("store", "A damaged store is refused by name, and no table leaves its folder", 1.9)
def refuse_damage(rng: np.random.Generator, folder: Path) -> None:
    """The file is cut or replaced in the middle of a sweep; a table asks for a place outside."""
    seed, tables, _ = _draw(rng, folder)
    directory = folder / "store"
    if rng.random() < 0.3:
        _expect_inside(rng, directory, seed)
        return

    with contextlib.suppress(EnoughError):
        run_sweep(_experiment(), directory, root_seed=seed, watch=_watch)
    outcomes = directory / FILE
    content = outcomes.read_bytes()
    place = int(rng.integers(len(content)))
    outcomes.write_bytes(content[:place] if rng.random() < 0.7 else rng.bytes(40))
    try:
        run_sweep(_experiment(), directory, root_seed=seed)
    except StoreError as error:
        expect(outcomes.name in str(error), f"the message names no file: {error}")
        outcomes.unlink()
    _expect_finished(directory, seed, tables)


def _expect_inside(rng: np.random.Generator, directory: Path, seed: int) -> None:
    with contextlib.suppress(EnoughError):
        run_sweep(_experiment(), directory, root_seed=seed, watch=_watch)
    name = str(rng.choice(["../x", "../../x", "/tmp/x", "a/b", "..", "", ".x", "x\\..\\y"]))
    before = sorted(directory.parent.rglob("*"))
    store, task = Store.open(directory), _experiment().tasks()[-1]
    for leave in (
        lambda: store.table(name),
        lambda: store.add(Record(task, None, tables={name: [{"a": 1}]})),
    ):
        try:
            leave()
            expect(False, f"a table named {name!r} was accepted")
        except ValueError as error:
            expect(repr(name) in str(error), f"the message does not name it: {error}")
    expect(sorted(directory.parent.rglob("*")) == before, "files were made")


_cluster: list[Any] = []


def _scheduler() -> Any:
    """A cluster of two processes, started once."""
    if not _cluster:
        import dask

        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        from distributed import LocalCluster

        context = multiprocessing.get_context("forkserver")  # new workers need no imports
        context.set_forkserver_preload(["distributed", "qiskit_arcmaes.bench.solve"])
        _cluster.append(
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        )
    return _cluster[0]


@promise("dask", "A sweep whose Dask worker is killed loses and doubles nothing", 1.9)
def lose_worker(rng: np.random.Generator, folder: Path) -> int:
    """A worker gets SIGKILL at a random moment; the scheduler gives its work to another."""
    from qiskit_arcmaes.bench.cluster import cluster_workers

    seed, tables, _ = _draw(rng, folder)
    cluster = _scheduler()
    moment, killed = int(rng.integers(0, 6)), []

    def watch(done: int, total: int) -> None:
        if done >= moment and not killed:
            running = [each.pid for each in cluster.workers.values() if each.pid is not None]
            if running:  # the last one that was killed may not have been replaced yet
                killed.append(int(rng.choice(running)))
                os.kill(killed[0], signal.SIGKILL)

    workers = cluster_workers(cluster.scheduler_address)
    run_sweep(_experiment(), folder / "store", root_seed=seed, workers=workers, watch=watch)
    expect(_tables(folder / "store") == tables, "the tables differ")
    return len(killed)
