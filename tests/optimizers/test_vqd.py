"""VQD on primitives that are not shot-controlled: it goes on from the recommendation there too."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQD
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ShotFrugal


@pytest.mark.filterwarnings("ignore")
def test_points_and_eigenvalues_are_those_of_the_optimizer():
    """VQD's own: the lowest value seen, less the overlaps of the first point of that batch."""
    ansatz = real_amplitudes(2, reps=0)
    optimizer = ShotFrugal(max_shots=100, seed=1)
    fidelity = ComputeUncompute(StatevectorSampler(default_shots=500))
    solver = VQD(
        StatevectorEstimator(default_precision=0.1), fidelity, ansatz, optimizer, k=2,
        betas=[4.0, 4.0], initial_point=np.full(2, 0.4),
    )  # fmt: skip
    found = solver.compute_eigenvalues(SparsePauliOp(["ZZ", "XI", "IX"], [1.0, 0.5, 0.4]))
    for point, value, result in zip(
        found.optimal_points, found.eigenvalues, found.optimizer_results, strict=True
    ):
        np.testing.assert_array_equal(point, result.x)
        assert value == result.fun
