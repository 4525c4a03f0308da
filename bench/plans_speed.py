"""Measure planned measurement on the built-in estimator against ``run`` at the same points.

Run it as ``python bench/plans_speed.py``. A plan measures every group at every point, with parts
as light cones make them, or a third of the groups at each point. Times are CPU seconds, best of
some repeats, printed as the ratio of the plan to ``run`` with as many shots.
"""

from __future__ import annotations

import time

import numpy as np
from _circuits import cpu_seconds, heisenberg
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.oracles import MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.primitives import PrimitiveOracle
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.rotations.cones import parameter_classes


def make_plan(circuit: MeasuredCircuit, points: int, shots: int, share: float) -> MeasurementPlan:
    """Points with the parts of their class of parameters, and a share of all groups."""
    rng = np.random.default_rng(2)
    classes = parameter_classes(circuit.cones)
    parts = np.full((len(classes), len(circuit.groups)), -1)
    for row, members in zip(parts, classes, strict=True):
        for part, parameter in enumerate(members):
            row[circuit.cones[parameter]] = part
    table = rng.poisson(shots, (points, circuit.num_groups)) + 1
    table *= rng.uniform(size=table.shape) < share
    partition = np.arange(points) % len(classes)
    return MeasurementPlan(rng.uniform(-3, 3, (points, circuit.dim)), table, partition, parts)


def compare(name: str, ansatz: QuantumCircuit, operator: SparsePauliOp, points: int = 100) -> None:
    """Print how much longer planned measurement takes."""
    estimator = ShotEstimator(seed=1)

    def energy(x: np.ndarray) -> np.ndarray:
        return np.asarray(estimator.run([(ansatz, operator, x)]).result()[0].data.evs)

    x0 = np.zeros(ansatz.num_parameters)
    start = time.process_time()
    oracle = PrimitiveOracle(energy, [estimator], x0, vectorized=True)
    reading = time.process_time() - start
    assert oracle.circuit is not None
    groups = oracle.circuit.num_groups
    for shots in (10, 1000):
        plans = [make_plan(oracle.circuit, points, shots, share) for share in (1.0, 0.33)]
        oracle.price_plan(plans[0])
        run = cpu_seconds(lambda p=plans[0].points, n=shots: oracle.evaluate(p, n), 5)
        ratios = [
            cpu_seconds(lambda p=plan: (oracle.price_plan(p), oracle.measure(p)), 5) / run
            for plan in plans
        ]
        print(
            f"{name:24s} {groups:3d} groups, {points} points, {shots:5d} shots: run "
            f"{1e3 * run:7.1f} ms; plan / run {ratios[0]:.2f}, a third of the groups "
            f"{ratios[1]:.2f} (circuit read in {1e3 * reading:.0f} ms)"
        )


def main() -> None:
    """Run everything."""
    for qubits in (4, 8):
        compare(f"Heisenberg, {qubits} qubits", efficient_su2(qubits, reps=2), heisenberg(qubits))
    for name in ("h2", "lih", "h4"):
        problem = get_problem(name)
        compare(f"{name}, {problem.ansatz.num_qubits} qubits", problem.ansatz, problem.operator)


if __name__ == "__main__":
    main()
