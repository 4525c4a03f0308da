"""Measure the built-in primitives: speed against BackendEstimatorV2, and what weighting saves.

Run it as ``python bench/primitives_speed.py [--hamiltonians FILE]``. Speeds are printed as ratios
of CPU time, best of some repeats. The second part needs a JSON file of Hamiltonians,
``{name: {"coeffs": {Pauli string: number}}}``; it compares the variance of equal and weighted
allocation at equal shots, with weights learned from shots alone.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from _circuits import cpu_seconds, heisenberg
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import efficient_su2
from qiskit.primitives import BackendEstimatorV2
from qiskit.quantum_info import SparsePauliOp, Statevector
from qiskit_aer import AerSimulator
from qiskit_algorithms.optimizers import Optimizer, OptimizerResult

from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler


def compare_speed(qubits: int, points: int = 100, shots: int = 1024) -> None:
    """Print how much faster the built-in estimator is."""
    circuit, operator = efficient_su2(qubits, reps=2), heisenberg(qubits)
    values = np.random.default_rng(1).uniform(-3, 3, (points, circuit.num_parameters))
    pub = (circuit, operator, values)
    built_in = ShotEstimator(shots=shots, seed=1)
    baseline = BackendEstimatorV2(backend=AerSimulator(max_parallel_threads=1))  # its best here
    ours = cpu_seconds(lambda: built_in.run([pub]).result(), 5)
    theirs = cpu_seconds(
        lambda: baseline.run([pub], precision=1 / np.sqrt(shots - 0.5)).result(), 2
    )
    print(
        f"{qubits:2d} qubits, {points} points, {shots} shots: built-in {1e3 * ours:7.1f} ms CPU, "
        f"BackendEstimatorV2 {1e3 * theirs:8.1f} ms, ratio {theirs / ours:.1f}"
    )


def compare_threads(qubits: int, points: int = 100) -> None:
    """Print what Aer's default threads cost on small circuits."""
    circuit = efficient_su2(qubits, reps=2)
    values = np.random.default_rng(1).uniform(-3, 3, (points, circuit.num_parameters))
    binds = [{p: values[:, i].tolist() for i, p in enumerate(circuit.parameters)}]
    circuit.save_statevector()
    walls = []
    for simulator in (AerSimulator(), AerSimulator(max_parallel_threads=1)):
        simulator.run([circuit], parameter_binds=binds).result()
        start = time.perf_counter()
        for _ in range(5):
            simulator.run([circuit], parameter_binds=binds).result()
        walls.append(time.perf_counter() - start)
    print(f"{qubits:2d} qubits: wall time, Aer's default threads / one: {walls[0] / walls[1]:.2f}")


class _Once(Optimizer):  # type: ignore[misc]
    """Calls the loss on a batch a few times and keeps the best time."""

    def __init__(self, points: int) -> None:
        self.points, self.seconds = points, float("inf")

    def get_support_level(self) -> dict[str, int]:
        """Nothing is used but the start."""
        return dict.fromkeys(("gradient", "bounds", "initial_point"), 1)

    def minimize(self, fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> OptimizerResult:
        """Time the loss."""
        batch = np.tile(x0, (self.points, 1))
        self.seconds = cpu_seconds(lambda: fun(batch), 3)
        result = OptimizerResult()
        result.x, result.fun, result.nfev = np.asarray(x0), 0.0, self.points
        return result


def time_qaoa(qubits: int, points: int = 20) -> None:
    """Print the time of a batch of QAOA points, with and without the circuits as one."""
    from qiskit_aer.primitives import SamplerV2
    from qiskit_algorithms import QAOA

    ring = [("ZZ", [q, (q + 1) % qubits], 0.5) for q in range(qubits)]
    operator = SparsePauliOp.from_sparse_list(ring, qubits)
    print(f"{qubits:2d} qubits, QAOA reps=3, {points} points, 1024 shots:", end=" ")
    for name, sampler in (
        ("built-in", ShotSampler(seed=1)),
        ("around Aer's", ShotSampler(SamplerV2())),
    ):
        optimizer = _Once(points)
        QAOA(sampler, optimizer, reps=3, initial_point=[0.3] * 6).compute_minimum_eigenvalue(
            operator
        )
        print(f"{name} {1e3 * optimizer.seconds:.0f} ms CPU", end="  ")
    print()


def weighted_gain(name: str, operator: SparsePauliOp, points: int = 20, shots: int = 100) -> None:
    """Print how many times fewer shots weighting takes for the same variance, once it has learned.

    States of three kinds: a random ansatz, the ground state, and halfway between.
    """
    qubits = operator.num_qubits
    ground = np.linalg.eigh(operator.to_matrix())[1][:, 0]
    rng = np.random.default_rng(3)
    ansatz = efficient_su2(qubits, reps=1)
    angles = rng.uniform(-np.pi, np.pi, (points, ansatz.num_parameters))
    random = [Statevector(ansatz.assign_parameters(row)).data for row in angles]
    gains = []
    for share in (0.0, 0.5, 1.0):
        price = []
        for allocation in ("equal", "weighted"):
            estimator = ShotEstimator(shots=shots, seed=1, allocation=allocation)
            pubs = [
                (_prepare(np.sqrt(1 - share) * s + np.sqrt(share) * ground), operator)
                for s in random
            ]
            for _ in range(2):
                before = estimator.ledger.shots
                estimator.run(pubs).result()
            price.append(np.mean(estimator.last_variances) * (estimator.ledger.shots - before))
        gains.append(price[0] / price[1])
    told = ", ".join(f"{gain:.1f}" for gain in gains)
    print(f"{name:32s} shots saved on random / halfway / ground states: {told}")


def _prepare(state: np.ndarray) -> QuantumCircuit:
    circuit = QuantumCircuit(int(np.log2(len(state))))
    circuit.initialize(state / np.linalg.norm(state))
    return circuit


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hamiltonians", type=Path, help="JSON file of Hamiltonians")
    arguments = parser.parse_args()
    for qubits in (4, 8):
        compare_speed(qubits)
        compare_threads(qubits)
        time_qaoa(qubits)
    if arguments.hamiltonians:
        for name, entry in json.loads(arguments.hamiltonians.read_text()).items():
            weighted_gain(name, SparsePauliOp.from_list(list(entry["coeffs"].items())))


if __name__ == "__main__":
    main()
