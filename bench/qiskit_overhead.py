"""What the optimizer and the wrapper cost beside the simulation, and how long H2 takes.

Run it as ``python bench/qiskit_overhead.py [--seconds 10]``. Both parts print one line for each
measurement. The overhead is a ratio within one run: CPU time of VQE less the time of the evaluation
(Aer's simulation, the probabilities, the draws, and Qiskit's check of the pub, which any estimator
pays), over the whole. What remains is the optimizer, VQE around it, and the wrapper.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from qiskit.circuit.library import efficient_su2
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

from qiskit_arcmaes import ARCMAES, CMAES, ShotEstimator, ShotFrugal
from qiskit_arcmaes.primitives.exact_estimator import ExactEstimator
from qiskit_arcmaes.problems import get_problem


class Stopwatch:
    """CPU seconds spent inside one method of a class."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls = 0

    @contextmanager
    def on(self, owner: type, name: str) -> Iterator[None]:
        """Watch a method for a while."""
        original = getattr(owner, name)

        def watched(*args: Any) -> Any:
            start = time.process_time()
            try:
                return original(*args)
            finally:
                self.seconds += time.process_time() - start
                self.calls += 1

        setattr(owner, name, watched)
        try:
            yield
        finally:
            setattr(owner, name, original)


def heisenberg(qubits: int) -> SparsePauliOp:
    """An open Heisenberg chain: three measurement groups."""
    links = [(axis * 2, [q, q + 1], 1.0) for q in range(qubits - 1) for axis in "XYZ"]
    return SparsePauliOp.from_sparse_list(links, qubits)


def measure_overhead(optimizer: type, max_shots: int, seconds: float, qubits: int = 8) -> None:
    """Print the share of VQE's time that is not spent on evaluating."""
    ansatz = efficient_su2(qubits, reps=1)
    start = np.random.default_rng(1).uniform(-0.5, 0.5, ansatz.num_parameters)
    estimator = ShotEstimator(seed=1)
    chosen = optimizer(max_shots, primitive=estimator, shots=100, seed=1, max_seconds=seconds)
    vqe = VQE(estimator, ansatz, chosen, initial_point=start)
    evaluation, pubs, begin = Stopwatch(), Stopwatch(), time.process_time()
    with evaluation.on(ExactEstimator, "_measure"), pubs.on(EstimatorPub, "coerce"):
        result = vqe.compute_minimum_eigenvalue(heisenberg(qubits)).optimizer_result
    whole = time.process_time() - begin
    print(
        f"{optimizer.__name__:10s} {max_shots:.0e} shots, {qubits} qubits, "
        f"d = {len(start)}, "
        f"{result.jobs} jobs, {result.nfev} points: {1e3 * whole / result.jobs:6.2f} ms per job, "
        f"overhead {100 * (1 - (evaluation.seconds + pubs.seconds) / whole):5.2f}%, pubs "
        f"{100 * pubs.seconds / whole:4.2f}%"
    )


def time_h2(max_shots: int = 10**6) -> None:
    """Print the wall-clock time of a million shots on H2, and the first M."""
    problem = get_problem("h2")
    for kind in (ShotFrugal, ARCMAES):
        estimator = ShotEstimator(seed=1)
        optimizer = kind(max_shots, primitive=estimator, seed=1)
        point = problem.start(np.random.default_rng(1))
        vqe = VQE(estimator, problem.ansatz, optimizer, initial_point=point)
        begin = time.perf_counter()
        result = vqe.compute_minimum_eigenvalue(problem.operator).optimizer_result
        wall = time.perf_counter() - begin
        error = problem.energy(result.x)[0] - problem.best_energy
        print(
            f"H2, {kind.__name__}: {max_shots:,} shots in {wall:.1f} s, {result.jobs} "
            f"jobs, error {error:.1e}; first M = {result.history['shots'][0]:.0f}"
        )


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each run")
    seconds = parser.parse_args().seconds
    measure_overhead(ShotFrugal, 10**8, seconds)  # its surrogate phase begins within the time
    measure_overhead(ShotFrugal, 10**11, seconds)
    measure_overhead(ARCMAES, 10**11, seconds)
    measure_overhead(CMAES, 10**11, seconds)
    time_h2()


if __name__ == "__main__":
    main()
