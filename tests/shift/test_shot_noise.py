"""Variance of one shot, from reports, repeated pairs and repeated points."""

import numpy as np
import pytest

from qiskit_arcmaes.shift.shot_noise import ShotNoise, take_repeats, take_reported, take_twins

NOISE, SHOTS = 3.0, 5


def normal(rng, *shape):
    return np.sqrt(NOISE / SHOTS) * rng.standard_normal(shape)


def test_reported_variances_are_scaled_to_one_shot_and_failed_ones_left_out():
    before = ShotNoise(variance=9.0)
    assert take_reported(before, np.array([0.1, np.nan, 0.3]), SHOTS).variance == pytest.approx(1)
    assert take_reported(before, None, SHOTS) == before
    assert take_reported(before, np.array([np.nan]), SHOTS) == before


def test_repeated_pairs_show_the_variance_of_one_shot():
    """40,000 squares: a standard error of 0.7%, the margin is 4%."""
    values = normal(np.random.default_rng(0), 40_000, 2, 2)  # pair, repeat, above or below
    halves = (values[:, :, 0] - values[:, :, 1]) / 2
    noise = take_repeats(ShotNoise(), halves[:, 0] - halves[:, 1], SHOTS, weight=1.0)
    assert noise.variance == pytest.approx(NOISE, rel=0.04)
    assert noise.pooled.variance == noise.variance
    assert noise.pooled.degrees_of_freedom == 40_000


@pytest.mark.parametrize(("weight", "variance"), [(0.0, 4.0), (0.5, 3.0), (1.0, 2.0)])
def test_the_weight_decides_between_the_last_test_and_the_earlier_ones(weight, variance):
    found = take_repeats(ShotNoise(variance=4.0), np.full(2, 1.0), 2, weight)
    assert found.variance == variance


def test_all_repeats_are_pooled_whatever_their_weight():
    noise = take_repeats(ShotNoise(), np.full(2, 1.0), 2, 0.0)
    noise = take_repeats(noise, np.full(2, 2.0), 2, 1.0)
    assert noise.pooled.variance == 5.0
    assert noise.pooled.degrees_of_freedom == 4


def test_twins_follow_a_change_of_the_noise():
    """The mean of 2,000 levels, each a moving average of weight 0.05 that has forgotten its start.

    Together they hold 2,000 squares: a standard error of 3.2%, the margin is 15%.
    """
    noise, found = ShotNoise(variance=100.0), []
    for values in normal(np.random.default_rng(1), 2200, 2):
        noise = take_twins(noise, values, SHOTS, 0.05)
        found.append(noise.variance)
    assert np.mean(found[200:]) == pytest.approx(NOISE, rel=0.15)


def test_a_failed_twin_changes_nothing():
    before = ShotNoise(variance=2.0)
    assert take_twins(before, np.array([1.0, np.nan]), SHOTS, 0.05) == before
