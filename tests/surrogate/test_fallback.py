"""The fallback on losses that are not smooth: tried, compared, continued only if better."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.surrogate.fallback import (
    COMPARISON_PHASE,
    STRATEGY_PHASE,
    EvolutionStrategyFallback,
    Fallback,
    FallbackStage,
)
from qiskit_arcmaes.surrogate.params import FallbackParams

from .problems import DIM, some_setup

PARAMS = FallbackParams()
BUDGET = 10**6
SEEDS = (0, 4)  # runs whose comparison chooses the strategy, as nearly all of this function do


def some_fallback(**settings):
    return EvolutionStrategyFallback(some_setup(**settings), PARAMS)


def begun(**settings):
    fallback = some_fallback(**settings)
    return fallback, fallback.begin(np.random.default_rng(1), noise=0.01, spent=5000.0)


def sphere(batch):
    return Estimate(np.sum(batch.points**2, axis=1))


def test_it_is_due_after_six_shrinkings_in_the_first_half_of_the_budget_and_only_once():
    fallback = some_fallback()
    assert fallback.is_due(Fallback(), 6, 1e4)
    assert not fallback.is_due(Fallback(), 5, 1e4)
    assert not fallback.is_due(Fallback(), 6, 6e4)
    assert not fallback.is_due(Fallback(FallbackStage.REJECTED), 6, 1e4)


def test_it_begins_at_the_start_with_a_large_population():
    fallback, state = begun()
    assert (state.stage, state.active) == (FallbackStage.TRIAL, True)
    assert state.trial_ends_at == 5000 + 0.1 * 1e5
    batch = fallback.ask(state, np.zeros(DIM), 5000.0)
    assert batch.phase == STRATEGY_PHASE
    assert len(batch.points) >= 5 * DIM
    np.testing.assert_allclose(batch.points.mean(axis=0), 1.5, atol=5 * 0.5 / np.sqrt(5 * DIM))


def test_a_large_popsize_of_the_user_is_kept():
    fallback, _ = begun(popsize=100)
    assert fallback.strategy.popsize == 100


def test_the_trial_ends_when_its_share_of_the_budget_is_spent():
    fallback, state = begun()
    batch = fallback.ask(state, np.zeros(DIM), 5000.0)
    assert fallback.tell(state, batch, sphere(batch), 14_000.0).stage is FallbackStage.TRIAL
    batch = fallback.ask(state, np.zeros(DIM), 14_000.0)
    assert fallback.tell(state, batch, sphere(batch), 15_000.0).stage is FallbackStage.COMPARISON


def test_the_comparison_evaluates_both_recommendations():
    fallback, state = begun()
    state = replace(state, stage=FallbackStage.COMPARISON)
    minimiser = np.full(DIM, 0.25)
    batch = fallback.ask(state, minimiser, 20_000.0)
    assert batch.phase == COMPARISON_PHASE
    np.testing.assert_array_equal(batch.points, [fallback.strategy.recommendation, minimiser])
    assert batch.shots == int(0.02 * 20_000 / 2)
    assert fallback.report(state, 20_000.0).next_shots == batch.shots


def test_its_report_is_that_of_the_evolution_strategy():
    fallback, state = begun()
    assert repr(fallback.report(state, 5000.0)) == repr(fallback.strategy.report())  # NaN included
    assert fallback.report(state, 5000.0).radius == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("difference", "stage"),
    [
        (-0.1, FallbackStage.CHOSEN),
        (-0.005, FallbackStage.REJECTED),  # below two standard errors of 0.01
        (0.1, FallbackStage.REJECTED),
        (np.nan, FallbackStage.REJECTED),
    ],
)
def test_it_is_chosen_only_if_significantly_better(difference, stage):
    """Noise 0.01 per shot and 200 shots: the difference has a standard error of 0.01."""
    fallback, state = begun()
    state = replace(state, stage=FallbackStage.COMPARISON)
    batch = fallback.ask(state, np.zeros(DIM), 20_000.0)
    after = fallback.tell(state, batch, Estimate(np.array([1.0 + difference, 1.0])), 20_400.0)
    assert after.stage is stage
    assert after.active is (stage is FallbackStage.CHOSEN)


def test_once_chosen_it_is_not_compared_again():
    fallback, state = begun()
    state = replace(state, stage=FallbackStage.CHOSEN)
    batch = fallback.ask(state, np.zeros(DIM), 9e4)
    assert fallback.tell(state, batch, sphere(batch), 9.9e4).stage is FallbackStage.CHOSEN


def test_a_restored_fallback_asks_the_same():
    fallback, state = begun()
    for spent in (6000.0, 7000.0):
        batch = fallback.ask(state, np.zeros(DIM), spent)
        state = fallback.tell(state, batch, sphere(batch), spent)
    generator = state.strategy.rng.bit_generator.state
    expected = fallback.ask(state, np.zeros(DIM), 8000.0)
    state.strategy.rng.bit_generator.state = generator
    other = some_fallback()
    other.restore(state)
    np.testing.assert_array_equal(other.ask(state, np.zeros(DIM), 8000.0).points, expected.points)


def nonsmooth(seed, kind=GaussianOracle, **options):
    function = get_function("nesterov_f1", 8)
    start = np.random.default_rng(seed).uniform(function.lower, function.upper, 8)
    sigma0 = 0.1 * (function.upper - function.lower)
    oracle = kind(function, tau=0.1, seed=seed)
    return minimize(oracle, start, max_shots=BUDGET, sigma0=sigma0, seed=seed, **options)


@functools.cache
def whole_run(seed):
    """The same run for every test that only looks at it."""
    return nonsmooth(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_on_a_loss_that_is_not_smooth_tries_it_with_a_tenth_of_the_budget(seed):
    history = whole_run(seed).history
    phases, spent = history["phase"], history["spent"]
    trial = np.flatnonzero(phases == STRATEGY_PHASE)
    (comparison,) = np.flatnonzero(phases == COMPARISON_PHASE)
    assert 0 < trial[0] < comparison
    assert spent[comparison - 1] - spent[trial[0] - 1] >= 0.1 * 0.9 * BUDGET  # without the reserve
    assert set(phases[comparison + 1 :]) == {STRATEGY_PHASE}


def test_a_run_on_a_smooth_loss_does_not_try_it():
    for name in ("sphere", "rastrigin", "cosine_mixture"):
        function = get_function(name, 8)
        start = np.random.default_rng(1).uniform(function.lower, function.upper, 8)
        sigma0 = 0.1 * (function.upper - function.lower)
        oracle = GaussianOracle(function, tau=1.0, seed=1)
        result = minimize(oracle, start, max_shots=BUDGET, sigma0=sigma0, seed=1)
        assert STRATEGY_PHASE not in result.history["phase"], name


def dying(jobs):
    """An oracle whose process ends in its job of that number."""

    class Dying(GaussianOracle):
        left = jobs

        def evaluate(self, points, shots):
            self.left -= 1
            if self.left < 0:
                raise SystemExit
            return super().evaluate(points, shots)

    return Dying


@pytest.mark.parametrize(("seed", "generations"), list(zip(SEEDS, (1, 5), strict=True)))
def test_a_run_in_its_fallback_resumes_bit_for_bit(tmp_path, generations, seed):
    whole = whole_run(seed)
    first = int(np.flatnonzero(whole.history["phase"] == STRATEGY_PHASE)[0])
    file = tmp_path / "run.ckpt"
    with pytest.raises(SystemExit):
        nonsmooth(seed, kind=dying(first + generations), checkpoint=file, checkpoint_seconds=0)
    resumed = nonsmooth(seed, checkpoint=file, resume=True)
    np.testing.assert_array_equal(resumed.x, whole.x)
    np.testing.assert_array_equal(resumed.history["value"], whole.history["value"])
