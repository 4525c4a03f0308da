"""The methods that AR is compared with, against their papers' figures."""

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.learning_rate import Signal, adapt, rescale
from qiskit_arcmaes.strategies.population import expected_movement
from qiskit_arcmaes.strategies.uncertainty import rank_change_limit


def make(name, dim=5, seed=0, **kwargs):
    values = {"popsize": 10, "budget": 1e7, **kwargs}
    popsize, budget = values.pop("popsize"), values.pop("budget")
    setup = Setup(np.full(dim, 3.0), 2.0, popsize, make_domain(dim), budget, **values)
    return METHODS[name].build(setup, np.random.default_rng(seed))


def sphere(method, generations, seed, noise=1.0):
    rng = np.random.default_rng(seed)
    for _ in range(generations):
        batch = method.ask()
        noisy = noise / np.sqrt(batch.shots) * rng.standard_normal(len(batch.points))
        method.tell(batch, Estimate(np.sum(batch.points**2, axis=1) + noisy))


# LRA


def test_lra_reaches_the_authors_figure_on_the_noisy_sphere():
    """Evaluations until f(mean) < 1e-2 at d = 10: the authors' code needs 9170 in the median of 7.

    Their seven runs spread over a factor of 5; the median of 9 of ours has a log standard error of
    about 0.3, and a factor of 4 is more than 4.5 of these: failure probability below 1e-5.
    """
    needed = []
    for seed in range(9):
        method = make("lra", dim=10, seed=seed)
        rng, used = np.random.default_rng(100 + seed), 0
        while np.sum(method.state.distribution.mean**2) > 1e-2 and used < 200_000:
            batch = method.ask()
            values = np.sum(batch.points**2, axis=1) + rng.standard_normal(len(batch.points))
            method.tell(batch, Estimate(values))
            used += len(batch.points)
        needed.append(used)
    assert 9170 / 4 < np.median(needed) < 4 * 9170


def test_lra_rate_falls_under_pure_noise_and_rises_with_a_steady_signal():
    rng = np.random.default_rng(1)
    signal = Signal(np.zeros(4))
    for _ in range(300):
        adapt(signal, rng.standard_normal(4), 0.1)
    assert signal.rate < 0.3
    for _ in range(3000):
        adapt(signal, np.ones(4) + 0.01 * rng.standard_normal(4), 0.1)
    assert signal.rate == pytest.approx(1)


def test_rescale_gives_c_determinant_one_and_keeps_sigma_c():
    distribution = make("lra").state.distribution
    distribution = cma.settle(
        cma.Proposal(
            distribution.mean, 2.0, np.diag(np.arange(1.0, 6)), np.zeros(5), np.ones(5), 3, False
        )
    )
    before = distribution.step_size**2 * distribution.covariance
    after = rescale(distribution, 1.0)
    np.testing.assert_allclose(after.step_size**2 * after.covariance, before)
    assert np.linalg.det(after.covariance) == pytest.approx(1)


# PSA


@pytest.mark.parametrize(
    ("dim", "popsize", "expected"),
    [(10, 10, 3.231), (10, 100, 0.629), (20, 12, 5.399), (20, 100, 0.922)],
)
def test_psa_expected_movement_is_the_papers(dim, popsize, expected):
    weights = cma.rank_weights(popsize)
    rates = cma.parameters(dim, cma.effective_parents(weights))
    assert expected_movement(rates, weights, 1.0, 1.0) == pytest.approx(expected, abs=6e-4)


def test_psa_expected_movement_by_simulation():
    """Neutral selection, d = 10, lambda = 10: 4000 generations, standard error about 1%."""
    method = make("psa", dim=10)
    rng = np.random.default_rng(5)
    distribution, movements = cma.start(np.zeros(10), 1.0), []
    for generation in range(4200):
        steps = cma.sample(distribution, 10, rng)[: len(method.weights)]
        proposal = cma.propose(distribution, method.rates, steps, method.weights)
        movement = np.concatenate(method._movement(distribution, proposal))
        if generation >= 200:
            movements.append(movement @ movement)
        distribution = cma.settle(proposal)
    assert np.mean(movements) == pytest.approx(3.231, rel=0.06)


