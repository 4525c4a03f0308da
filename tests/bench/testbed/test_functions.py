"""Every function of the test-bed has the minimum that it claims, in all dimensions of the grid."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.testbed import DEVELOPMENT, REPORTING, TESTBED, draw_function

DIMS = (2, 5, 10, 20, 40)


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("name", TESTBED)
def test_nothing_is_below_the_minimum(name, dim):
    function = draw_function(name, dim, instance=3)
    assert function.optimum.shape == (dim,)
    assert float(function(function.optimum)) == pytest.approx(function.minimum, abs=1e-9)
    rng = np.random.default_rng(1)
    steps = rng.normal(size=(500, dim)) * 10 ** rng.uniform(-4, 1, (500, 1))
    starts = rng.uniform(function.lower, function.upper, (500, dim))
    assert np.all(function(function.optimum + steps) >= function.minimum - 1e-9)
    assert np.all(function(starts) >= function.minimum - 1e-9)
    assert np.median(function(starts)) > function.minimum + 0.1


@pytest.mark.parametrize("name", TESTBED)
def test_rows_are_evaluated_one_by_one(name):
    function = draw_function(name, 5, instance=2)
    points = np.random.default_rng(4).normal(size=(7, 5))
    values = function(points)
    assert values.shape == (7,)
    assert values == pytest.approx([float(function(point)) for point in points], rel=1e-9)


@pytest.mark.parametrize("name", TESTBED)
def test_values_far_away_are_finite(name):
    """A method that went astray gets numbers, which lead it back."""
    assert np.isfinite(draw_function(name, 40, instance=1)(np.full(40, 1e4)))


@pytest.mark.parametrize("name", TESTBED)
def test_the_instance_decides_the_function(name):
    one, same, other = (draw_function(name, 4, instance) for instance in (1, 1, 2))
    point = np.full(4, 0.7)
    assert one(point) == same(point)
    assert one(point) != other(point) or np.any(one.optimum != other.optimum)


def test_starts_do_not_tell_the_minimiser():
    """Starts are drawn from the same seed as the instance: the streams must differ."""
    starts, optima = [], []
    for instance in range(40):
        function = draw_function("bbob_sphere", 10, instance)
        starts.append(np.random.default_rng(instance).uniform(-4, 4, 10))
        optima.append(function.optimum)
    # 400 pairs of independent numbers: the correlation has standard deviation 0.05
    assert abs(np.corrcoef(np.ravel(starts), np.ravel(optima))[0, 1]) < 0.3


def test_the_halves_are_fixed():
    assert set(DEVELOPMENT).isdisjoint(REPORTING)
    assert {*DEVELOPMENT, *REPORTING} == set(TESTBED)
    assert (len(DEVELOPMENT), len(REPORTING)) == (29, 34)
    assert {"bbob_sphere", "own_banana", "classical_qing"} <= set(DEVELOPMENT)
    assert {"bbob_ellipsoid", "own_cusps", "classical_ackley"} <= set(REPORTING)


def test_one_coordinate_is_refused():
    with pytest.raises(ValueError, match="at least 2"):
        draw_function("bbob_sphere", 1, 1)
