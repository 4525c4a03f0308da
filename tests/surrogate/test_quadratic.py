"""The quadratic surrogate as a whole: below the noise floor, within bounds, plain in its state."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.surrogate.params import DEFAULTS
from qiskit_arcmaes.surrogate.quadratic import QuadraticSurrogate, affordable
from qiskit_arcmaes.testing.conformance import drive

from .problems import DIM, some_setup


def surrogate(params=DEFAULTS, seed=0, **settings):
    return QuadraticSurrogate(some_setup(**settings), np.random.default_rng(seed), params)


def test_ask_changes_only_the_generator():
    method = surrogate()
    drive(method, 5)
    before = repr(method.state), method.state.rng.bit_generator.state
    first = method.ask()
    method.state.rng.bit_generator.state = before[1]
    assert repr(method.state) == before[0]
    second = method.ask()
    np.testing.assert_array_equal(first.points, second.points)
    assert (first.shots, first.phase) == (second.shots, second.phase)


def test_the_memo_holds_the_points_before_they_were_wrapped():
    method = surrogate(domain=make_domain(DIM, periodic=[1.0] * DIM), sigma0=0.5)
    batch = method.ask()
    assert np.abs(batch.points).max() <= 0.5
    assert np.abs(batch.memo.points).max() > 0.5
    turns = batch.memo.points - batch.points
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)


def test_a_design_without_a_complete_pair_teaches_nothing_but_counts():
    method = surrogate()
    batch = method.ask()
    method.tell(batch, Estimate(np.full(len(batch.points), np.nan)))
    state = method.state
    assert state.schedule.spent == len(batch.points) * batch.shots
    assert state.iteration == 1
    assert state.multistart.search.designs == ()
    np.testing.assert_array_equal(method.recommendation, 1.5)


def test_repeats_that_all_fail_do_no_harm():
    """The noise is unknown then, and no lack of fit can be significant."""
    method = surrogate()
    batch = method.ask()
    values = np.sum(batch.points**2, axis=1)
    pairs = len(values) // 2
    values[pairs - batch.memo.repeats : pairs] = np.nan
    values[-batch.memo.repeats :] = np.nan
    method.tell(batch, Estimate(values))
    assert method.state.diagnostics.slope_lack_of_fit == 0
    assert len(drive(method, 3)) == 3


def test_variances_that_are_promised_but_not_reported_do_no_harm():
    method = surrogate(reports_variances=True)
    assert len(drive(method, 5, variances=False)) == 5
    assert np.isfinite(method.recommendation).all()


def test_report_says_what_the_next_job_will_be():
    method = surrogate()
    assert math.isnan(method.report().value)
    for _ in range(8):
        progress = method.report()
        search = method.state.multistart.search
        radii = np.linalg.eigvalsh(search.distribution.scale)
        assert progress.radius == pytest.approx(radii[-1])
        (batch,) = drive(method, 1)
        assert batch.shots == progress.next_shots
    progress = method.report()
    assert progress.iteration == 8
    assert set(progress.diagnostics) == set(method.columns)
    assert np.isfinite(list(progress.diagnostics.values())).all()


def test_the_efficiency_is_gain_minus_noise_loss_per_cost():
    method = surrogate(overhead=7.0)
    (*_, last) = drive(method, 4)
    shown = method.report().diagnostics
    expected = (shown["gain"] - shown["noise_loss"]) / (7.0 + last.shots)
    assert shown["efficiency"] == pytest.approx(expected)


def test_the_gain_of_the_first_design_is_the_true_decrease():
    """The sphere at 0.5 from its minimum in each of 5 coordinates: f(x) - f(x*) = 1.25.

    Noise of 0.01 per shot: the gain's standard error is 2%, margin five of it.
    """
    method = surrogate(start=np.full(DIM, 0.5), sigma0=1.0, budget=1e6)
    drive(method, 1, noise=0.1)
    assert method.report().diagnostics["gain"] == pytest.approx(1.25, rel=0.1)


def test_parameters_are_used():
    shorter = replace(DEFAULTS, newton=replace(DEFAULTS.newton, longest=0.1))
    steps = []
    for params in (DEFAULTS, shorter):
        method = surrogate(params, start=np.full(DIM, 9.0))
        drive(method, 1)
        steps.append(np.linalg.norm(method.recommendation - 9.0))
    assert steps[1] == pytest.approx(steps[0] / 7)


def test_affordable_means_three_designs():
    setup = some_setup(budget=1e4)
    ((points, shots),) = surrogate(budget=1e4).first_jobs()
    cost = 3 * points * shots
    assert affordable(replace(setup, budget=float(cost)))
    assert not affordable(replace(setup, budget=cost - 1.0))


@pytest.mark.parametrize("name", ["sphere", "ellipsoid", "schwefel02", "bohachevsky"])
def test_the_error_falls_as_one_over_the_budget(name):
    """Below the noise floor: error x budget stays below 15 tau² at d = 5, at both budgets.

    The information limit is d/(2 K sigma0²) <= 1.25 here; medians of 5 runs. A re-evaluating
    strategy has about 0.1 sqrt(B): 30 and 300.
    """
    function = get_function(name, 5)
    for budget in (10**5, 10**7):
        errors = []
        for seed in range(5):
            start = np.random.default_rng(seed).uniform(function.lower, function.upper, 5)
            oracle = GaussianOracle(function, tau=1.0, seed=seed)
            sigma0 = 0.1 * (function.upper - function.lower)
            result = minimize(oracle, start, max_shots=budget, sigma0=sigma0, seed=seed)
            errors.append(function(result.x) - function.minimum)
        assert np.median(errors) * budget < 15


def test_where_curvatures_are_equal_no_design_is_wider_than_sigma0():
    class Watch(GaussianOracle):
        widest = 0.0

        def evaluate(self, points, shots):
            spread = np.atleast_2d(points) - np.mean(points, axis=0)
            widths = np.linalg.svd(spread, compute_uv=False) / np.sqrt(len(spread))
            self.widest = max(self.widest, widths.max())
            return super().evaluate(points, shots)

    oracle = Watch(get_function("sphere", 4), tau=1.0, seed=1)
    few_jobs = {"max_jobs": 60}  # the surrogate alone: a strategy may widen its distribution
    result = minimize(oracle, np.full(4, 2.0), max_shots=10**6, sigma0=0.5, seed=1, **few_jobs)
    # curvatures differ by their errors only, and the fourth root of that
    assert result.history["radius"].max() <= 0.5 * 1.1
    assert oracle.widest < 0.5 * 1.1 * 1.5  # of a sample: 1 + sqrt(d/n) times that, n = 20 pairs


def test_the_history_shows_what_shots_were_decided_from():
    oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
    result = minimize(oracle, np.ones(3), max_shots=10**5, seed=1)
    led = [phase.startswith("quadratic surrogate") for phase in result.history["phase"]]
    for name in ("noise", "gain", "noise_loss", "radius", "start", "value", "value_std"):
        assert np.isfinite(result.history[name][led]).all()
    assert result.history["noise"][-1] == pytest.approx(1.0, rel=0.5)
    assert "quadratic surrogate" in result.algorithm


def test_many_coordinates_work():
    """d = 60, above the limit of the full Hessian: still near d/(2 K sigma0² B)."""
    function = get_function("sphere", 60)
    oracle = GaussianOracle(function, tau=1.0, seed=1)
    result = minimize(oracle, np.full(60, 1.0), max_shots=10**5, sigma0=1.0, seed=1)
    assert function(result.x) < 20 * 15 / 10**5


def test_noise_that_multiplies_the_value_sets_no_limit():
    """The noise vanishes with the loss, so that a radius that shrinks has no end; one of fixed
    radius ends near 1e-3 here. Of 24 other seeds, 23 ended below 1e-10 and one at 3e-4.
    """
    function = get_function("sphere", 5)
    for seed in range(3):
        oracle = GaussianOracle(function, tau=1.0, relative=True, seed=seed)
        result = minimize(oracle, np.full(5, 2.0), max_shots=10**5, seed=seed)
        assert function(result.x) < 1e-7


def test_a_budget_that_pays_no_surrogate_gets_the_evolution_strategy():
    oracle = GaussianOracle(get_function("sphere", 20), tau=1.0, seed=1)
    result = minimize(oracle, np.ones(20), max_shots=400, seed=1)
    assert "surrogate" not in result.algorithm
    assert result.nit > 1


@pytest.mark.parametrize("name", ["sphere", "schwefel02", "trid"])
def test_without_noise_a_quadratic_is_solved_to_rounding(name):
    """Fewer values than coefficients and no noise: the fit must not trust what it cannot see."""
    function = get_function(name, 20)
    start = np.random.default_rng(1).uniform(function.lower, function.upper, 20)
    sigma0 = 0.1 * (function.upper - function.lower)
    result = minimize(function, start, max_shots=10**4, sigma0=sigma0, tau=0.0, seed=1)
    assert function(result.x) - function.minimum < 1e-12 * function(start)


def test_a_rugged_loss_is_smoothed_before_a_local_minimum_is_entered():
    """Rastrigin, d = 8: a wrong minimum lies about 1 above the least one per wrong coordinate.

    These seeds end below 1e-5; with a radius that shrinks at once as soon as the minimiser is
    roughly resolved (rugged_resolution = 1) they end between 0.75 and 5.4.
    """
    function = get_function("rastrigin", 8)
    for seed in range(5):
        start = np.random.default_rng(seed).uniform(function.lower, function.upper, 8)
        oracle = GaussianOracle(function, tau=1.0, seed=seed)
        result = minimize(oracle, start, max_shots=10**6, sigma0=1.0, seed=seed)
        assert function(result.x) < 0.1


def test_designs_of_no_use_are_dropped_with_their_sums():
    """A radius that shrinks without end leaves its designs behind: bounded memory."""
    function, rng = get_function("sphere", 4), np.random.default_rng(1)
    method = surrogate(dim=4, start=np.full(4, 2.0), sigma0=1.0)
    summed, most, jobs = False, 0, 0
    while not method.finished and jobs < 150:
        batch, jobs = method.ask(), jobs + 1
        values = function(batch.points)
        values = values * (1 + rng.standard_normal(len(values)) / math.sqrt(batch.shots))
        method.tell(batch, Estimate(values))
        kept, sums = len(method.state.multistart.search.designs), len(method.searcher.cache)
        summed, most = summed or sums > 0, max(most, kept, sums)
    assert jobs == 150
    assert summed
    assert most < 60
