"""One step of a descent with shift rules."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.descent import (
    affordable_shots,
    descend,
    descent_points,
    is_centred,
    is_over,
    next_rate,
    start_descent,
    take_step,
)
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.readings import read_values
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_params import DEFAULTS
from qiskit_arcmaes.shift.spectral_plan import plan_descent

from .losses import DIM, rotations, setup

SPECTRA = (listed([1.0]),) * DIM
RULES = exact_rules(SPECTRA, DEFAULTS.rules)


def begin(budget=1e4, curvature=1.0):
    plan = plan_descent(Stage.SINGLE, budget, 0.0, 0.1, RULES, setup(budget), DEFAULTS)
    iterate = Iterate(np.full(DIM, 0.7), ShiftTest(math.pi / 2), ShotNoise(1.0))
    return start_descent(plan, DIM, curvature), iterate


def read(phase, iterate, noise=1.0):
    points = descent_points(phase, iterate, RULES, DEFAULTS)
    centres = len(points) - RULES.rows
    return read_values(rotations(points), centres, round(phase.shots), noise, RULES)


def test_a_job_is_all_pairs_and_the_centre_where_it_is_due():
    phase, iterate = begin()
    assert is_centred(phase, DEFAULTS)
    points = descent_points(phase, iterate, RULES, DEFAULTS)
    assert points.shape == (RULES.rows + 1, DIM)
    np.testing.assert_array_equal(points[-1], iterate.centre)


def test_a_step_goes_down_every_slope_by_the_rate():
    """Adam's first step has the length of the rate in every angle."""
    phase, iterate = begin()
    after, moved = descend(phase, iterate, read(phase, iterate), DEFAULTS)
    np.testing.assert_allclose(iterate.centre - moved.centre, 0.1, rtol=1e-6)
    assert moved.value == rotations(iterate.centre[None])[0]
    assert (after.adam.steps, moved.iteration) == (1, 1)


def test_an_angle_whose_slope_failed_stays():
    phase, iterate = begin()
    reading = read(phase, iterate)
    slopes = np.where(np.arange(DIM) == 2, np.nan, reading.slopes)
    after, moved = descend(phase, iterate, replace(reading, slopes=slopes, failed=True), DEFAULTS)
    assert np.flatnonzero(moved.centre == iterate.centre).tolist() == [2]
    assert len(after.record.gradients.centres) == 0


def test_the_curvature_follows_what_is_measured():
    """Along an axis the loss is a sinusoid about zero: its curvature is minus its value there."""
    phase, iterate = begin(curvature=5.0)
    reading = read(phase, iterate)
    after, _ = descend(phase, iterate, reading, DEFAULTS)
    weight = DEFAULTS.rate.curvature_weight
    expected = (1 - weight) * 5.0 + weight * reading.curvatures.mean()
    assert after.curvature == pytest.approx(expected)
    cosines = np.cos(iterate.centre)
    neighbours = np.array([0.5 + cosines[1], *[2 * cosines[0]] * 2, cosines[2]])
    np.testing.assert_allclose(reading.curvatures, cosines * neighbours)


def rates(deviation, curvature, first=0.1, steps=200):
    """All rates of a descent whose every step costs the same."""
    plan = replace(begin()[0].plan, rate=first, steps=float(steps))
    found = [first]
    for step in range(1, steps + 1):
        found.append(next_rate(found[-1], plan, step / steps, deviation, curvature, DEFAULTS.rate))
    return np.array(found)


def test_the_rate_is_held_and_then_falls_by_equal_factors():
    found = rates(0.5, 1.0)
    held = found == found[0]
    assert held.mean() == pytest.approx(DEFAULTS.rate.held, abs=0.02)
    assert not held[int(DEFAULTS.rate.held * len(found)) + 2 :].any()
    factors = found[1:] / found[:-1]
    np.testing.assert_allclose(factors[~held[1:]], factors[-1], rtol=1e-6)


@pytest.mark.parametrize(("deviation", "curvature"), [(0.5, 1.0), (2.0, 1.0), (0.5, 4.0)])
def test_the_last_rate_is_that_of_robbins_and_monro(deviation, curvature):
    """Deviation of a slope / (curvature · steps), in radians."""
    last = DEFAULTS.rate.last * deviation / (curvature * 200)
    assert rates(deviation, curvature)[-1] == pytest.approx(last, rel=1e-6)


def test_the_last_rate_is_limited_and_never_rises():
    assert rates(0.0, 1.0)[-1] == pytest.approx(DEFAULTS.rate.least * 0.1)
    for deviation, curvature in ((1e6, 1.0), (0.5, 0.0), (0.5, -1.0)):
        np.testing.assert_array_equal(rates(deviation, curvature), 0.1)


def test_shots_never_fall_below_the_least():
    phase, iterate = begin(100.0)
    for _ in range(5):
        phase, iterate = take_step(phase, iterate, np.ones(DIM), np.full(DIM, 1e-9), DEFAULTS)
        assert phase.shots >= phase.plan.least_shots


def test_it_is_over_when_the_budget_may_not_pay_a_step():
    phase, iterate = begin()
    assert not is_over(phase, iterate)
    late = Iterate(iterate.centre, iterate.test, spent=phase.plan.limit - 1)
    assert is_over(phase, late)


def test_it_is_over_when_its_jobs_are_used():
    phase, iterate = begin()
    phase = replace(phase, plan=replace(phase.plan, last_job=7.0))
    assert not is_over(phase, replace(iterate, jobs=6))
    assert is_over(phase, replace(iterate, jobs=7))


def test_few_jobs_share_what_is_left_of_the_budget():
    phase, iterate = begin()
    plan = replace(phase.plan, last_job=4.0)
    half = replace(iterate, spent=plan.budget / 2, jobs=2)
    shots = affordable_shots(plan, half)
    np.testing.assert_allclose(2 * shots * (RULES.rows + 1), plan.budget / 2)
    assert affordable_shots(phase.plan, half) == 0  # without a limit of jobs


def test_a_descent_of_few_jobs_uses_its_budget_up():
    phase, iterate = begin()
    phase = replace(phase, plan=replace(phase.plan, last_job=5.0))
    while not is_over(phase, iterate):
        reading = read(phase, iterate)
        points = RULES.rows + int(is_centred(phase, DEFAULTS))
        spent = iterate.spent + points * phase.shots
        iterate = replace(iterate, spent=spent, jobs=iterate.jobs + 1)
        phase, iterate = descend(phase, iterate, reading, DEFAULTS)
    assert iterate.jobs == 5
    assert 0.9 * phase.plan.limit < iterate.spent <= phase.plan.limit


@pytest.mark.parametrize("steps", [20, 400])
def test_the_average_of_the_gradients_is_as_long_as_the_steps_allow(steps):
    phase, iterate = begin()
    phase = replace(phase, plan=replace(phase.plan, steps=steps))
    slopes = np.ones(DIM)
    after, _ = take_step(phase, iterate, slopes, np.full(DIM, 1e-2), DEFAULTS)
    momentum = DEFAULTS.adam.for_steps(steps).momentum
    assert momentum == pytest.approx({20: 0.5, 400: 0.9}[steps])
    np.testing.assert_allclose(after.adam.mean, (1 - momentum) * slopes)
