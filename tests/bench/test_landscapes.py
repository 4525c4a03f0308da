import numpy as np
import pytest

from qiskit_arcmaes.bench.landscapes import LANDSCAPES, landscape, noisy


@pytest.mark.parametrize("name", LANDSCAPES)
def test_the_optimum_is_one(name):
    function = landscape(name, 5, instance=3)
    assert function.name == name
    assert function(function.optimum) == pytest.approx(function.minimum, abs=1e-12)
    rng = np.random.default_rng(1)
    around = function.optimum + rng.normal(size=(1000, 5)) * rng.choice([1e-3, 0.1, 1], (1000, 1))
    assert np.all(function(around) >= function.minimum - 1e-12)


def test_random_functions_differ_by_instance_only():
    point = np.ones((1, 5))
    one, same, other = (landscape("random_quadratic", 5, i)(point) for i in (1, 1, 2))
    assert one == same != other


def test_a_turned_quadratic_is_only_turned():
    """Its Hessian has the ellipsoid's eigenvalues, and is not diagonal."""
    function = landscape("turned_ellipsoid", 4, instance=2)
    unit = np.eye(4)
    hessian = np.array(
        [[function(a + b) - function(a) - function(b) for b in unit] for a in unit]
    )  # of a quadratic without linear part: exact
    eigenvalues = np.linalg.eigvalsh(hessian)
    assert eigenvalues == pytest.approx(2 * 100 ** (np.arange(4) / 3))
    assert np.abs(hessian - np.diag(np.diag(hessian))).max() > 1


def test_relative_noise_vanishes_with_the_loss():
    oracle = noisy("sphere~relative", 3, 0.5, instance=1, seed=2)
    assert oracle.evaluate(np.zeros((5, 3)), 1).values.tolist() == [0.0] * 5
    values = oracle.evaluate(np.ones((4000, 3)), 1).values
    # its standard error is 0.5 * 3/sqrt(2 * 4000) = 0.017: ten of them, p < 1e-20
    assert values.std() == pytest.approx(0.5 * 3, abs=0.17)


def test_growing_noise_grows_with_the_distance():
    oracle = noisy("trid~growing", 3, 2.0, instance=1, seed=2)
    optimum = landscape("trid", 3, 1).optimum
    for distance in (0.0, 4.0):
        values = oracle.evaluate(np.tile(optimum + distance, (4000, 1)), 1).values
        expected = 2.0 * (1 + distance)
        assert values.std() == pytest.approx(expected, rel=0.11)  # ten standard errors


@pytest.mark.parametrize("name", ["moon", "sphere~loud"])
def test_unknown_names(name):
    with pytest.raises(ValueError, match=r"take one of|~relative or ~growing"):
        noisy(name, 3, 1.0, 1, 1)
