"""The distribution: one update by hand, invariants, and numbers that cannot break it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.strategies import cma


def evolve(distribution, popsize, generations, loss, rng):
    weights = cma.rank_weights(popsize)
    rates = cma.parameters(len(distribution.mean), cma.effective_parents(weights))
    for _ in range(generations):
        steps = cma.sample(distribution, popsize, rng)
        values = loss(distribution.mean + distribution.step_size * steps)
        best = np.argsort(values)[: len(weights)]
        distribution = cma.update(distribution, rates, steps[best], weights)
    return distribution


def some_distribution(dim=4, seed=3):
    """A distribution with a history: uneven shape, full paths."""
    rng = np.random.default_rng(seed)
    scales = np.arange(1.0, dim + 1)
    return evolve(cma.start(np.ones(dim), 0.7), 12, 15, lambda x: (x**2) @ scales, rng)


def test_weights_and_constants_are_the_tutorials():
    """Reference values computed with the tutorial's formulas for n = 10, lambda = 10."""
    weights = cma.rank_weights(10)
    raw = [math.log(5.5) - math.log(i) for i in range(1, 6)]
    np.testing.assert_allclose(weights, np.array(raw) / sum(raw), rtol=1e-14)
    mu_eff = sum(raw) ** 2 / sum(r * r for r in raw)
    assert cma.effective_parents(weights) == pytest.approx(mu_eff, rel=1e-14)
    rates = cma.parameters(10, mu_eff)
    assert rates.c_sigma == pytest.approx((mu_eff + 2) / (mu_eff + 15))
    assert rates.d_sigma == pytest.approx(1 + rates.c_sigma)  # mu_eff - 1 < n + 1
    assert rates.c_c == pytest.approx((4 + mu_eff / 10) / (14 + mu_eff / 5))
    assert rates.c_1 == pytest.approx(2 / (11.3**2 + mu_eff))
    assert rates.c_mu == pytest.approx(2 * (mu_eff - 2 + 1 / mu_eff) / (144 + mu_eff))
    assert cma.default_popsize(20) == 12


def test_selection_gain_is_that_of_the_order_statistics():
    """Simulated with 2e5 populations: standard error below 1e-3; Blom is good to 5e-3."""
    weights = cma.rank_weights(20)
    draws = np.sort(np.random.default_rng(0).standard_normal((200_000, 20)))[:, :10]
    assert cma.selection_gain(weights, 20) == pytest.approx(-draws.mean(axis=0) @ weights, abs=8e-3)
    log_weights = cma.rank_weights(100)
    product = cma.effective_parents(log_weights) * cma.selection_gain(log_weights, 100)
    assert product == pytest.approx(35.8, rel=0.005)


def test_one_update_by_hand():
    """The tutorial's equations, written out plainly, on a distribution with a history."""
    old = some_distribution()
    rng = np.random.default_rng(9)
    steps, weights = rng.normal(size=(3, 4)), np.array([0.5, 0.3, 0.2])
    mu_eff = 1 / np.sum(weights**2)
    rates = cma.parameters(4, mu_eff)
    new = cma.update(old, rates, steps, weights)
    y_w = sum(w * y for w, y in zip(weights, steps, strict=True))
    values, vectors = np.linalg.eigh(old.covariance)
    inverse_root = vectors @ np.diag(values**-0.5) @ vectors.T
    p_sigma = (1 - rates.c_sigma) * old.path_sigma + math.sqrt(
        rates.c_sigma * (2 - rates.c_sigma) * mu_eff
    ) * inverse_root @ y_w
    full = math.sqrt(1 - (1 - rates.c_sigma) ** (2 * (old.generation + 1)))
    h = float(np.linalg.norm(p_sigma) / full < (1.4 + 2 / 5) * rates.chi)
    p_c = (1 - rates.c_c) * old.path_c + h * math.sqrt(rates.c_c * (2 - rates.c_c) * mu_eff) * y_w
    rank_mu = sum(w * np.outer(y, y) for w, y in zip(weights, steps, strict=True))
    lost = (1 - h) * rates.c_1 * rates.c_c * (2 - rates.c_c)
    covariance = (
        (1 - rates.c_1 - rates.c_mu + lost) * old.covariance
        + rates.c_1 * np.outer(p_c, p_c)
        + rates.c_mu * rank_mu
    )
    growth = rates.c_sigma / rates.d_sigma * (np.linalg.norm(p_sigma) / rates.chi - 1)
    np.testing.assert_allclose(new.mean, old.mean + old.step_size * y_w, rtol=1e-12)
    np.testing.assert_allclose(new.path_sigma, p_sigma, rtol=1e-9)
    np.testing.assert_allclose(new.path_c, p_c, rtol=1e-12)
    np.testing.assert_allclose(new.covariance, covariance, rtol=1e-12)
    assert new.step_size == pytest.approx(old.step_size * math.exp(growth), rel=1e-12)
    assert new.generation == old.generation + 1


