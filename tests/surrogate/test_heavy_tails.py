"""Outliers: told from normal noise and from structure, by few values that are far off."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.heavy_tails import far_off
from qiskit_arcmaes.surrogate.params import OutlierParams

PARAMS = OutlierParams()


@pytest.mark.parametrize("count", [4, 8, 40, 1000])
def test_normal_noise_has_none(count):
    """2000 samples of each size: 2 are expected with four values, fewer with more."""
    rng = np.random.default_rng(count)
    found = [far_off(rng.standard_normal(count), 1.0, PARAMS).any() for _ in range(2000)]
    assert sum(found) <= 8  # exceeded with probability 0.0002


@pytest.mark.parametrize(("variance", "found"), [(1.0, [7]), (1e-3, [7]), (1e-6, [])])
def test_one_wild_value_is_found_where_it_may_hide_that_noise_explains_the_others(variance, found):
    values = np.random.default_rng(1).standard_normal(40)
    values[7] = -100.0
    np.testing.assert_array_equal(far_off(values, variance, PARAMS).nonzero()[0], found)


def test_moderate_outliers_are_left_out_only_where_noise_explains_the_others():
    values = np.random.default_rng(2).standard_normal(1000)
    values[:5] = 8.0  # 5 of 1000: a quarter of the squares
    assert far_off(values, 1.0, PARAMS).sum() == 5
    assert not far_off(values, 0.1, PARAMS).any()


def test_many_are_no_accident():
    values = np.random.default_rng(3).standard_normal(100)
    values[:15] = 50.0
    assert not far_off(values, 1.0, PARAMS).any()


def test_nothing_is_found_in_nothing():
    assert far_off(np.empty(0), 1.0, PARAMS).shape == (0,)
    assert not far_off(np.zeros(5), 0.0, PARAMS).any()
