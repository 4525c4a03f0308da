"""The named problems: their references hold, and their loss is the circuit's."""

from pathlib import Path

import numpy as np
import pytest
from qiskit.quantum_info import SparsePauliOp, Statevector
from scipy.sparse.linalg import eigsh

from qiskit_arcmaes.problems import (
    DEVELOPMENT_PROBLEMS,
    PROBLEMS,
    SCALING_PROBLEMS,
    Problem,
    get_problem,
)
from qiskit_arcmaes.problems import data as data_module
from qiskit_arcmaes.problems.grouping import measurement_groups
from qiskit_arcmaes.problems.simulator import sparse_matrix
from qiskit_arcmaes.problems.ucc import SPACES

SIZES = {
    "h2": (2, 4, 2),
    "lih": (4, 12, 25),
    "h4": (6, 24, 37),
    "ising6": (6, 44, 2),
    "ising10": (10, 76, 2),
    "heisenberg6": (6, 36, 3),
    "hubbard4": (8, 30, 3),
    "maxcut8": (8, 6, 1),
    "ising4": (4, 14, 2),
    "ising8": (8, 60, 2),
    "ucc_h2": (2, 3, 2),
    "ucc_lih": (4, 8, 25),
    "ucc_h4": (6, 26, 37),
    "ucc_beh2": (4, 8, 13),
    "controlled4": (4, 11, 2),
    "halves4": (4, 11, 2),
    "sums4": (4, 8, 2),
    "repeats4": (4, 6, 2),
    "h2_box3.5": (2, 4, 2),
    "h2_box2pi": (2, 4, 2),
    "ising4_box3.5": (4, 14, 2),
    "ising4_box2pi": (4, 14, 2),
    "qaoa_cubic8_p2_random": (8, 4, 1),
    "qaoa_sk6_p1_ramp": (6, 2, 1),
    "qaoa_weighted8_p4_random": (8, 8, 1),
    "qaoa_random7_p3_ramp": (7, 6, 1),
}
"""Qubits, parameters and measurement groups; of QAOA one for each graph."""


@pytest.fixture(scope="module", params=SIZES)
def problem(request: pytest.FixtureRequest) -> Problem:
    return get_problem(request.param)


def points(problem: Problem, count: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.array([problem.start(rng) for _ in range(count)])


def expectation(state: Statevector, operator: SparsePauliOp) -> float:
    return float(state.expectation_value(operator).real)


def test_size(problem: Problem) -> None:
    assert (problem.num_qubits, problem.dim, problem.groups) == SIZES[problem.name]
    assert problem.start_range.shape == (problem.dim, 2)


def test_ground_energy_is_the_lowest_eigenvalue(problem: Problem) -> None:
    matrix = sparse_matrix(problem.operator)
    if len(matrix.indptr) <= 300:
        lowest = np.linalg.eigvalsh(matrix.toarray())[0]
    else:
        lowest = eigsh(matrix, k=1, which="SA", v0=np.random.default_rng(1).random(matrix.shape[0]))
        lowest = lowest[0][0]
    assert problem.ground_energy == pytest.approx(lowest, abs=1e-9)


def test_best_parameters_have_the_best_energy(problem: Problem) -> None:
    energies, gradients = problem.energy_and_gradient(problem.best_parameters)
    assert energies[0] == pytest.approx(problem.best_energy, abs=1e-10)
    assert problem.best_energy >= problem.ground_energy - 1e-9
    assert np.abs(gradients).max() < 1e-4


def test_energies_equal_qiskits(problem: Problem) -> None:
    some = points(problem, 2) + 0.1
    exact = [
        expectation(Statevector(problem.ansatz.assign_parameters(point)), problem.operator)
        for point in some
    ]
    np.testing.assert_allclose(problem.energy(some), exact, atol=1e-11)


def test_variances_equal_qiskits(problem: Problem) -> None:
    point = points(problem, 1)[0]
    state = Statevector(problem.ansatz.assign_parameters(point))
    exact = [
        expectation(state, (group @ group).simplify()) - expectation(state, group) ** 2
        for group in measurement_groups(problem.operator)
    ]
    np.testing.assert_allclose(problem.group_variances(point)[0], exact, atol=1e-10)
    np.testing.assert_allclose(problem.variances(point)[0], sum(exact), atol=1e-10)


def test_energy_has_its_periods(problem: Problem) -> None:
    point = points(problem, 1)[0] + 0.1
    known = np.isfinite(problem.periods)
    shifted = point + np.diag(np.where(known, problem.periods, 0.0))
    np.testing.assert_allclose(problem.energy(shifted), problem.energy(point)[0], atol=1e-11)
    assert problem.bounds[0] == (-problem.periods[0] / 2, problem.periods[0] / 2)


def test_many_points_equal_single_ones(problem: Problem) -> None:
    some = points(problem, 12)
    single = np.concatenate([problem.energy(point) for point in some])
    np.testing.assert_allclose(problem.energy(some), single, atol=1e-12)


def test_starts_repeat_and_lie_in_their_range(problem: Problem) -> None:
    some = points(problem, 50)
    lower, upper = problem.start_range.T
    assert np.all((some >= lower) & (some <= upper))
    np.testing.assert_array_equal(some, points(problem, 50))


def test_no_points_have_no_energies() -> None:
    h2 = get_problem("h2")
    assert h2.energy(np.empty((0, 4))).shape == (0,)
    assert h2.variances(np.empty((0, 4))).shape == (0,)


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"h2, lih, .*, not 'h22'"):
        get_problem("h22")


def test_points_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(n, 4\) for the problem 'h2', not \(2, 3\)"):
        get_problem("h2").energy(np.zeros((2, 3)))


def test_every_data_file_is_read_by_a_problem() -> None:
    folder = Path(data_module.__file__).parent / "data"
    references = {path.stem.removeprefix("reference_") for path in folder.glob("reference_*")}
    assert references == {*PROBLEMS, *DEVELOPMENT_PROBLEMS, *SCALING_PROBLEMS}
    assert {path.stem.removeprefix("hamiltonian_") for path in folder.glob("hamiltonian_*")} == {
        *("h2", "lih", "h4", "beh2"),
        *("dev_h2", "dev_h3plus", "dev_lih"),
    }
    assert {path.stem.removeprefix("excitations_") for path in folder.glob("excitations_*")} == {
        space.name for space in SPACES
    }
    assert {path.stem for path in folder.glob("device_*")} == {"device_h2", "device_ising4"}


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in SIZES])
def test_best_parameters_of_all_others(name: str) -> None:
    problem = get_problem(name)
    assert problem.energy(problem.best_parameters)[0] == pytest.approx(problem.best_energy)


def test_informed_starts_are_not_drawn() -> None:
    for name in PROBLEMS:
        problem = get_problem(name)
        assert problem.informed == (name.startswith("ucc_") or name.endswith("_ramp"))
        if problem.informed:
            start = problem.start(np.random.default_rng(1))
            np.testing.assert_array_equal(start, problem.start(np.random.default_rng(2)))
            mean = problem.operator.to_matrix().trace().real / 2**problem.num_qubits
            assert problem.best_energy + 0.001 < problem.energy(start)[0] < mean


def test_bounds_of_boxes() -> None:
    assert get_problem("h2_box3.5").limits == (-3.5, 3.5)
    assert get_problem("h2").limits is None
