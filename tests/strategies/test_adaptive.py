"""AR-CMA-ES: the estimates that M is decided from, and that M neither sticks nor collapses."""

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.registry import METHODS


def adaptive(dim=5, popsize=200, **kwargs):
    setup = Setup(np.linspace(1, 2, dim), 0.1, popsize, make_domain(dim), 1e9, **kwargs)
    return METHODS["ar"].build(setup, np.random.default_rng(1))


def test_signal_and_curvature_are_unbiased():
    """A frozen distribution on the sphere, 400 generations under strong noise.

    Truth: signal = sigma² 4‖m‖², curvature = sigma² 2 d. Averages of debiased estimates; the
    standard error is taken from the sample with an effective size of 400 alpha/2.
    """
    method = adaptive(noise=0.2)
    frozen = method.state.distribution
    rng = np.random.default_rng(2)
    signals, curvatures = [], []
    for generation in range(500):
        points, population = method._sample()
        values = np.sum(points**2, axis=1) + 0.2 * rng.standard_normal(len(points))
        method._learn_signal(values, population.normals)
        if generation >= 100:
            raw = method.state.gradient @ method.state.gradient - method.state.gradient_variance
            signals.append(raw)
            curvatures.append(method.state.curvature)
    effective = np.sqrt(400 * 0.05)
    for values, truth in ((signals, 0.04 * frozen.mean @ frozen.mean), (curvatures, 0.1)):
        assert abs(np.mean(values) - truth) < 5 * np.std(values) / effective


@pytest.mark.parametrize("tau", [1.0, 10.0])
@pytest.mark.parametrize("name", ["sphere", "rotated_ellipsoid", "rastrigin"])
def test_shots_climb_when_the_noise_hides_the_signal(name, tau):
    """M starts at 1, ends in the hundreds at least, and never stays put without a gain."""
    function = get_function(name, 10)
    oracle = GaussianOracle(function, tau=tau, seed=3)
    result = minimize(
        oracle, np.full(10, 2.0), max_shots=10**6, method="ar", popsize=40, sigma0=1.0, seed=4
    )
    shots, gain = result.history["next_shots"], result.history["gain"]
    assert shots[0] < 2
    assert shots.max() > 100
    cap = shots.max()
    hidden = (gain[1:] <= 0) & (shots[:-1] < 0.99 * cap)
    calibration = result.history["iteration"][1:] == 0
    assert np.all(shots[1:][hidden & ~calibration] > shots[:-1][hidden & ~calibration])


def test_without_noise_one_shot_is_enough():
    oracle = GaussianOracle(get_function("sphere", 5), tau=0.0)
    result = minimize(oracle, np.ones(5), max_shots=4000, method="ar", tau=0.0, seed=1, sigma0=0.5)
    assert result.history["shots"].max() == 1
    assert np.sum(result.x**2) < 1e-12


def test_overhead_raises_the_shots():
    """A circuit that costs a thousand shots makes small M pointless."""
    used = []
    for overhead in (0.0, 1000.0):
        oracle = GaussianOracle(get_function("sphere", 5), tau=1.0, seed=3)
        result = minimize(
            oracle,
            np.full(5, 3.0),
            max_shots=10**6,
            method="ar",
            overhead=overhead,
            seed=1,
            tau=1.0,
        )
        used.append(result.history["shots"][30])
    assert used[1] > 3 * used[0]


def test_reevaluations_are_rows_of_the_same_batch():
    method = adaptive(popsize=50)
    while method._calibrating:
        batch = method.ask()
        method.tell(batch, Estimate(np.random.default_rng(0).normal(size=len(batch.points))))
    batch = method.ask()
    np.testing.assert_array_equal(batch.points[0], batch.points[-1])
    assert len(batch.points) == 51


@pytest.mark.parametrize(("name", "weighted"), [("ar-paper", 10), ("ar-literal", 19)])
def test_the_papers_variants_evaluate_the_mean_and_weigh_proportionally(name, weighted):
    """The first-not-selected (ar-paper) or the worst (ar-literal) candidate gets weight zero."""
    setup = Setup(np.ones(3), 0.1, 20, make_domain(3), 1e6, noise=0.0)
    method = METHODS[name].build(setup, np.random.default_rng(1))
    batch = method.ask()
    assert len(batch.points) == 21
    np.testing.assert_array_equal(batch.points[-1], np.ones(3))
    improvements = 3 - np.sum(batch.points[:-1] ** 2, axis=1)
    offset, weights = method._weigh(improvements)
    assert np.sum(weights > 0) == weighted
    assert weights.sum() == pytest.approx(1)
    chosen = weights > 0
    np.testing.assert_allclose(
        weights[chosen] / weights[chosen].max(),
        (improvements[chosen] + offset) / (improvements[chosen] + offset).max(),
    )


def test_ar_paper_matches_the_papers_noiseless_sphere():
    """1.24e-5 at d = 20 after 10⁴ evaluations; median of 5 runs within a factor of 3."""
    function = get_function("sphere", 20)
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        setup = Setup(rng.uniform(-5, 5, 20), 1.0, 100, make_domain(20), 1e6, noise=0.0)
        method = METHODS["ar-paper"].build(setup, rng)
        for _ in range(99):
            batch = method.ask()
            method.tell(batch, Estimate(function(batch.points)))
        errors.append(float(function(method.recommendation)))
    assert 1.24e-5 / 3 < np.median(errors) < 3 * 1.24e-5


@pytest.mark.parametrize("method", ["ar-paper", "ar-literal"])
@pytest.mark.parametrize("seed", range(10))
def test_the_papers_variants_survive_a_noise_level_that_is_wrong(method, seed):
    """No noise, but tau = 1: the values of a population shrink below any multiple of the noise."""
    oracle = GaussianOracle(get_function("sphere", 4), tau=0.0, seed=seed)
    result = minimize(oracle, np.full(4, 1.5), max_shots=20_000, method=method, tau=1.0, seed=seed)
    assert result.success
    assert np.sum(result.x**2) < 1e-10
