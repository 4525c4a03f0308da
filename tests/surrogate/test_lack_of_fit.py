"""Lack of fit: none for quadratics, significant for others, compared with the noise."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.lack_of_fit import (
    LackOfFit,
    measure_lack_of_fit,
    unexplained_variance,
)
from qiskit_arcmaes.surrogate.params import TrustRegionParams

from .problems import DIM, Quadratic, around, fitted, measured

PARAMS = TrustRegionParams()


def lack_of(loss, noise, seed=1, freedom=1e9, pairs=200):
    distribution = around(np.zeros(DIM))
    model = fitted([measured(loss, distribution, pairs, noise, seed)], distribution)
    return measure_lack_of_fit(model, 0, freedom, noise)


def cubic(points):
    return Quadratic()(points) + np.sum(points**3, axis=1)


def quartic(points):
    return Quadratic()(points) + np.sum(points**4, axis=1)


def test_a_quadratic_has_none():
    """Each is a standard normal number: above 3 in none of 50 with probability 93%."""
    found = [lack_of(Quadratic(), 0.5, seed) for seed in range(50)]
    assert sum(lack.significant(PARAMS) for lack in found) <= 2
    assert np.mean([lack.antisymmetric for lack in found]) == pytest.approx(0, abs=0.8)
    assert np.mean([lack.symmetric for lack in found]) == pytest.approx(0, abs=0.8)


def test_odd_terms_show_in_the_antisymmetric_component_only():
    lack = lack_of(cubic, 0.5)
    assert lack.antisymmetric > 10
    assert lack.symmetric < 3
    assert lack.significant(PARAMS)
    assert not lack.symmetric_significant(PARAMS)


def test_even_terms_show_in_the_symmetric_component_only():
    lack = lack_of(quartic, 0.5)
    assert lack.antisymmetric < 3
    assert lack.symmetric > 10
    assert lack.symmetric_significant(PARAMS) is (lack.ruggedness > PARAMS.ruggedness)


def test_noise_hides_it():
    assert not lack_of(cubic, 1e6).significant(PARAMS)


def test_an_uncertain_noise_level_makes_it_less_significant():
    certain, uncertain = lack_of(cubic, 0.5), lack_of(cubic, 0.5, freedom=2.0)
    assert uncertain.antisymmetric < certain.antisymmetric / 5
    assert lack_of(cubic, 0.5, freedom=0.0).antisymmetric == 0


def test_unexplained_variance_is_that_of_single_values():
    """A value cos(9 x) has the variance 1/2 beyond a quadratic; both points of a pair share it.

    The symmetric component has all of it, and its variance counts twice: 2 x DIM/2, within 25%.
    """

    def rugged(points):
        return np.sum(points**2 + np.cos(9 * points), axis=1)

    distribution = around(np.zeros(DIM))
    model = fitted([measured(rugged, distribution, 1000, 0.0, 3)], distribution)
    odd, even = unexplained_variance(model)
    assert odd < 1e-9
    assert even == pytest.approx(DIM, rel=0.25)
    lack = measure_lack_of_fit(model, 0, 10.0, 0.1)
    assert lack.variance == odd + even
    assert lack.ruggedness == pytest.approx(even / np.sum(model.hessian**2))
    assert lack.noise == 0.1


def test_only_designs_since_an_index_count():
    """A cubic design in the past, a quadratic one now."""
    distribution = around(np.zeros(DIM))
    designs = [
        measured(cubic, distribution, 100, 0.5, 1),
        measured(Quadratic(), distribution, 100, 0.5, 2),
    ]
    model = fitted(designs, distribution)
    since_first = measure_lack_of_fit(model, 0, 1e9, 0.5)
    since_second = measure_lack_of_fit(model, 1, 1e9, 0.5)
    assert since_first.antisymmetric > 10 > since_second.antisymmetric


@pytest.mark.parametrize(
    ("antisymmetric", "symmetric", "ruggedness", "room"),
    [
        (0.0, 0.0, 0.0, True),
        (1.5, 0.0, 0.0, False),
        (0.0, 2.0, 0.01, True),  # too small to matter
        (0.0, 2.0, 0.05, False),
        (4.0, 0.0, 0.0, False),
        (0.0, 4.0, 0.01, True),
        (0.0, 4.0, 0.1, False),
    ],
)
def test_room_for_a_larger_radius(antisymmetric, symmetric, ruggedness, room):
    lack = LackOfFit(antisymmetric, symmetric, ruggedness, 1.0, 1.0)
    assert lack.leaves_room(PARAMS) is room
