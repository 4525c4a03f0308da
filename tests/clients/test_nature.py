"""qiskit-nature: ground states through its solvers, with a molecule from stored integrals."""

import numpy as np
import pytest

from qiskit_arcmaes import ShotEstimator, ShotFrugal

pytest.importorskip("qiskit_nature")

from qiskit_algorithms import VQE, AdaptVQE
from qiskit_nature.second_q.algorithms import GroundStateEigensolver
from qiskit_nature.second_q.circuit.library import UCCSD, HartreeFock
from qiskit_nature.second_q.hamiltonians import ElectronicEnergy
from qiskit_nature.second_q.mappers import ParityMapper
from qiskit_nature.second_q.problems import ElectronicStructureProblem

ENERGY = -1.8572750  # of the electrons, in hartree
BUDGET = 20_000


def hydrogen():
    """H2 at 0.735 angstrom in STO-3G: one- and two-electron integrals in hartree."""
    one = np.diag([-1.25633907, -0.47189601])
    two = np.zeros((2, 2, 2, 2))
    two[0, 0, 0, 0], two[1, 1, 1, 1] = 0.67571015, 0.69857372
    two[0, 0, 1, 1] = two[1, 1, 0, 0] = 0.66458173
    for place in ((0, 1, 0, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 1, 0)):
        two[place] = 0.18093120
    hamiltonian = ElectronicEnergy.from_raw_integrals(one, two)
    hamiltonian.nuclear_repulsion_energy = 0.7199689944
    problem = ElectronicStructureProblem(hamiltonian)
    problem.num_particles = (1, 1)
    return problem


PROBLEM = hydrogen()
MAPPER = ParityMapper(PROBLEM.num_particles)


def uccsd():
    orbitals, particles = PROBLEM.num_spatial_orbitals, PROBLEM.num_particles
    start = HartreeFock(orbitals, particles, MAPPER)
    return UCCSD(orbitals, particles, MAPPER, initial_state=start)


@pytest.mark.parametrize("adapt", [False, True])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_ground_state(adapt):
    estimator = ShotEstimator(seed=1)
    ansatz = uccsd()
    optimizer = ShotFrugal(BUDGET, primitive=estimator, seed=1)
    start = None if adapt else np.zeros(ansatz.num_parameters)
    solver = VQE(estimator, ansatz, optimizer, initial_point=start)
    if adapt:
        solver = AdaptVQE(solver, max_iterations=1)
        solver.supports_aux_operators = lambda: True
    result = GroundStateEigensolver(MAPPER, solver).solve(PROBLEM)
    found = result.raw_result.optimizer_result
    assert found.shots <= BUDGET
    assert result.groundenergy == pytest.approx(ENERGY, abs=5 * max(found.fun_std, 0.01))
    assert result.total_energies[0] == pytest.approx(result.groundenergy + 0.7199689944)
    assert estimator.shots == 1024  # what the auxiliary operators ran with
