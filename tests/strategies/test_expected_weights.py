"""Expected weights: their limits, what they are expectations of, and the mass of mirrored steps."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.expected_weights import (
    ExpectedWeights,
    expected_weights,
    mirrored_mass,
    normal_scores,
)


def test_without_noise_they_are_the_weights_of_cma_es():
    weights = cma.rank_weights(20)
    by_rank = np.append(weights, np.zeros(10)) - 1 / 20
    np.testing.assert_allclose(expected_weights(20, 1.0), by_rank, rtol=1e-12)


def test_in_pure_noise_they_are_linear_in_the_score_and_continuous():
    scores = normal_scores(20)
    np.testing.assert_allclose(
        expected_weights(20, 0.0) / expected_weights(20, 0.0)[0], scores / scores[0], atol=1e-12
    )
    np.testing.assert_allclose(expected_weights(20, 1e-6), expected_weights(20, 0.0), atol=1e-3)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_they_are_the_mean_of_the_weights_of_true_ranks(share):
    """200000 populations of 20: the mean weight of the true rank of the candidate at each rank.

    Quadrature puts the other candidates at their expected scores: 0.01 on weights of up to 0.2
    covers that and six standard errors.
    """
    popsize, rng = 20, np.random.default_rng(1)
    by_rank = np.append(cma.rank_weights(popsize), np.zeros(10))
    true = rng.standard_normal((200_000, popsize))
    seen = np.sqrt(share) * true + np.sqrt(1 - share) * rng.standard_normal(true.shape)
    true_ranks = np.argsort(np.argsort(true, axis=1), axis=1)
    order = np.argsort(seen, axis=1)
    mean = by_rank[np.take_along_axis(true_ranks, order, axis=1)].mean(axis=0)
    mean -= mean.mean()
    scale = cma.selection_gain(cma.rank_weights(popsize), popsize) / -(mean @ normal_scores(20))
    np.testing.assert_allclose(expected_weights(popsize, share), scale * mean, atol=0.01)


def test_all_ranks_carry_twice_the_information_of_the_best_half():
    """Squared mean step over the variance of the step, lambda = 100: 97 against 47."""
    scores, masses = normal_scores(100), {}
    for share in (0.0, 1.0):
        weights = expected_weights(100, share)
        masses[share] = float((weights @ scores) ** 2 / (weights @ weights))
    half = cma.rank_weights(100)
    best_half = cma.selection_gain(half, 100) ** 2 * cma.effective_parents(half)
    assert masses[0.0] > 1.9 * best_half
    assert masses[0.0] == pytest.approx(float(scores @ scores))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_mass_of_mirrored_samples_by_simulation(share):
    """Random ranks, d = 8, lambda = 20, 20000 populations: the mean of chi² has an error of 0.35%.

    Six of these are the margin.
    """
    rng, weights = np.random.default_rng(2), expected_weights(20, share)
    half = rng.standard_normal((20_000, 10, 8))
    samples = np.concatenate([half, -half], axis=1)
    order = np.argsort(rng.random((20_000, 20)), axis=1)
    ranked = np.take_along_axis(samples, order[:, :, None], axis=1)
    squares = np.sum(np.einsum("p,rpd->rd", weights, ranked) ** 2, axis=1)
    assert 8 / squares.mean() == pytest.approx(mirrored_mass(weights), rel=0.021)


def test_table_has_the_weights_of_the_nearest_share():
    table = ExpectedWeights(10, mirrored=True)
    for share in (0.0, 0.5, 1.0):
        weights, mass = table.at(share)
        np.testing.assert_array_equal(weights, expected_weights(10, share))
        assert mass == mirrored_mass(weights)
    assert ExpectedWeights(10, mirrored=False).at(1.0)[1] == pytest.approx(
        1 / np.sum(expected_weights(10, 1.0) ** 2)
    )