def test_psa_population_grows_under_noise_and_stays_small_without():
    noisy, quiet = make("psa", seed=1), make("psa", seed=1)
    sphere(noisy, 400, 2, noise=30.0)
    sphere(quiet, 60, 2, noise=0.0)
    assert noisy.popsize > 50
    assert quiet.popsize < 30
    assert len(noisy.weights) == noisy.popsize // 2


# UH


def test_uh_shots_grow_under_noise_and_fall_without():
    """Pure noise: s > 0 in most generations, so M climbs to its cap; no noise: M falls to 1."""
    noisy = make("uh", budget=1e5)
    rng = np.random.default_rng(3)
    for _ in range(60):
        batch = noisy.ask()
        noisy.tell(batch, Estimate(rng.standard_normal(len(batch.points))))
    assert noisy.state.shots > 50
    quiet = make("uh", shots=100)
    sphere(quiet, 40, 1, noise=0.0)
    assert quiet.state.shots == 1


def test_uh_rank_change_limit_is_the_quantile():
    """lambda = 3, rank 0 (the best): changes 0, 1, 2, 3, 4; their 10% quantile is 0.4."""
    assert rank_change_limit(0, 3) == pytest.approx(0.4)
    assert rank_change_limit(2, 3) == pytest.approx(np.percentile([2, 1, 0, 1, 2], 10))


def test_uh_measures_no_uncertainty_where_ranks_stay():
    method = make("uh", popsize=20)
    values = np.arange(20.0)
    assert method._uncertainty(values, values[:2]) < 0
    assert method._uncertainty(values, np.array([30.0, 31.0])) > 0


# Three stages


def test_three_stages_have_the_papers_shots_and_shares():
    """B = 10⁷: M = 100, 1000, 10000, with about 7150, 2145 and 715 candidates."""
    method = make("three-stage", dim=20, popsize=100, budget=1e7)
    candidates, spent = {}, 0
    while True:
        batch = method.ask()
        spent += len(batch.points) * batch.shots
        if spent > 1e7:
            break
        candidates[batch.shots] = candidates.get(batch.shots, 0) + len(batch.points)
        method.tell(batch, Estimate(np.sum(batch.points**2, axis=1)))
    assert set(candidates) == {100, 1000, 10000}
    assert candidates[100] == pytest.approx(7150, abs=100)
    assert candidates[1000] == pytest.approx(2145, abs=100)
    assert candidates[10000] == pytest.approx(715, abs=100)


def test_three_stages_fit_small_budgets():
    method = make("three-stage", popsize=10, budget=1e4)
    stages = set()
    for _ in range(100):
        batch = method.ask()
        stages.add(method.report().diagnostics["stage"])
        method.tell(batch, Estimate(np.sum(batch.points**2, axis=1)))
    assert stages == {1, 2, 3}


# Plain CMA-ES


def test_residual_error_follows_the_law():
    """f ends at s d/(4 mu_eff c_w); average over the last half of 4 runs at d = 10, within 35%."""
    popsize, shots = 100, 100
    weights = cma.rank_weights(popsize)
    product = cma.effective_parents(weights) * cma.selection_gain(weights, popsize)
    errors = []
    for seed in range(4):
        method = make("cma", dim=10, popsize=popsize, shots=shots, seed=seed)
        sphere(method, 300, seed)
        for _ in range(150):
            sphere(method, 4, int(method.state.rng.integers(10**9)))
            errors.append(np.sum(method.state.distribution.mean**2))
    law = 1 / np.sqrt(shots) * 10 / (4 * product)
    assert np.mean(errors) == pytest.approx(law, rel=0.35)
