"""Families of growing size: their references hold, and their depth stays the same."""

import numpy as np
import pytest

from qiskit_arcmaes.problems import DEVELOPMENT_PROBLEMS, PROBLEMS, SCALING_PROBLEMS, get_problem
from qiskit_arcmaes.problems.scaling import SIZES, family_and_size

SMALL = [name for name in SCALING_PROBLEMS if family_and_size(name)[1] <= 8]


def test_names_are_apart_and_tell_family_and_size() -> None:
    assert not {*SCALING_PROBLEMS} & {*PROBLEMS, *DEVELOPMENT_PROBLEMS}
    assert not any(family_and_size(name) for name in (*PROBLEMS, *DEVELOPMENT_PROBLEMS))
    found = {family_and_size(name) for name in SCALING_PROBLEMS}
    assert found == {(family, n) for family in ("ising", "heisenberg", "qaoa") for n in SIZES}


@pytest.mark.parametrize("name", SCALING_PROBLEMS)
def test_reference_holds(name: str) -> None:
    problem = get_problem(name)
    assert problem.name == name
    assert problem.num_qubits == family_and_size(name)[1]
    energies, gradients = problem.energy_and_gradient(problem.best_parameters)
    assert energies[0] == pytest.approx(problem.best_energy, abs=1e-9)
    assert np.abs(gradients).max() < 1e-4
    assert problem.ground_energy <= problem.best_energy + 1e-9
    start = problem.start(np.random.default_rng(1))
    assert problem.energy(start)[0] > problem.best_energy + 0.05 * problem.num_qubits


def test_parameters_grow_in_line_on_chains_and_not_on_graphs() -> None:
    dims = {name: get_problem(name).dim for name in SCALING_PROBLEMS}
    assert [dims[f"ising_n{n}"] for n in SIZES] == [2 * (2 * n - 1) for n in SIZES]
    assert [dims[f"heisenberg_n{n}"] for n in SIZES] == [3 * n for n in SIZES]
    assert {dims[f"qaoa_n{n}"] for n in SIZES} == {4}


@pytest.mark.parametrize("name", SMALL)
def test_the_ground_energy_is_that_of_the_matrix(name: str) -> None:
    problem = get_problem(name)
    lowest = np.linalg.eigvalsh(problem.operator.to_matrix())[0]
    assert problem.ground_energy == pytest.approx(lowest, abs=1e-9)
