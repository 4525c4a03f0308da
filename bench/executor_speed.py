"""How much faster a job of the built-in estimator is on several processes, result unchanged."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

import _common  # noqa: F401  (first: one thread)
import numpy as np
from _common import arguments
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes import ShotEstimator


def job(qubits: int, points: int, executor: Executor | None) -> tuple[float, Any]:
    """The seconds of one job, the fastest of three, and its values."""
    ansatz = efficient_su2(qubits, reps=2)
    operator = SparsePauliOp(["Z" * qubits, "X" * qubits, "Y" * qubits])
    where = np.random.default_rng(1).uniform(-3, 3, (points, ansatz.num_parameters))
    estimator = ShotEstimator(seed=1, executor=executor)
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        values = estimator.run([(ansatz, operator, where)]).result()[0].data.evs
        seconds.append(time.perf_counter() - begin)
    return min(seconds), values


def main() -> None:
    """Print seconds alone and spread, and their ratio."""
    chosen = arguments(__doc__, workers=os.cpu_count() or 2, points=64, fewest=8, most=16)
    context = multiprocessing.get_context("spawn")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; a ratio needs idle ones")
    print(f"{'qubits':>7}{'alone, s':>10}{'spread, s':>11}{'ratio':>7}  same bits")
    with ProcessPoolExecutor(chosen.workers, context) as executor:
        for qubits in range(chosen.fewest, chosen.most + 1, 2):
            alone, values = job(qubits, chosen.points, None)
            spread, same = job(qubits, chosen.points, executor)
            equal = bool((values == same).all())
            times = f"{alone:10.3f}{spread:11.3f}{alone / spread:7.2f}"
            print(f"{qubits:7}{times}  {equal}", flush=True)


if __name__ == "__main__":
    main()