def test_update_leaves_the_old_distribution_alone():
    old = some_distribution()
    before = old.covariance.copy(), old.mean.copy(), old.path_c.copy()
    cma.update(old, cma.parameters(4, 2.0), np.ones((2, 4)), np.array([0.5, 0.5]))
    for now, then in zip((old.covariance, old.mean, old.path_c), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_samples_have_the_covariance_and_whiten_undoes_it():
    """Entries of 1e5 samples: standard error below 0.5% of the largest variance, margin 6 of it."""
    distribution = some_distribution()
    steps = cma.sample(distribution, 100_000, np.random.default_rng(1))
    largest = distribution.scales[-1] ** 2
    np.testing.assert_allclose(
        steps.T @ steps / len(steps), distribution.covariance, atol=6 * 0.005 * largest
    )
    white = distribution.whiten(steps)
    np.testing.assert_allclose(white.T @ white / len(steps), np.eye(4), atol=6 * 0.005)


@settings(max_examples=50, deadline=None)
@given(st.integers(-200, 200), st.integers(0, 2**32 - 1))
def test_scale_of_c_moves_to_sigma_without_changing_a_sample(exponent, seed):
    """Scaling C by any power of four gives the very same points."""
    old = some_distribution()
    factor = 2.0**exponent
    arguments = (old.path_sigma, old.path_c * factor, old.generation, False)
    scaled = cma.settle(
        cma.Proposal(old.mean, old.step_size / factor, old.covariance * factor**2, *arguments)
    )
    plain = cma.settle(cma.Proposal(old.mean, old.step_size, old.covariance, *arguments))
    assert 2**-21 < scaled.covariance.trace() / 4 < 2**21
    points = [
        d.mean + d.step_size * cma.sample(d, 5, np.random.default_rng(seed))
        for d in (scaled, plain)
    ]
    np.testing.assert_allclose(points[0], points[1], rtol=1e-12)


def test_eigenvalues_are_floored_and_c_stays_symmetric():
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    covariance = basis @ np.diag([1e-30, 0, -1e-12, 1, 2]) @ basis.T
    settled = cma.settle(
        cma.Proposal(
            np.zeros(5), 1.0, (covariance + covariance.T) / 2, np.zeros(5), np.zeros(5), 0, False
        )
    )
    np.testing.assert_array_equal(settled.covariance, settled.covariance.T)
    assert settled.condition <= cma.MAX_CONDITION * (1 + 1e-9)
    assert np.linalg.eigvalsh(settled.covariance)[0] > 0


@pytest.mark.parametrize("bad", [0.0, np.inf, np.nan])
def test_a_ruined_covariance_starts_anew(bad):
    settled = cma.settle(
        cma.Proposal(np.zeros(3), 1.0, np.full((3, 3), bad), np.zeros(3), np.zeros(3), 7, False)
    )
    np.testing.assert_array_equal(settled.covariance, np.eye(3))
    assert settled.generation == 7


def test_thirty_thousand_generations_of_pure_noise_pass():
    """Neutral selection at d = 20: no LinAlgError, everything finite, symmetric, conditioned.

    The condition number drifts to its limit within 15,000 generations, and then stays near it.
    """
    rng = np.random.default_rng(4)
    distribution = evolve(
        cma.start(np.zeros(20), 1.0), 12, 30_000, lambda x: rng.random(len(x)), rng
    )
    for array in (distribution.mean, distribution.covariance, distribution.path_c):
        assert np.isfinite(array).all()
    np.testing.assert_array_equal(distribution.covariance, distribution.covariance.T)
    assert 0 < distribution.step_size < np.inf
    assert 0.1 * cma.MAX_CONDITION < distribution.condition <= cma.MAX_CONDITION * (1 + 1e-6)


def test_converges_on_a_rotated_ellipsoid():
    """Deterministic for the seed; 12 orders of magnitude leave room for other platforms."""
    rng = np.random.default_rng(8)
    basis = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    scales = 10.0 ** np.linspace(0, 4, 8)
    loss = lambda x: ((x @ basis) ** 2) @ scales  # noqa: E731
    final = evolve(cma.start(np.full(8, 2.0), 1.0), 10, 600, loss, rng)
    assert loss(final.mean[None])[0] < 1e-8
