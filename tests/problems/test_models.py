"""The lattice models and MaxCut keep what they promise."""

import numpy as np
import pytest
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems import get_problem, lattices, maxcut, maxcut_problem
from qiskit_arcmaes.problems.search import search_best
from qiskit_arcmaes.problems.simulator import sparse_matrix
from qiskit_arcmaes.problems.translation import build_program


def free_fermion_energy(sites: int) -> float:
    """Ground energy of the open Ising chain at the critical field, from its free fermions."""
    matrix = np.eye(sites) + np.eye(sites, k=1)
    return -float(np.linalg.svd(matrix, compute_uv=False).sum())


@pytest.mark.parametrize("sites", [6, 10])
def test_ising_energy_is_that_of_free_fermions(sites: int) -> None:
    energy = get_problem(f"ising{sites}").ground_energy
    assert energy == pytest.approx(free_fermion_energy(sites), abs=1e-9)


def test_heisenberg_starts_from_singlets() -> None:
    start = build_program(lattices.heisenberg_ansatz(6, 1)).states(np.zeros((1, 18)))
    energy = start[:, 0].conj() @ sparse_matrix(lattices.heisenberg_hamiltonian(6)) @ start[:, 0]
    assert energy.real == pytest.approx(-3 * 6 / 2)


def test_hubbard_without_repulsion_is_free_electrons() -> None:
    sites = 4
    matrix = sparse_matrix(lattices.hubbard_hamiltonian(sites, repulsion=0.0)).toarray()
    hopping = np.eye(sites, k=1) + np.eye(sites, k=-1)
    filled = np.linalg.eigvalsh(-hopping)[: sites // 2]
    assert np.linalg.eigvalsh(matrix)[0] == pytest.approx(2 * filled.sum())


def test_hubbard_circuit_keeps_both_numbers_of_electrons() -> None:
    problem = get_problem("hubbard4")
    points = np.random.default_rng(3).normal(size=(2, problem.dim))
    states = build_program(problem.ansatz).states(points)
    for spin in (range(4), range(4, 8)):
        terms = [("Z", [site], 1.0) for site in spin]
        magnetisation = sparse_matrix(SparsePauliOp.from_sparse_list(terms, num_qubits=8))
        np.testing.assert_allclose(magnetisation @ states, 0, atol=1e-12)


def test_hubbard_total_energy_is_that_of_the_usual_form() -> None:
    """At half filling U n_up n_down and the stored form differ by the shift only."""
    problem, sites, repulsion = get_problem("hubbard4"), 4, 4.0
    basis = np.arange(1 << (2 * sites))
    up, down = ((basis[:, None] >> np.arange(first, first + sites)) & 1 for first in (0, sites))
    half = (up.sum(axis=1) == sites // 2) & (down.sum(axis=1) == sites // 2)
    usual = repulsion * (up * down).sum(axis=1)
    stored = sparse_matrix(problem.operator).diagonal()
    np.testing.assert_allclose(usual[half], stored[half] + problem.shift)


@pytest.mark.parametrize("nodes", [4, 8, 14])
def test_random_graphs_are_regular(nodes: int) -> None:
    edges = maxcut.regular_graph(nodes, seed=nodes)
    assert len(set(edges)) == 3 * nodes // 2
    assert np.bincount(np.ravel(edges)).tolist() == [3] * nodes
    assert all(one < other for one, other in edges)
    assert edges == maxcut.regular_graph(nodes, seed=nodes)


def test_cut_energies_are_the_diagonal_of_the_hamiltonian() -> None:
    diagonal = sparse_matrix(maxcut.maxcut_hamiltonian(8, maxcut.EDGES_8)).diagonal()
    np.testing.assert_allclose(maxcut.cut_energies(8, maxcut.EDGES_8), diagonal)


def test_maxcut_of_any_size_has_references() -> None:
    problem = maxcut_problem(6, seed=2, reps=2, starts=6)
    assert problem.dim == 4
    assert problem.ground_energy == min(sparse_matrix(problem.operator).diagonal())
    assert problem.energy(problem.best_parameters)[0] == pytest.approx(problem.best_energy)
    assert problem.ground_energy <= problem.best_energy < -3 * 6 / 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nodes": 7}, "nodes must be even and at least 4, not 7"),
        ({"nodes": 2}, "nodes must be even and at least 4, not 2"),
        ({"nodes": 6, "reps": 0}, "reps must be at least 1, not 0"),
        ({"nodes": 6, "starts": 0}, "starts must be at least 1, not 0"),
    ],
)
def test_maxcut_refuses_nonsense(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        maxcut_problem(**arguments, seed=1)


@pytest.mark.parametrize(("name", "starts"), [("h2", 2), ("lih", 2)])
def test_search_finds_the_stored_best_energy(name: str, starts: int) -> None:
    problem = get_problem(name)
    best = search_best(problem, starts=starts, seed=11)
    assert best.energies[0] == best.energy
    assert best.energy == pytest.approx(problem.best_energy, abs=1e-6)
