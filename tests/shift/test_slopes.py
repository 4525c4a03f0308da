"""Parameter-shift pairs: points, slopes, curvatures, variances."""

import numpy as np
import pytest

from qiskit_arcmaes.shift.slopes import (
    curvatures,
    pair_points,
    read_pairs,
    slope_variance,
    slopes,
)

CENTRE = np.array([0.4, -1.1, 2.0])


def loss(points):
    return np.sin(points[:, 0]) * np.cos(points[:, 1]) + 0.5 * np.cos(points[:, 2] + 0.3)


@pytest.mark.parametrize("shift", [np.pi / 2, 1.0, 0.1])
def test_slopes_and_curvatures_of_one_frequency_are_exact_at_every_shift(shift):
    pairs = read_pairs(loss(pair_points(CENTRE, [shift])))
    x, y, z = CENTRE
    gradient = [np.cos(x) * np.cos(y), -np.sin(x) * np.sin(y), -0.5 * np.sin(z + 0.3)]
    second = [-np.sin(x) * np.cos(y), -np.sin(x) * np.cos(y), -0.5 * np.cos(z + 0.3)]
    np.testing.assert_allclose(slopes(pairs.half_differences, shift), gradient, atol=1e-12)
    value = loss(CENTRE[None])[0]
    np.testing.assert_allclose(curvatures(pairs.means, value, shift), second, atol=1e-11)


def test_several_shifts_come_one_after_the_other():
    points = pair_points(CENTRE, [0.5, 0.2])
    np.testing.assert_array_equal(points[:6], pair_points(CENTRE, [0.5]))
    np.testing.assert_array_equal(points[6:], pair_points(CENTRE, [0.2]))


def test_a_failed_value_counts_as_the_worst():
    pairs = read_pairs(np.array([np.nan, 1.0, 2.0, -3.0]))
    np.testing.assert_array_equal(pairs.above, [2.0, 2.0])
    np.testing.assert_array_equal(pairs.below, [1.0, -3.0])


def test_if_all_values_failed_the_slopes_are_zero():
    assert not read_pairs(np.full(4, np.nan)).half_differences.any()


def test_the_variance_of_a_slope_is_that_of_repeated_measurements():
    """Of 20,000 slopes; the sample variance has a relative standard error of 1%, the margin 5%."""
    rng = np.random.default_rng(0)
    noise, shots, count, shift = 2.0, 7, 3, 0.8
    values = np.sqrt(noise / shots) * rng.standard_normal((20_000, count, 2))
    halves = ((values[:, :, 0] - values[:, :, 1]) / 2).mean(axis=1)
    found = slopes(halves, shift).var()
    assert slope_variance(noise, count, shots, shift) == pytest.approx(found, rel=0.05)
