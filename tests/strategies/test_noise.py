"""The noise level before the start."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies.noise import LEVELS, fit_noise, reported_noise


def method(name="ar", **kwargs):
    setup = Setup(np.ones(3), 0.5, 10, make_domain(3), 1e6, **kwargs)
    return METHODS[name].build(setup, np.random.default_rng(0))


def calibrate(asked, tau, seed):
    rng = np.random.default_rng(seed)
    while math.isnan(asked.state.noise):
        batch = asked.ask()
        assert np.all(batch.points == 1.0)
        noise = tau / math.sqrt(batch.shots) * rng.standard_normal(len(batch.points))
        asked.tell(batch, Estimate(3 + noise))
    return math.sqrt(asked.state.noise)


@pytest.mark.parametrize("name", ["ar", "ar-paper", "ar-literal"])
def test_the_curve_gives_tau(name):
    """4 levels of 20 repeats, 60 seeds: relative standard error 1.05%, margin 5 of it."""
    found = [calibrate(method(name), 2.5, seed) for seed in range(60)]
    assert np.mean(found) == pytest.approx(2.5, rel=5 / math.sqrt(2 * 60 * 4 * 19))


def test_fit_is_exact_on_an_exact_curve():
    assert fit_noise(LEVELS, 3 / np.sqrt(LEVELS), repeats=10**6) == pytest.approx(3, rel=1e-5)
    assert fit_noise([1, 2], [np.nan, 1.0], repeats=10**6) == pytest.approx(math.sqrt(2), rel=1e-5)
    with pytest.raises(ValueError, match="cannot be measured"):
        fit_noise([1, 2], [np.nan, np.nan], repeats=3)


def test_nothing_is_measured_where_tau_is_given_or_reported():
    assert method(noise=0.3).state.noise == pytest.approx(0.09)
    assert len(method(noise=0.3).ask().points) == 10
    reporting = method(reports_variances=True)
    batch = reporting.ask()
    assert len(batch.points) == 10
    reporting.tell(batch, Estimate(np.arange(10.0), np.full(10, 0.5)))
    assert reporting.state.noise == pytest.approx(0.5 * batch.shots)


def test_levels_follow_min_shots():
    asked = method(min_shots=5)
    batch = asked.ask()
    assert batch.shots == 5
    asked.tell(batch, Estimate(np.arange(len(batch.points) * 1.0)))
    assert asked.ask().shots == 10


def test_reported_noise_passes_over_failed_points():
    assert reported_noise(np.array([0.5, np.nan, 1.5]), 4, 9.0) == 4
    assert reported_noise(np.array([np.nan]), 4, 9.0) == 9


def test_ar_follows_noise_that_changes():
    """From tau² = 1 to 100: after 300 generations the smoothed estimate has arrived.

    The estimate averages about 40 values of a chi-square with one degree: 22% standard error,
    asserted within a factor of 3 (beyond five standard errors on the log scale).
    """
    asked = method()
    calibrate(asked, 1.0, 1)
    rng = np.random.default_rng(2)
    for _ in range(1500):
        batch = asked.ask()
        loss = np.sum(batch.points**2, axis=1)
        noise = 10 / math.sqrt(batch.shots) * rng.standard_normal(len(loss))
        asked.tell(batch, Estimate(loss + noise))
    assert 100 / 3 < asked.state.noise < 300
