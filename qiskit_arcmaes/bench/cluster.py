"""Workers on a Dask cluster: the same tasks, the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from distributed import Client

from qiskit_arcmaes.bench.description import versions
from qiskit_arcmaes.bench.executors import Workers, outcomes
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import Task

_WAITING = 4  # tasks handed out per thread of the cluster, since the way there takes time
_TIMEOUT = 20  # seconds to wait for the scheduler
_MUST_AGREE = ("python", "qiskit-arcmaes", "numpy", "scipy")  # for the same numbers to come out


def cluster_workers(scheduler: str) -> Workers:
    """Workers of a cluster that is running.

    Args:
        scheduler: Address of its scheduler, as ``tcp://host:8786``.

    Returns:
        A function for ``run_sweep``. What a worker loses when it dies, the scheduler gives to
        another.
    """

    def work(tasks: Sequence[Task], root_seed: int) -> Iterator[Record]:
        try:
            client = Client(scheduler, timeout=_TIMEOUT)
        except OSError as error:
            raise ValueError(
                f"scheduler = {scheduler!r} does not answer; start one with 'dask scheduler' and "
                "give its address."
            ) from error
        with client:
            check_versions(client, versions())
            window = _WAITING * max(sum(client.nthreads().values()), 1)
            executor = client.get_executor(pure=False)
            yield from outcomes(executor, tasks, root_seed, window)

    return work


def check_versions(client: Client, mine: Mapping[str, str]) -> None:
    """Refuse workers whose packages could give other numbers.

    Args:
        client: Connected to the cluster.
        mine: The versions of this process.

    Raises:
        RuntimeError: A worker has other versions; the message names them.
    """
    answers = client.run(versions, on_error="ignore")  # one that has just died computes nothing
    for worker, theirs in answers.items():
        for name in _MUST_AGREE:
            if theirs.get(name) != mine.get(name):
                raise RuntimeError(
                    f"worker {worker} has {name} {theirs.get(name)}, this process {mine.get(name)};"
                    " the numbers could differ: install the same versions."
                )
