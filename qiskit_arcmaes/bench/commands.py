"""What ``arcmaes bench`` does, one function for each word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qiskit_arcmaes.bench.catalog import EXPERIMENTS, get_experiment
from qiskit_arcmaes.bench.compare import compare, comparison_table
from qiskit_arcmaes.bench.executors import Workers, local_workers
from qiskit_arcmaes.bench.experiments import Changes, Experiment
from qiskit_arcmaes.bench.progress import sweep_progress
from qiskit_arcmaes.bench.reuse import Reuse
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.store import Store
from qiskit_arcmaes.registry import METHODS

ALL = "all"
"""Stands for every experiment, each in a directory of its own."""


def list_experiments() -> str:
    """One line for each experiment.

    Example:
        >>> print(list_experiments().splitlines()[0].split()[0])
        noiseless
    """
    width = max(map(len, EXPERIMENTS))
    return "\n".join(
        f"{name.ljust(width)}  {experiment.title}" for name, experiment in EXPERIMENTS.items()
    )


def run_experiments(
    name: str,
    *,
    changes: Changes | None = None,
    quick: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    out: str | None = None,
    root_seed: int = 1,
    command: str = "",
    reuse: str | None = None,
    anew: Sequence[str] = tuple(METHODS),
) -> list[Store]:
    """Run an experiment, or all.

    Args:
        name: One of ``EXPERIMENTS``, or ``all``.
        changes: Settings to replace; they win over ``quick``.
        quick: Whether to take each experiment's quick settings.
        jobs: Processes on this machine, >= 1; unused with ``scheduler``.
        scheduler: Address of a Dask scheduler whose workers run the tasks.
        out: Directory of the store (for ``all``: of the stores); default: ``out/bench/NAME``,
            with ``-quick`` for quick ones.
        root_seed: All random numbers follow from it, >= 0.
        command: The command line, for the stores' descriptions.
        reuse: Directory of an earlier sweep (for ``all``: of the sweeps) whose outcomes are taken
            over, see ``Reuse``.
        anew: Methods that run again all the same, named without their settings.

    Returns:
        The finished stores.
    """
    names = list(EXPERIMENTS) if name == ALL else [name]
    chosen = [_settled(get_experiment(each), changes or Changes(), quick) for each in names]
    for experiment in chosen:
        experiment.check()
    place = Path(out) if out is not None else Path("out/bench") / (name + "-quick" * quick)
    workers = _workers(jobs, scheduler)
    stores = []
    for experiment in chosen:
        folder = experiment.name if name == ALL else ""
        earlier = None if reuse is None else Reuse(Store.open(Path(reuse) / folder), anew)
        with sweep_progress(experiment.name) as progress:
            stores.append(
                run_sweep(
                    experiment,
                    place / folder,
                    root_seed=root_seed,
                    workers=workers,
                    watch=progress,
                    command=command,
                    reuse=earlier,
                )
            )
    return stores


def compare_stores(first: str, second: str) -> str:
    """A table of two sweeps side by side.

    Args:
        first: Directory of a sweep, called A in the table.
        second: Directory of the other, called B.
    """
    return comparison_table(compare(Store.open(first), Store.open(second)))


def _settled(experiment: Experiment, changes: Changes, quick: bool) -> Experiment:
    return (experiment.quickened() if quick else experiment).changed(changes)


def _workers(jobs: int, scheduler: str | None) -> Workers:
    if scheduler is None:
        return local_workers(jobs)
    from qiskit_arcmaes.bench.cluster import cluster_workers

    return cluster_workers(scheduler)
