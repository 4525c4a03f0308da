"""The power of w² with which the noise falls, from one cloud and from several."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.noise_trend import NoiseTrend, follow

DIM = 5


def followed(power, widths, count, seed):
    """Rounds in which one shot's variance is (w² r²)^power, seen through squared normal values."""
    rng = np.random.default_rng(seed)
    trend = NoiseTrend()
    for width in widths:
        radii = rng.chisquare(DIM, count) / DIM
        variances = (width**2 * radii) ** power * rng.chisquare(1, count)
        follow(trend, width, radii, variances)
    return trend.power


def test_noise_that_is_the_same_everywhere_has_no_trend():
    """A power beyond two standard errors has a probability of 2.3%; of 200 more than 20: 1e-7.

    The logarithm of a level is not normal for 20 values; with a probability of 5% still 3e-3.
    """
    found = sum(followed(0.0, [1.0, 0.7, 1.0], 20, seed) > 0 for seed in range(200))
    assert found <= 20


def test_relative_noise_is_steep():
    """Power 2. With 100 values in each of three clouds its standard error is 0.1 to 0.2: below 1
    with a probability of less than 1e-6 in each of 20 runs.
    """
    powers = [followed(2.0, [1.0, 0.7, 0.5], 100, seed) for seed in range(20)]
    assert min(powers) > 1
    assert np.mean(powers) == pytest.approx(2, abs=0.4)


def test_one_cloud_shows_it_too():
    """2000 values: the power's standard error is about 0.1, its limit ten of them away."""
    powers = [followed(2.0, [1.0], 2000, seed) for seed in range(5)]
    assert min(powers) > 1


def test_no_noise_is_no_trend():
    trend = NoiseTrend()
    follow(trend, 1.0, np.ones(10), np.zeros(10))
    assert trend.power == 0
