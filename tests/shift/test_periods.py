"""Periods other than 2π: a run in other units is the same run."""

import math

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, minimize
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.shift.coordinates import angle_scale

from .losses import DIM, method, several_gates, steps

PERIODS = {
    "small": np.full(DIM, 0.1),
    "degrees": np.full(DIM, 360.0),
    "mixed": np.array([0.1, 2 * math.pi, 360.0, 1.0]),
}


def waves(points, periods):
    return np.sum(1 - np.cos(2 * np.pi * points / periods), axis=1)


@pytest.mark.parametrize("periods", PERIODS.values(), ids=PERIODS)
@pytest.mark.parametrize("bounded", [False, True])
def test_every_period_reaches_the_minimum(periods, bounded):
    """5·10⁴ shots end near 1e-6 with periods of 2π; 1e-4 is a hundred times that."""
    oracle = GaussianOracle(lambda points: waves(points, periods), tau=0.1, seed=1)
    space = {"periodic": periods}
    if bounded:
        space = {"bounds": [(0, period) for period in periods], "periodic": True}
    result = minimize(oracle, 0.24 * periods, max_shots=50_000, seed=1, **space)
    assert result.algorithm.startswith("parameter-shift Adam")
    assert waves(result.x[None], periods)[0] < 1e-4


@pytest.mark.parametrize("periods", PERIODS.values(), ids=PERIODS)
def test_a_run_in_other_units_asks_for_the_same_angles(periods):
    """Equal up to rounding, which grows over the jobs of several starts."""
    scale = periods / (2 * math.pi)
    domain = make_domain(DIM, periodic=periods)
    runs = (
        steps(method(2e4, domain=make_domain(DIM, periodic=True)), several_gates, 1.0),
        steps(method(2e4, x0=scale, domain=domain), lambda x: several_gates(x / scale), 1.0),
    )
    for _, one, two in zip(range(250), *runs, strict=False):
        away = one.points - two.points / scale
        assert np.abs(np.mod(away + np.pi, 2 * np.pi) - np.pi).max() < 1e-6
        assert one.shots == two.shots


def test_the_scale_is_exactly_one_for_periods_of_two_pi_and_without_a_period():
    """Bounds 2π apart have that width up to rounding."""
    bounds = [(0.1, 0.1 + 2 * math.pi), (-math.pi, math.pi), (None, None), (1 / 3, 1 / 3 + 6.0)]
    domain = make_domain(DIM, bounds, [True, True, False, True])
    np.testing.assert_array_equal(angle_scale(domain)[:3], 1.0)
    assert angle_scale(domain)[3] == pytest.approx(6 / (2 * math.pi))


def test_the_radius_is_in_the_units_of_x():
    periods = PERIODS["mixed"]
    run = method(2e4, x0=0.3 * periods, domain=make_domain(DIM, periodic=periods))
    plain = method(2e4, domain=make_domain(DIM, periodic=True))
    assert run.report().radius == pytest.approx(plain.report().radius * 360 / (2 * math.pi))
