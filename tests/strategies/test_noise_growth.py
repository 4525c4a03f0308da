"""Noise that grows with the loss: what width sees most, and how fast the noise is followed."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.strategies.noise_growth import NoiseGrowth


def test_differences_see_most_where_the_noise_is_twice_that_at_the_mean():
    """Noise of the variance v = v0 + c sigma⁴: sigma²/v is largest at v = 2 v0."""
    widths = np.linspace(0.1, 3, 1000)
    noise = 0.7 + 0.3 * widths**4
    best = noise[np.argmax(widths**2 / noise)]
    assert best == pytest.approx(2 * 0.7, rel=0.01)


@pytest.mark.parametrize(("ratio", "factor"), [(3.9, 1.0), (4.0 * 16, 16 ** (-1 / 16))])
def test_the_width_falls_where_the_candidates_are_loud(ratio, factor):
    assert NoiseGrowth(1.0, ratio).width_factor(4.0, 0.25) == pytest.approx(factor)


def test_nothing_known_changes_nothing():
    assert NoiseGrowth().width_factor(4.0, 0.25) == 1.0
    assert NoiseGrowth(0.0, 0.0).width_factor(4.0, 0.25) == 1.0


def test_both_noises_begin_alike_and_are_followed_at_one_pace():
    growth = NoiseGrowth()
    growth.learn(np.array([0.0, 0.0]), np.array([2.0, 0.0]), 3, 5.0, (0.1, 10.0))
    assert growth.at_mean == pytest.approx(0.9 * 5)
    assert growth.at_candidates == pytest.approx(0.9 * 5 + 0.1 * 3 * 2.0)
    before = growth.at_mean
    growth.learn(np.array([math.nan, 0.0]), np.array([2.0, 0.0]), 3, 5.0, (0.1, 10.0))
    assert growth.at_mean == before


def test_equal_noise_is_hardly_ever_taken_for_growth():
    """Followed with a share of 0.1 each: 7 to 30 of 20,000 generations on five seeds."""
    rng, growth, loud = np.random.default_rng(1), NoiseGrowth(), 0
    for _ in range(20_000):
        growth.learn(*rng.standard_normal((2, 2)), 1, 1.0, (0.1, 10.0))
        loud += growth.width_factor(4.0, 0.25) < 1
    assert loud < 100
