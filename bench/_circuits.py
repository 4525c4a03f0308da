"""What the bench scripts about circuits share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from qiskit.quantum_info import SparsePauliOp


def cpu_seconds(work: Callable[[], Any], repeats: int) -> float:
    """CPU seconds of the fastest of some repeats, after one that fills the caches."""
    work()
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def heisenberg(qubits: int) -> SparsePauliOp:
    """An open Heisenberg chain: three measurement groups."""
    links = [(axis * 2, [q, q + 1], 1.0) for q in range(qubits - 1) for axis in "XYZ"]
    return SparsePauliOp.from_sparse_list(links, qubits)
