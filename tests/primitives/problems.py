"""Small circuits and observables with exact answers."""

from __future__ import annotations

import numpy as np
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp, Statevector

CIRCUIT = efficient_su2(3, reps=1)
OPERATOR = SparsePauliOp(["ZZI", "IXX", "YIY", "IZI", "III"], [1.0, 0.5, 0.3, -0.2, 2.0])  # 3 bases
BASES = 3
ISING = SparsePauliOp.from_sparse_list(
    [("ZZ", [0, 1], 0.5), ("ZZ", [1, 2], 1.0), ("ZZ", [0, 3], 0.7), ("Z", [2], 0.3)], 4
)


def some_points(count, circuit=CIRCUIT, seed=0):
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, circuit.num_parameters))


def exact(circuit, operator, points):
    return np.array(
        [
            Statevector(circuit.assign_parameters(point)).expectation_value(operator).real
            for point in points
        ]
    )
