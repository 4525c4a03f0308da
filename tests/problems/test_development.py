"""The development set is usable, known, and apart from what is reported."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.problems import DEVELOPMENT_PROBLEMS, PROBLEMS, get_problem


def test_names_are_apart() -> None:
    assert all(name.startswith("dev_") for name in DEVELOPMENT_PROBLEMS)
    assert not any(name.startswith("dev_") for name in PROBLEMS)


@pytest.mark.parametrize("name", DEVELOPMENT_PROBLEMS)
def test_reference_holds(name: str) -> None:
    problem = get_problem(name)
    energies, gradients = problem.energy_and_gradient(problem.best_parameters)
    assert problem.name == name
    assert energies[0] == pytest.approx(problem.best_energy, abs=1e-10)
    assert np.abs(gradients).max() < 1e-4
    start = problem.start(np.random.default_rng(1))
    assert problem.energy(start)[0] > problem.best_energy + 0.01


def test_no_operator_is_a_reported_one() -> None:
    reported = [get_problem(name).operator.simplify() for name in PROBLEMS]
    for name in DEVELOPMENT_PROBLEMS:
        operator = get_problem(name).operator.simplify()
        assert not any(operator.equiv(other) for other in reported if len(other) == len(operator))


@pytest.mark.parametrize("name", ["dev_ucc_h3plus", "dev_qaoa6_p2_ramp", "dev_halves4"])
def test_the_oracle_measures_it(name: str) -> None:
    problem = get_problem(name)
    oracle = ShotOracle(problem, seed=3)
    point = problem.start(np.random.default_rng(2))
    estimate = oracle.evaluate([point], shots=4000)
    assert oracle.circuit is not None
    assert estimate.variances is not None
    spread = 6 * estimate.variances[0] ** 0.5 + 1e-12
    assert abs(estimate.values[0] - problem.energy(point)[0]) < spread
