"""Measure what reading a circuit takes: from the QuantumCircuit to cones, classes and frequencies.

Run it as ``python bench/reading.py [--largest QUBITS]``. Times are CPU seconds, best of some
repeats; the last column is the ratio to one evaluation of a VQE with 8 qubits on the built-in
estimator, a thousand shots per measurement group.
"""

from __future__ import annotations

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded

import numpy as np
from _circuits import cpu_seconds, heisenberg
from qiskit import QuantumCircuit
from qiskit.circuit.library import efficient_su2, qaoa_ansatz
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.primitives import ShotEstimator
from qiskit_arcmaes.rotations import analyse, best_rule, expand


def ring_with_chords(qubits: int) -> SparsePauliOp:
    """The cost of MaxCut on a 3-regular graph of an even number of nodes."""
    half = qubits // 2
    links = [("ZZ", [q, (q + 1) % qubits], 1.0) for q in range(qubits)]
    links += [("ZZ", [q, q + half], 1.0) for q in range(half)]
    return SparsePauliOp.from_sparse_list(links, qubits)


def hardware_efficient(qubits: int, reps: int) -> tuple[QuantumCircuit, SparsePauliOp]:
    """A brickwork circuit on a chain."""
    return efficient_su2(qubits, reps=reps, entanglement="pairwise"), heisenberg(qubits)


def qaoa(qubits: int, reps: int) -> tuple[QuantumCircuit, SparsePauliOp]:
    """QAOA on a 3-regular graph."""
    operator = ring_with_chords(qubits)
    return qaoa_ansatz(operator, reps=reps), operator


def evaluation_seconds() -> float:
    """One evaluation of a VQE with 8 qubits."""
    circuit, operator = hardware_efficient(8, 2)
    estimator = ShotEstimator(shots=1000, seed=1)
    pub = (circuit, operator, np.linspace(-1, 1, circuit.num_parameters))
    return cpu_seconds(lambda: estimator.run([pub]).result(), 10)


def report(name: str, circuit: QuantumCircuit, operator: SparsePauliOp, unit: float) -> None:
    """Print one line of the table."""
    repeats = 3 if circuit.size() < 2000 else 1
    form = read(circuit, operator)
    if not form:
        print(f"{name:28s} not known: {form}")
        return
    reading = cpu_seconds(lambda: read(circuit, operator), repeats)
    analysis = analyse(form)
    analysing = cpu_seconds(lambda: analyse(form), repeats)
    zeros = np.zeros(form.num_parameters)
    expanding = cpu_seconds(lambda: expand(form, zeros), repeats)
    points = max((len(best_rule(spectrum).shifts) for spectrum in analysis.spectra), default=0)
    print(
        f"{name:28s} {circuit.size():6d} {form.num_rotations:9d} {form.num_parameters:6d} "
        f"{analysis.cones.mean():6.2f} {len(analysis.classes):7d} {points:6d} "
        f"{reading:8.3f} {analysing:9.3f} {expanding:9.3f} "
        f"{(reading + analysing + expanding) / unit:7.1f}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--largest", type=int, default=100, help="most qubits, default 100")
    largest = parser.parse_args().largest
    unit = evaluation_seconds()
    print(f"one VQE evaluation with 8 qubits: {1e3 * unit:.1f} ms")
    print(
        f"{'circuit':28s} {'gates':>6s} {'rotations':>9s} {'params':>6s} {'cone':>6s} "
        f"{'classes':>7s} {'points':>6s} {'reading':>8s} {'analysing':>9s} {'expanding':>9s} "
        f"{'ratio':>7s}"
    )
    sizes = [(4, 2), (8, 2), (12, 4), (20, 8), (50, 10), (100, 10), (100, 34)]
    for qubits, reps in sizes:
        if qubits <= largest:
            report(f"brickwork {qubits}, {reps} layers", *hardware_efficient(qubits, reps), unit)
    for qubits, reps in [(8, 1), (8, 3), (12, 2), (20, 1), (20, 3), (100, 1), (100, 3)]:
        if qubits <= largest:
            report(f"QAOA {qubits}, p = {reps}", *qaoa(qubits, reps), unit)


if __name__ == "__main__":
    main()
