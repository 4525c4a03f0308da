"""AR-CMA-ES: what M and the learning rates are decided from, and that no noise stops it."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate, Oracle, Price
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.adaptive_params import STANDALONE, AdaptiveParams
from qiskit_arcmaes.strategies.expected_weights import expected_weights, mirrored_mass
from qiskit_arcmaes.strategies.mirrored import components
from qiskit_arcmaes.strategies.phases import periods, phase_variance


def adaptive(dim=5, popsize=200, **kwargs):
    setup = Setup(np.linspace(1, 2, dim), 0.1, popsize, make_domain(dim), 1e9, **kwargs)
    return METHODS["ar"].build(setup, np.random.default_rng(1))


def told(method, generations, noise, seed=2, loss=lambda x: np.sum(x**2, axis=1)):
    """Generations of a method under Gaussian noise; the largest population and shots."""
    rng = np.random.default_rng(seed)
    for _ in range(generations):
        batch = method.ask()
        deviations = noise / np.sqrt(batch.shots) * rng.standard_normal(len(batch.points))
        method.tell(batch, Estimate(loss(batch.points) + deviations))


def test_spread_is_the_variance_that_the_loss_causes():
    """A frozen distribution on the sphere under noise: S = sigma² 4‖m‖² + 2 d sigma^4.

    500 generations of 200 values: the mean of the unsmoothed estimates has a relative standard
    error of sqrt(2/10^5) of the whole variance, 0.5% in units of S; 3% is six of these.
    """
    method = adaptive(noise=0.2)
    frozen, rng, found = method.state.distribution, np.random.default_rng(2), []
    for _ in range(500):
        points, _ = method._sample()
        method.state.spread = np.nan  # no smoothing
        values = np.sum(points**2, axis=1) + 0.2 * rng.standard_normal(len(points))
        method._learn_spread(values, components(values), shots=1)
        found.append(method.state.spread)
    truth = 0.01 * 4 * frozen.mean @ frozen.mean + 2 * 5 * 0.1**4
    assert np.mean(found) == pytest.approx(truth, rel=0.03)


def test_candidates_come_in_mirrored_pairs():
    for popsize in (6, 7):
        batch = adaptive(popsize=popsize, noise=1.0).ask()
        assert len(batch.points) == popsize
        steps = batch.memo.steps
        np.testing.assert_array_equal(steps[: popsize // 2], -steps[popsize - popsize // 2 :])


def test_rates_fall_and_shots_rise_to_their_limit_under_noise():
    """Pure noise: the learning rate of the mean falls, M goes to its limit, o/2."""
    method = adaptive(noise=1.0, popsize=20)
    told(method, 300, noise=1.0, loss=lambda x: np.zeros(len(x)))
    assert method.state.signal_mean.rate < 0.2
    assert method.state.shots == pytest.approx(method.params.most_shots * method.price, rel=0.05)


def test_falling_rates_widen_the_distribution_up_to_the_first_step_size():
    """Pure noise: without the limit sigma grows as the rate of the mean falls, with it it stays.

    Fixed seeds; how often other seeds would fail has not been measured.
    """
    widths = {}
    for widest in (1.0, 1e9):
        setup = Setup(np.ones(5), 0.1, 40, make_domain(5), 1e6, noise=1.0)
        params = AdaptiveParams(widest=widest)
        method = AdaptiveReevaluation(setup, np.random.default_rng(1), params)
        told(method, 100, noise=1.0, loss=lambda x: np.zeros(len(x)))
        widths[widest] = method.state.distribution.step_size
    assert widths[1.0] < 0.2
    assert widths[1e9] > 2 * widths[1.0]


def alone(dim=5, popsize=30, budget=1e5, sigma0=1.0, periodic=None, **changes):
    """``ar`` with changed constants, a noise level of one."""
    setup = Setup(
        np.full(dim, 2.0), sigma0, popsize, make_domain(dim, None, periodic), budget, noise=1
    )
    return AdaptiveReevaluation(setup, np.random.default_rng(1), replace(STANDALONE, **changes))


def test_a_population_on_a_quadratic_stays_wide_and_finds_the_minimum_better():
    """Sphere, 400 generations of one shot: ranks of values narrow the population to the noise.

    Fixed seeds; how often other seeds would fail has not been measured.
    """
    widths, errors = {}, {}
    for differences in (True, False):
        method = alone(differences=differences)
        told(method, 400, noise=1.0)
        widths[differences] = method.state.distribution.step_size
        errors[differences] = np.sum(method.recommendation**2)
    assert widths[True] > 0.7
    assert widths[False] < 0.5 * widths[True]
    assert errors[True] < 0.5 * errors[False]


def test_c_changes_its_shape_only():
    method = alone()
    old = method.state.distribution
    grown = np.diag([1.0, 2, 3, 4, 5])
    proposal = cma.Proposal(old.mean, 3.0, grown, old.path_sigma, old.path_c, 1, False)
    curved, linear = method._keep_width(proposal, 0.5), method._keep_width(proposal, 1.0)
    np.testing.assert_allclose(np.linalg.det(curved.covariance), 1.0)
    np.testing.assert_allclose(curved.covariance * 120**0.2, grown)
    assert curved.step_size == 1  # sigma0
    assert linear.step_size == pytest.approx(3)  # along a slope sigma may grow


def test_the_recommendation_averages_the_means_as_long_as_the_rate_does():
    """By hand for two means; where the mean is moved to another point it is that point."""
    method = alone(averaged=2.0)
    state = method.state
    state.signal_mean.rate = 0.2
    batch = method.ask()
    state.distribution.mean = np.zeros(5)
    method._learn_average(batch.memo, np.zeros(30))
    newest = 0.2 / (0.2 + 2 * 0.8)
    np.testing.assert_allclose(method.recommendation, 2 * (1 - newest))
    method.move_to(np.full(5, 7.0))
    np.testing.assert_array_equal(method.recommendation, np.full(5, 7.0))


def test_periodic_coordinates_rank_values_take_full_steps_and_average_the_last_means():
    """The average by hand: the newest of t means has the share 4/t."""
    method = alone(periodic=True, sigma0=0.5)
    assert not method.ranks_differences
    average, told_so_far = np.full(5, 2.0), 20
    for generation in range(1, told_so_far + 1):
        told(method, 1, noise=1.0, seed=generation)
        average += min(4 / generation, 1) * (method.state.distribution.mean - average)
    np.testing.assert_allclose(method.recommendation, method.setup.domain.wrap(average))
    assert method.state.signal_mean.rate == 1
    assert method.state.signal_covariance.rate < 1
    assert np.isnan(method.report().value)


def test_without_noise_periodic_coordinates_recommend_the_mean():
    setup = Setup(np.full(3, 2.0), 0.5, 10, make_domain(3, None, True), 1e5, noise=0.0)
    method = AdaptiveReevaluation(setup, np.random.default_rng(1), STANDALONE)
    told(method, 5, noise=0.0, loss=lambda x: -np.sum(np.cos(x), axis=1))
    wrapped = setup.domain.wrap(method.state.distribution.mean)
    np.testing.assert_array_equal(method.recommendation, wrapped)


def test_the_phases_limit_the_width_from_four_to_one():
    """Pure noise, d = 16: the sum of variances follows 4^(1 - spent/B); other periods scale."""
    setup = Setup(np.zeros(16), 3.0, 96, make_domain(16, None, [6.0] * 16), 96 * 50.0, noise=1.0)
    method = AdaptiveReevaluation(setup, np.random.default_rng(1), STANDALONE)
    for share in (0.5, 1.0):
        told(method, 25, noise=1.0, loss=lambda x: np.zeros(len(x)))
        method.state.distribution.step_size *= 10
        method.state.spent = share * setup.budget
        method._move(method.state.distribution)
        variance = phase_variance(method.state.distribution, setup.domain.periods)
        assert variance == pytest.approx(4 ** (1 - share))


def on_circles(noise, **changes):
    """``ar`` alone on three periodic coordinates."""
    setup = Setup(np.full(3, 2.0), 0.5, 20, make_domain(3, None, True), 1e5, noise=noise)
    params = replace(STANDALONE, **changes)
    return AdaptiveReevaluation(setup, np.random.default_rng(1), params)


def test_only_noise_keeps_the_width_on_periodic_coordinates():
    """Of a fall of sigma the power rho² is taken: without noise all of it, in pure noise little.

    In pure noise S is a smoothed estimate around zero, so that rho² is a few percent.
    """
    for held in (True, False):
        method = on_circles(0.0, periodic_hold=held)
        told(method, 30, noise=0.0, loss=lambda x: -np.sum(np.cos(x), axis=1))
        if held:
            width = method.state.distribution.step_size
    assert method.state.distribution.step_size == width < 0.1
    method = on_circles(1.0)
    for generation in range(50):
        before = method.state.distribution.step_size
        told(method, 1, noise=1.0, seed=generation, loss=lambda x: np.zeros(len(x)))
        variance = phase_variance(method.state.distribution, np.full(3, 2 * np.pi))
        share = method.share if method.state.spread > 0 else 0.0
        limited = variance > 0.9 or method._nonlinearity > 0
        assert limited or method.state.distribution.step_size >= before * 0.8**share


def test_the_averaged_mean_is_as_precise_as_the_population_is_wide():
    """Full steps on a quadratic loss under noise: the variance of the average falls as 1/sigma².

    300 averages for each width: the ratio of two variances has a relative standard error of
    sqrt(4/300), 12%; 45% is 3.9 of them, a chance of 1 in 10^4.
    """
    rng, popsize, generations = np.random.default_rng(3), 36, 1000
    weights, variances = expected_weights(popsize, 0.0), []
    for width in (0.2, 0.4):
        mean, average = np.zeros((100, 3)), np.zeros((100, 3))
        for _ in range(generations):
            half = rng.standard_normal((100, popsize // 2, 3))
            steps = width * np.concatenate([half, -half], axis=1)
            values = np.sum((mean[:, None] + steps) ** 2, axis=2) / 2
            order = np.argsort(values + rng.standard_normal(values.shape), axis=1)
            best = np.take_along_axis(steps, order[:, :, None], axis=1)
            mean = mean + np.einsum("k,rkd->rd", weights, best)
            average += mean / generations
        variances.append(np.mean(average**2))
    assert variances[0] / variances[1] == pytest.approx(4, rel=0.45)


def test_full_steps_get_more_shots_per_point():
    """Pure noise: M rises beyond half of the price of a point, but not beyond ten of it."""
    method = on_circles(1.0)
    told(method, 60, noise=1.0, loss=lambda x: np.zeros(len(x)))
    assert 0.5 * method.price < method.state.shots <= 10 * method.price


def test_free_angles_of_a_circuit_are_periodic():
    domain = make_domain(3, [(0, 1), (None, None), (0, 4)], [False, False, True])
    setup = Setup(np.full(3, 0.5), 0.5, 10, domain, 1e5, angles=True)
    np.testing.assert_allclose(periods(setup), [0, 2 * np.pi, 4])
    np.testing.assert_allclose(periods(replace(setup, angles=False)), [0, 0, 4])


def test_a_component_that_turns_with_all_angles_has_its_largest_slope_at_variance_one():
    """Slope in units of the width, E[z sin(phase)] over 2·10⁵ samples: sqrt(v) exp(-v/2)."""
    rng, found = np.random.default_rng(3), {}
    z = rng.standard_normal((200_000, 8))
    for variance in (0.25, 1.0, 2.0, 4.0):
        slope = np.mean(z * np.sin(np.sqrt(variance / 8) * z.sum(axis=1))[:, None], axis=0)
        found[variance] = np.linalg.norm(slope)
        assert found[variance] == pytest.approx(np.sqrt(variance) * np.exp(-variance / 2), abs=0.02)
    assert max(found, key=found.__getitem__) == 1.0


def test_noise_costs_the_same_energy_whatever_the_curvature():
    """eta d s/(4 c_w mu) above the minimum of a quadratic loss of unequal curvatures.

    Full ranks of 30 mirrored samples in noise, 400 runs of which 150 generations are averaged:
    the standard error is about 1%, the formula is of first order in eta.
    """
    rng, runs, dim, popsize, rate = np.random.default_rng(4), 400, 3, 30, 0.5
    curvatures, width = np.array([1.0, 1.5, 2.0]), 0.5
    weights = expected_weights(popsize, 0.0)
    gain = cma.selection_gain(cma.rank_weights(popsize), popsize)
    means, losses, deviations = np.zeros((runs, dim)), [], []
    for generation in range(250):
        half = rng.standard_normal((runs, popsize // 2, dim))
        z = np.concatenate([half, -half], axis=1)
        values = (means[:, None] + width * z) ** 2 @ curvatures / 2
        values += 3 * rng.standard_normal(values.shape)
        order = values.argsort(axis=1)
        steps = np.einsum("i,rij->rj", weights, np.take_along_axis(z, order[..., None], axis=1))
        means += rate * width * steps
        if generation >= 100:
            losses.append(np.mean(means**2 @ curvatures / 2))
            deviations.append(values.std())
    expected = rate * dim * np.mean(deviations) / (4 * gain * mirrored_mass(weights))
    assert np.mean(losses) == pytest.approx(expected, rel=0.15)


def test_the_least_rate_follows_from_what_is_ranked():
    """A wide population at the minimum of a sphere: curvature is no reason for large rates."""
    setup = Setup(np.zeros(5), 3.0, 30, make_domain(5), 30 * 60.0, noise=1.0)
    method = AdaptiveReevaluation(setup, np.random.default_rng(1), STANDALONE)
    told(method, 50, noise=1.0)
    assert method.share > 0.95  # of the values
    assert method.least_rate == 1
    assert method.state.signal_mean.rate < 0.5


def test_the_value_that_is_told_is_that_of_the_mean_not_of_the_population():
    """Sphere after 300 generations: within five standard errors, populations lie 5 above it."""
    method = alone()
    told(method, 300, noise=1.0)
    progress = method.report()
    truth = float(np.sum(method.recommendation**2))
    assert 0 < progress.std < 0.5
    assert abs(progress.value - truth) < 5 * progress.std


def narrowed(loss, contraction, generations=300):
    """Step size after a run at the minimum, in units of the first."""
    setup = Setup(np.zeros(4), 1.5, 24, make_domain(4), 24 * 300.0, noise=0.3)
    params = AdaptiveParams(contraction=contraction)
    method = AdaptiveReevaluation(setup, np.random.default_rng(1), params)
    told(method, generations, noise=0.3, loss=loss)
    return method.state.distribution.step_size / 1.5


def test_the_step_size_falls_where_the_mean_stands_and_the_loss_is_nonlinear():
    """6 (cost/B) h q/(q + eta d/lambda) by hand, and nothing where one of the two is missing."""
    method = adaptive(dim=5, popsize=20, noise=1.0)
    odd, signal = method.state.antisymmetric, method.state.signal_mean
    odd.total, odd.nonlinear, odd.noise, odd.weights_square = 2.0, 1.0, 0.5, 0.01
    signal.square, signal.rate = 1.0, 0.2
    signal.average[0] = np.sqrt(0.1 / 1.9)  # undirected steps: h = 1/2
    assert method._nonlinearity == 1  # q = 0.5, e = sqrt(0.2 · 1.5 · 0.01) = 0.055
    expected = 6 * (1e6 / 1e9) * 0.5 * 0.5 / (0.5 + 0.2 * 5 / 20)
    assert method._contraction(1e6) == pytest.approx(expected)
    signal.average[0] = 0.5  # the mean moves
    assert method._contraction(1e6) == 0
    signal.average[0] = 0.0
    odd.nonlinear = 0.2  # q = 0.1, less than two standard errors
    assert method._nonlinearity == 0


def test_a_quadratic_loss_hardly_narrows_the_distribution():
    """No odd nonlinear component: the rule changes the step size by less than a quarter.

    Fixed seeds; how often other seeds would fail has not been measured.
    """

    def bowl(points):
        return 0.1 * np.sum(points**2, axis=1)

    assert narrowed(bowl, 6.0) > 0.75 * narrowed(bowl, 0.0)


def test_a_short_run_keeps_its_rates_where_noise_is_negligible():
    """100 affordable generations: full steps without noise, small ones under noise."""
    rates = {}
    for noise in (1e-9, 100.0):
        setup = Setup(np.full(5, 2.0), 1.0, 20, make_domain(5), 2000.0, noise=noise)
        method = AdaptiveReevaluation(setup, np.random.default_rng(1))
        told(method, 40, noise=noise)
        rates[noise] = method.state.signal_mean.rate
    assert rates[1e-9] == pytest.approx(1)
    assert rates[100.0] < 0.5


def test_the_number_of_generations_is_bounded():
    """No noise, but a noise level is known: M = 1 is best, and yet a run ends by its limit."""
    params = AdaptiveParams(generations_per_dimension=20, most_generations=4)
    setup = Setup(np.ones(3), 0.1, 10, make_domain(3), 1e6, noise=1e-9)
    method = AdaptiveReevaluation(setup, np.random.default_rng(1), params)
    spent = generations = 0
    while True:
        batch = method.ask()
        spent += len(batch.points) * batch.shots
        if spent > 1e6:
            break
        generations += 1
        method.tell(batch, Estimate(np.sum(batch.points**2, axis=1)))
    assert generations <= 240
    assert spent > 0.9e6


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
        options = {"method": "ar", "overhead": overhead, "seed": 1, "tau": 1.0}
        result = minimize(oracle, np.full(5, 3.0), max_shots=10**6, **options)
        used.append(result.history["shots"].max())
    assert used[1] > 3 * used[0]


def test_reevaluations_are_rows_of_the_same_batch():
    method = adaptive(popsize=50)
    while method._calibrating:
        batch = method.ask()
        method.tell(batch, Estimate(np.random.default_rng(0).normal(size=len(batch.points))))
    batch = method.ask()
    np.testing.assert_array_equal(batch.points[0], batch.points[50])
    np.testing.assert_array_equal(batch.points[51:], [method.state.distribution.mean] * 2)
    assert len(batch.points) == 53
    assert method.first_jobs()[-1] == (53, 1)


def test_no_noise_at_the_mean_is_followed_where_it_is_known_or_values_are_ranked():
    assert len(adaptive(popsize=50, noise=1.0).ask().points) == 50
    assert len(adaptive(popsize=50, reports_variances=True).ask().points) == 50
    setup = adaptive(popsize=50).setup
    ranked = AdaptiveReevaluation(setup, np.random.default_rng(1))  # beside a surrogate
    assert ranked.first_jobs()[-1] == (51, 1)


def test_noise_that_multiplies_the_value_sets_no_limit():
    """Noise of 1% of the value, d = 20, 40,000 shots: at most 4e-12 on three other seeds.

    With a step size that does not fall it ended at 2e-5 to 6e-4.
    """
    function = get_function("sphere", 20)
    for seed in range(3):
        oracle = GaussianOracle(function, tau=0.01, seed=seed, relative=True)
        result = minimize(oracle, np.full(20, 2.0), max_shots=40_000, method="ar", seed=seed)
        assert function(result.x) < 1e-8


class Noisy(Oracle):
    """A sphere under noise that is none of the simple ones."""

    def __init__(self, deviate, seed=1):
        self.deviate, self.rng = deviate, np.random.default_rng(seed)

    def evaluate(self, points, shots):
        values = np.sum(points**2, axis=1)
        mean = np.mean([self.deviate(self.rng, values) for _ in range(shots)], axis=0)
        self.charge(len(points) * shots)
        return Estimate(values + mean)

    def price(self, n):
        return Price(0, n)


NOISES = {
    "multiplicative": lambda rng, values: 0.5 * values * rng.standard_normal(len(values)),
    "growing": lambda rng, values: (1 + np.sqrt(values)) * rng.standard_normal(len(values)),
    "heavy tails": lambda rng, values: rng.standard_t(1.5, len(values)),
    "rare outliers": lambda rng, values: 1e6 * (rng.random(len(values)) < 1e-3),
}


@pytest.mark.parametrize("noise", list(NOISES))
def test_no_noise_stops_it(noise):
    """From f = 20 at d = 5 with 30000 shots: below 1 whatever the noise.

    Fixed seeds; how often other seeds would fail has not been measured.
    """
    oracle = Noisy(NOISES[noise])
    result = minimize(oracle, np.full(5, 2.0), max_shots=30_000, method="ar", seed=1, sigma0=1.0)
    assert result.success
    assert np.sum(result.x**2) < 1


@pytest.mark.parametrize("dim", [5, 20])
def test_the_default_population_is_no_trap(dim):
    """The default against lambda = 100, sphere, 5e4 shots: geometric means of 8 runs within 3.

    Fixed seeds; how often other seeds would fail has not been measured.
    """
    function, logs = get_function("sphere", dim), {None: [], 100: []}
    for popsize, errors in logs.items():
        for seed in range(8):
            oracle = GaussianOracle(function, tau=1.0, seed=seed)
            options = {"method": "ar", "popsize": popsize, "sigma0": 1.0, "seed": seed}
            result = minimize(oracle, np.full(dim, 2.0), max_shots=50_000, **options)
            errors.append(np.log(function(result.x)))
    assert np.mean(logs[None]) < np.mean(logs[100]) + np.log(3)


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
@pytest.mark.parametrize("seed", range(5))
def test_the_papers_variants_survive_a_noise_level_that_is_wrong(method, seed):
    """No noise, but tau = 1: the values of a population shrink below any multiple of the noise."""
    oracle = GaussianOracle(get_function("sphere", 4), tau=0.0, seed=seed)
    result = minimize(oracle, np.full(4, 1.5), max_shots=20_000, method=method, tau=1.0, seed=seed)
    assert result.success
    assert np.sum(result.x**2) < 1e-10
