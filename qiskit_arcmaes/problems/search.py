"""The lowest energy a circuit can reach, by noise-free descents from many random starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit
from qiskit.quantum_info import SparsePauliOp
from scipy.optimize import minimize

from qiskit_arcmaes.problems.simulator import build_program, sparse_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Best:
    """What the search found.

    Attributes:
        energy: The lowest energy.
        parameters: The point that has it, shape (d,).
        energies: Where every descent ended, sorted, shape (starts,).
    """

    energy: float
    parameters: Array
    energies: Array


def search_best(
    operator: SparsePauliOp,
    ansatz: QuantumCircuit,
    start_range: Array,
    *,
    starts: int,
    seed: int,
    max_iterations: int = 2000,
) -> Best:
    """Descend with exact gradients (BFGS) from ``starts`` uniform random points.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> h2 = get_problem("h2")
        >>> best = search_best(h2.operator, h2.ansatz, h2.start_range, starts=3, seed=1)
        >>> bool(abs(best.energy - h2.best_energy) < 1e-9)
        True
    """
    program, matrix = build_program(ansatz), sparse_matrix(operator)

    def energy_and_gradient(point: Array) -> tuple[float, Array]:
        energies, gradients = program.gradients(point[None], matrix)
        return float(energies[0]), gradients[0]

    rng = np.random.default_rng(seed)
    runs = [
        minimize(
            energy_and_gradient,
            rng.uniform(start_range[:, 0], start_range[:, 1]),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-9, "maxiter": max_iterations},
        )
        for _ in range(starts)
    ]
    best = min(runs, key=lambda run: float(run.fun))
    return Best(float(best.fun), np.asarray(best.x), np.sort([float(run.fun) for run in runs]))
