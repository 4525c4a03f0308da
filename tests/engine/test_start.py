"""A start that is the result of an earlier run."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, Settings, ShotFrugal, get_function, minimize
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.prepare import prepare
from qiskit_arcmaes.problems import get_problem

SPHERE = get_function("sphere", 3)


def oracle():
    return GaussianOracle(SPHERE, seed=1)


@pytest.fixture(scope="module")
def earlier():
    return minimize(oracle(), np.full(3, 2.0), max_shots=5000, seed=1)


def test_its_point_is_the_start_and_its_last_radius_the_first_step(earlier):
    setup = prepare(oracle(), earlier, Settings(max_shots=5000)).method.setup
    np.testing.assert_array_equal(setup.start, earlier.x)
    assert setup.sigma0 == setup.trust_radius == earlier.radius == earlier.history["radius"][-1]


def test_sigma0_that_is_given_wins(earlier):
    setup = prepare(oracle(), earlier, Settings(max_shots=5000, sigma0=0.7)).method.setup
    assert setup.sigma0 == setup.trust_radius == 0.7


def test_minimize_goes_on_from_it(earlier):
    arguments = {"max_shots": 3000, "seed": 2}
    again = minimize(oracle(), earlier, **arguments)
    same = minimize(oracle(), earlier.x, sigma0=earlier.radius, **arguments)
    np.testing.assert_array_equal(again.x, same.x)
    assert again.fun == same.fun


def test_so_do_the_optimizers():
    optimizer = ShotFrugal(3000, seed=1)
    earlier = optimizer.minimize(oracle(), [2.0] * 3)
    again = optimizer.minimize(oracle(), earlier)
    same = minimize(oracle(), earlier.run_result, max_shots=3000, seed=1)
    np.testing.assert_array_equal(again.x, same.x)
    optimizer.start(oracle(), earlier)
    np.testing.assert_array_equal(optimizer.state.x, earlier.x)


@pytest.mark.parametrize("radius", [0.0, np.nan, np.inf])
def test_a_radius_that_is_none_leaves_the_default(earlier, radius):
    history = History()
    history.append({"radius": radius})
    for none in (replace(earlier, history=history), replace(earlier, history=History())):
        assert none.radius is None
        setup = prepare(oracle(), none, Settings(max_shots=5000)).method.setup
        assert setup.trust_radius is None
        assert setup.sigma0 == pytest.approx(0.2 * np.pi)


def test_a_result_outside_the_bounds_is_refused(earlier):
    with pytest.raises(ValueError, match=r"x0\[0\] = .* lies outside its bounds"):
        minimize(oracle(), earlier, max_shots=3000, bounds=[(1.5, 2)] * 3)


def test_what_it_learned_of_the_scatter_divides_the_first_shots():
    problem = get_problem("h2")
    arguments = {"max_shots": 4000, "seed": 1}
    earlier = minimize(ShotOracle(problem, seed=1), np.full(4, 0.3), **arguments)
    state = prepare(ShotOracle(problem), earlier, Settings(**arguments)).method.state
    np.testing.assert_array_equal(state.scatter.variances, earlier.scatter)
    other = replace(earlier, scatter=np.ones((4, 7)))  # of other measurement groups
    state = prepare(ShotOracle(problem), other, Settings(**arguments)).method.state
    assert state.scatter.variances.shape == earlier.scatter.shape
    assert not np.isin(state.scatter.variances, earlier.scatter).all()
