"""The noise level: unbiased, pooled where estimates agree."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.numerics.noise import NoiseLevel, reported_variance


def test_repeats_give_the_variance_of_one_shot():
    """20,000 repeats with tau² = 4 and 10 shots: 4 with a standard error of 1%, margin five."""
    rng = np.random.default_rng(0)
    values = math.sqrt(4 / 10) * rng.standard_normal((2, 20_000))
    level = NoiseLevel.from_repeats(values[0] - values[1], shots=10)
    assert level.variance == pytest.approx(4.0, rel=0.05)
    assert level.degrees_of_freedom == 20_000


def test_nothing_known_is_no_noise():
    assert NoiseLevel().variance == 0
    assert NoiseLevel.from_repeats(np.empty(0), 5) == NoiseLevel(0.0, 0.0)


def test_pooling_weighs_by_degrees_of_freedom():
    pooled = NoiseLevel(10.0, 10.0).pooled(NoiseLevel(90.0, 30.0), weight=0.5)
    assert pooled == NoiseLevel(55.0, 25.0)


@pytest.mark.parametrize(("variance", "agrees"), [(1.0, True), (1.5, True), (3.0, False)])
def test_levels_agree_within_their_errors(variance, agrees):
    """100 degrees of freedom each: the logarithm's error is 0.2, three of it a factor of 1.8."""
    level, other = NoiseLevel(100.0, 100.0), NoiseLevel(100.0 * variance, 100.0)
    assert level.agrees_with(other, 3.0) is agrees
    assert other.agrees_with(level, 3.0) is agrees


def test_a_known_variance_outweighs_every_estimate():
    known = NoiseLevel.known(2.0)
    assert known.variance == 2.0
    assert NoiseLevel(1e4, 1e3).pooled(known).variance == pytest.approx(2.0, rel=1e-4)


def test_reported_variances_are_averaged_where_they_are_finite():
    assert reported_variance(np.array([0.2, np.inf, np.nan, 0.4]), 10) == pytest.approx(3.0)
    assert math.isnan(reported_variance(np.full(3, np.nan), 10))
    assert math.isnan(reported_variance(None, 10))
