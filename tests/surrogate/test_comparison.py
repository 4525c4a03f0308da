"""The lowest of several points, as far as their errors tell."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.comparison import lowest


@pytest.mark.parametrize(
    ("values", "index"),
    [
        ((1.0, 0.75, 0.9), 0),  # 0.28 is two standard errors of a difference
        ((1.0, 0.7, 0.6), 2),
        ((1.0, 1.5, 0.6), 2),
        ((np.nan, 5.0, 6.0), 1),
        ((1.0, np.nan, 0.5), 2),
        ((np.nan, np.nan, np.nan), 0),
    ],
)
def test_the_first_stays_unless_another_is_significantly_lower(values, index):
    assert lowest(np.array(values), np.full(3, 0.01), significance=2.0) == index


def test_without_noise_any_lower_value_counts():
    assert lowest(np.array([1.0, 1.0 - 1e-12]), np.zeros(2), significance=2.0) == 1


def test_each_point_may_need_its_own_proof():
    values, variances = np.array([1.0, 0.8, 0.85]), np.full(3, 0.01)
    assert lowest(values, variances, 2.0) == 0
    assert lowest(values, variances, np.array([2.0, 2.0, 1.0])) == 2
