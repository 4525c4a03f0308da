"""Steps from ranked differences of mirrored pairs: each formula against simulation."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.mirrored import (
    DifferenceWeights,
    components,
    half_normal_scores,
    value_at_centre,
)

POPSIZE, DIM = 40, 6
GAIN = cma.selection_gain(cma.rank_weights(POPSIZE), POPSIZE)


def mirrored(rng, popsize=POPSIZE):
    half = rng.standard_normal((popsize // 2, DIM))
    return np.concatenate([half, -half])


def test_scores_are_the_expected_sizes_of_ordered_normal_numbers():
    """100000 sorted sets of 20: standard errors below 0.002; Blom's formula is good to 0.02."""
    sizes = np.sort(np.abs(np.random.default_rng(1).standard_normal((100_000, 20))), axis=1)
    np.testing.assert_allclose(half_normal_scores(20), sizes.mean(axis=0), atol=0.03)


def test_the_step_along_a_linear_slope_is_the_selection_gain():
    """2000 populations: the mean step is -c_w along the gradient, zero across it.

    One step varies by less than 0.3 per coordinate: six standard errors of the mean are 0.04; the
    scores' approximation is within another 0.03.
    """
    rng, weights = np.random.default_rng(2), DifferenceWeights(POPSIZE)
    gradient = np.array([3.0, 0, 0, 4.0, 0, 0])
    found = []
    for _ in range(2000):
        steps = mirrored(rng)
        step = weights.step(steps[: POPSIZE // 2], components(steps @ gradient))
        assert step.share == pytest.approx(1)
        found.append(step.recombination.step)
    np.testing.assert_allclose(np.mean(found, axis=0), -GAIN * gradient / 5, atol=0.07)


def test_the_mass_is_that_of_steps_in_pure_noise():
    """E‖step‖² mass = d over 5000 populations: one varies by sqrt(2 d), six errors are 0.3."""
    rng, weights = np.random.default_rng(3), DifferenceWeights(POPSIZE)
    found, shares = [], []
    for _ in range(5000):
        step = weights.step(mirrored(rng)[: POPSIZE // 2], components(rng.standard_normal(POPSIZE)))
        found.append(step.recombination.mass * np.sum(step.recombination.step**2))
        shares.append(step.share)
    assert np.mean(found) == pytest.approx(DIM, abs=0.3)
    assert np.mean(shares) == pytest.approx(0.5, abs=0.02)


def test_the_symmetric_component_changes_the_length_of_the_step_only():
    rng, weights = np.random.default_rng(4), DifferenceWeights(POPSIZE)
    steps = mirrored(rng)
    linear = steps[:, 0] - 2 * steps[:, 1] + 0.1 * rng.standard_normal(POPSIZE)
    plain = weights.step(steps[: POPSIZE // 2], components(linear))
    bowl = linear + 50 * np.sum(steps**2, axis=1)
    curved = weights.step(steps[: POPSIZE // 2], components(bowl))
    factor = np.sqrt(2 * curved.share)
    assert factor < 0.1
    expected = factor * plain.recombination.step
    np.testing.assert_allclose(curved.recombination.step, expected, rtol=1e-9)
    assert curved.recombination.mass == pytest.approx(plain.recombination.mass / factor**2)


def test_a_failed_value_pushes_the_mean_away():
    """An infinite value is the largest difference; two of them, or NaN, are none."""
    rng, weights = np.random.default_rng(5), DifferenceWeights(8)
    steps = mirrored(rng, 8)
    values = 1e-3 * rng.standard_normal(8)
    values[0] = np.inf
    values[1] = values[5] = np.inf
    values[2] = 0.0
    with np.errstate(invalid="ignore"):  # the difference of two infinite values
        alone = weights.step(steps[:4], components(values))
    assert alone is None  # two finite pairs
    values[1], values[5] = 0.2e-3, 0.1e-3
    moved = weights.step(steps[:4], components(values)).recombination.step
    assert moved @ steps[0] < 0
    assert np.all(np.isfinite(moved))


def test_equal_values_make_no_step():
    steps = mirrored(np.random.default_rng(6))
    assert (
        DifferenceWeights(POPSIZE).step(steps[: POPSIZE // 2], components(np.ones(POPSIZE))) is None
    )


def test_the_value_at_the_centre_has_no_bias_and_the_variance_that_it_tells():
    """A quadratic of unequal curvatures, minimum 3, under noise: 4000 populations.

    The mean is within five of its standard errors; the variance, which takes lack of fit for
    noise, is right within a factor of 1.5.
    """
    rng, curvatures = np.random.default_rng(7), np.arange(1.0, DIM + 1)
    values, variances = [], []
    for _ in range(4000):
        z = rng.standard_normal((20, DIM))
        means = 3 + z**2 @ curvatures / 2 + rng.standard_normal(20)
        value, variance = value_at_centre(np.sum(z**2, axis=1), means)
        values.append(value)
        variances.append(variance)
    error = np.std(values) / np.sqrt(4000)
    assert np.mean(values) == pytest.approx(3, abs=5 * error + 0.1)
    assert 1 / 1.5 < np.mean(variances) / np.var(values) < 1.5


def test_the_value_at_the_centre_leaves_out_failed_pairs():
    squares, means = np.array([1.0, 2.0, 3.0, 4.0]), np.array([7.0, 9.0, np.nan, 13.0])
    assert value_at_centre(squares, means) == pytest.approx((5.0, 0.0))
    assert np.all(np.isnan(value_at_centre(squares[:2], means[:2])))


@pytest.mark.parametrize("apart", [0.0, 1e-12])
def test_pairs_at_one_distance_tell_no_value_at_the_centre(apart):
    """Bounds may put all points of a population into one corner."""
    squares = 2.4 * (1 + apart * np.arange(5))
    assert np.all(np.isnan(value_at_centre(squares, np.arange(5.0))))
