"""The noise of a design, and the power of r² with which it falls."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.noise import NoiseTrend, measure_noise, rounding_variance
from qiskit_arcmaes.surrogate.params import NoiseParams

DIM = 5
PARAMS = NoiseParams()


def some_values(pairs, repeats, deviation, seed):
    """Values of pairs of which the last ones repeat the first ones."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(2, pairs))
    losses = np.concatenate([half, half[:, :repeats]], axis=1).ravel()
    return losses + deviation * rng.standard_normal(len(losses))


def measure(values, earlier=NoiseLevel(), variances=None, repeats=0, given=None, shots=4):  # noqa: B008
    return measure_noise(earlier, values, variances, shots, repeats, given, PARAMS)


def test_repeated_pairs_give_the_noise():
    """400 repeats with tau² = 2 and 4 shots: standard error 7%, margin five of it."""
    values = some_values(1000, 200, np.sqrt(2 / 4), 0)
    level, at_points = measure(values, repeats=200)
    assert level.variance == pytest.approx(2.0, rel=0.35)
    assert level.degrees_of_freedom == 400
    assert np.mean(at_points.variances) == pytest.approx(level.variance)
    np.testing.assert_array_equal(at_points.rows, [*range(200), *range(1200, 1400)])


def test_repeats_of_noiseless_values_are_equal():
    level, _ = measure(some_values(50, 10, 0.0, 1), repeats=10)
    assert level == NoiseLevel(0.0, 20.0)


def test_failed_repeats_are_left_out():
    values = some_values(50, 10, 1.0, 2)
    values[[3, 55]] = np.nan  # a first value, and the repeat of another
    level, at_points = measure(values, repeats=10)
    assert level.degrees_of_freedom == 18
    assert not {3, 5} & set(at_points.rows)


def test_nothing_measured_keeps_the_earlier_level():
    earlier = NoiseLevel(3.0, 2.0)
    assert measure(np.full(24, np.nan), earlier, repeats=2)[0] == earlier
    assert measure(np.zeros(20), earlier, repeats=0)[0] == earlier


def test_levels_that_agree_are_pooled_and_others_replaced():
    values = some_values(500, 100, np.sqrt(1 / 4), 3)
    new, _ = measure(values, repeats=100)
    pooled, _ = measure(values, NoiseLevel(100.0, 100.0), repeats=100)
    assert pooled.degrees_of_freedom == pytest.approx(200 + 0.9 * 100)
    replaced, _ = measure(values, NoiseLevel(900.0, 100.0), repeats=100)
    assert replaced == new


def test_reported_variances_are_taken():
    variances = np.array([0.1, np.nan, 0.3, 0.2])
    level, at_points = measure(np.zeros(4), variances=variances)
    assert level.variance == pytest.approx(0.8)
    np.testing.assert_array_equal(at_points.rows, [0, 2, 3])
    np.testing.assert_allclose(at_points.variances, [0.4, 1.2, 0.8])


def test_a_given_noise_is_taken():
    level, at_points = measure(np.zeros(4), variances=np.ones(4), given=1.5)
    assert level.variance == pytest.approx(2.25)
    assert len(at_points.rows) == 0


def test_noise_below_rounding_is_of_no_consequence():
    values = np.array([1e3, -1e3, np.nan])
    assert rounding_variance(values, PARAMS) == pytest.approx(1e-11 * 1e6)
    assert rounding_variance(np.full(3, 1e3), PARAMS) == pytest.approx(1e-24)
    assert rounding_variance(np.full(2, np.nan), PARAMS) == 0


def followed(power, radii, count, seed):
    """The power found where one shot's variance is (r² u²)^power, seen by squared normals."""
    rng = np.random.default_rng(seed)
    trend = NoiseTrend()
    for radius in radii:
        distances = rng.chisquare(DIM, count) / DIM
        variances = (radius**2 * distances) ** power * rng.chisquare(1, count)
        trend = trend.updated(radius, distances, variances, PARAMS.memory)
    return trend.power(PARAMS.significance)


def test_noise_that_is_the_same_everywhere_has_no_trend():
    """A power beyond two standard errors has a probability of 2.3%; of 200 more than 20: 1e-7.

    The logarithm of a level is not normal for 20 values; with a probability of 5% still 3e-3.
    """
    found = sum(followed(0.0, [1.0, 0.7, 1.0], 20, seed) > 0 for seed in range(200))
    assert found <= 20


def test_relative_noise_is_steep():
    """Power 2. With 100 values in each of three distributions its standard error is 0.1 to 0.2:
    below 1 with a probability of less than 1e-6 in each of 20 runs.
    """
    powers = [followed(2.0, [1.0, 0.7, 0.5], 100, seed) for seed in range(20)]
    assert min(powers) > 1
    assert np.mean(powers) == pytest.approx(2, abs=0.4)


def test_one_distribution_shows_it_too():
    """2000 values: the power's standard error is about 0.1, its limit ten of them away."""
    powers = [followed(2.0, [1.0], 2000, seed) for seed in range(5)]
    assert min(powers) > 1


def test_no_noise_and_few_values_are_no_trend():
    trend = NoiseTrend()
    assert trend.updated(1.0, np.ones(10), np.zeros(10), 0.9) == trend
    assert trend.updated(1.0, np.ones(2), np.ones(2), 0.9) == trend
    assert trend.power(2.0) == 0
