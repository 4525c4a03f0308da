"""Measurement groups: nothing lost, everything in one basis, and why this order."""

import numpy as np
import pytest
from qiskit.quantum_info import Statevector

from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.problems.grouping import measurement_groups


@pytest.mark.parametrize("name", ["h2", "lih", "h4", "ising6", "hubbard4", "ucc_beh2"])
def test_groups_add_up_and_commute_qubit_wise(name: str) -> None:
    operator = get_problem(name).operator
    groups = measurement_groups(operator)
    terms = [term for group in groups for term in group.to_list()]
    assert sorted(terms, key=str) == sorted(operator.to_list(), key=str)
    for group in groups:
        for letters in zip(*group.paulis.to_labels(), strict=True):
            assert len(set(letters) - {"I"}) <= 1


def test_sorted_insertion_needs_fewer_shots_than_colouring() -> None:
    problem = get_problem("lih")
    coloured = problem.operator.group_commuting(qubit_wise=True)
    assert problem.groups == len(coloured)
    state = Statevector(problem.ansatz.assign_parameters(problem.best_parameters)).data
    other = sum(_variance(group.to_matrix(), state) for group in coloured)
    assert problem.variances(problem.best_parameters)[0] * 1.5 < other


def _variance(matrix: np.ndarray, state: np.ndarray) -> float:
    image = matrix @ state
    return float((np.vdot(image, image) - np.vdot(state, image) ** 2).real)
