"""How much faster a job of the built-in estimator is on several processes, result unchanged.

The ratio of the seconds needs idle cores. The bound beside it does not. It is the processor time of
a job in one process over the least time that a spread job can take: that of its parent, of one of
its workers, or of all of them together divided by the cores.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import _common  # noqa: F401  (first: one thread)
import numpy as np
import psutil
from _common import arguments
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes import ShotEstimator

REPEATS = 3


@dataclass(frozen=True)
class Cost:
    """Seconds of the fastest job, and mean processor time of this process and of the workers."""

    seconds: float
    parent: float
    workers: float


def processor_time(executor: Executor | None) -> float:
    """Of all workers so far."""
    pids: Any = list(getattr(executor, "_processes", None) or ())
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return sum(each.user + each.system for each in times)


def job(qubits: int, points: int, executor: Executor | None) -> tuple[Cost, Any]:
    """What a job costs, and its values."""
    ansatz = efficient_su2(qubits, reps=2)
    operator = SparsePauliOp(["Z" * qubits, "X" * qubits, "Y" * qubits])
    where = np.random.default_rng(1).uniform(-3, 3, (points, ansatz.num_parameters))
    estimator = ShotEstimator(seed=1, executor=executor)
    estimator.run([(ansatz, operator, where)]).result()  # starts workers, translates the circuit
    parent, workers, seconds = time.process_time(), processor_time(executor), []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        values = estimator.run([(ansatz, operator, where)]).result()[0].data.evs
        seconds.append(time.perf_counter() - begin)
    parent, workers = time.process_time() - parent, processor_time(executor) - workers
    return Cost(min(seconds), parent / REPEATS, workers / REPEATS), values


def least_time(cost: Cost, workers: int) -> float:
    """The least time that a spread job can take on this machine, in seconds."""
    together = (cost.parent + cost.workers) / (os.cpu_count() or 1)
    return max(cost.parent, cost.workers / workers, together)


def main() -> None:
    """Print seconds alone and spread, their ratio, and its bound."""
    chosen = arguments(__doc__, workers=os.cpu_count() or 2, points=64, fewest=8, most=16)
    context = multiprocessing.get_context("spawn")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; a ratio needs idle ones")
    print(f"{'':7}{'seconds':>20}{'':8}{'processor time, s':>24}")
    print(
        f"{'qubits':>7}{'alone':>10}{'spread':>10}{'ratio':>8}"
        f"{'alone':>8}{'parent':>8}{'workers':>8}{'bound':>7}  same bits"
    )
    with ProcessPoolExecutor(chosen.workers, context) as executor:
        for qubits in range(chosen.fewest, chosen.most + 1, 2):
            alone, values = job(qubits, chosen.points, None)
            spread, same = job(qubits, chosen.points, executor)
            equal = bool((values == same).all())
            times = f"{alone.seconds:10.3f}{spread.seconds:10.3f}"
            used = f"{alone.parent:8.3f}{spread.parent:8.3f}{spread.workers:8.3f}"
            bound = alone.parent / least_time(spread, chosen.workers)
            ratio = f"{alone.seconds / spread.seconds:8.2f}"
            print(f"{qubits:7}{times}{ratio}{used}{bound:7.2f}  {equal}", flush=True)


if __name__ == "__main__":
    main()
