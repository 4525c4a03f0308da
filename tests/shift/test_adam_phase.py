"""The first-order phase: what a job holds, what is read from it, how a step is taken."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.shift.adam_phase import (
    PairsMemo,
    advance,
    design_pairs,
    is_over,
    read_step,
    start_adam,
)
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.params import DEFAULTS
from qiskit_arcmaes.shift.plan import Stage, plan_start
from qiskit_arcmaes.shift.shift_test import ShiftTest, Verdict
from qiskit_arcmaes.shift.shot_noise import ShotNoise

from .losses import DIM, rotations, setup, several_gates

CENTRE = np.array([0.5, 0.8, -0.3, 1.1])
SHOTS = 100


def phase(steps=0, budget=1e5):
    start = start_adam(plan_start(budget, 0.0, Stage.SINGLE, setup(budget), DEFAULTS), DIM)
    return replace(start, adam=replace(start.adam, steps=steps))


def iterate(shift=math.pi / 2, **fields):
    return Iterate(CENTRE, ShiftTest(shift), **fields)


def read(loss, steps=0, variance=0.0, reported=False, failed=None, **fields):
    """Ask for a job, evaluate it, read it."""
    now, here = phase(steps), iterate(**fields)
    points, memo = design_pairs(now, here, DEFAULTS)
    rng = np.random.default_rng(0)
    values = loss(points) + math.sqrt(variance / SHOTS) * rng.standard_normal(len(points))
    if failed is not None:
        values[failed] = np.nan
    return read_step(now, here, Measurement(values, SHOTS, reported), memo, Stage.SINGLE, DEFAULTS)


def gradient_of(loss):
    step = 1e-6 * np.eye(DIM)
    return (loss(CENTRE + step) - loss(CENTRE - step)) / 2e-6


@pytest.mark.parametrize(
    ("steps", "rows", "memo"),
    [
        (0, 6 * DIM + 1, PairsMemo(tested=True, centred=True)),
        (9, 2 * DIM, PairsMemo(tested=False, centred=False)),
        (24, 2 * DIM + 1, PairsMemo(tested=False, centred=True)),
        (64, 6 * DIM + 1, PairsMemo(tested=True, centred=True)),
    ],
)
def test_jobs_hold_pairs_tests_and_the_centre_as_scheduled(steps, rows, memo):
    points, found = design_pairs(phase(steps), iterate(), DEFAULTS)
    assert (len(points), found) == (rows, memo)
    if memo.centred:
        np.testing.assert_array_equal(points[-1], CENTRE)


@pytest.mark.parametrize("steps", [0, 9, 24])
def test_the_gradient_of_rotations_is_exact(steps):
    step = read(rotations, steps)
    np.testing.assert_allclose(step.gradient, gradient_of(rotations), atol=1e-9)
    assert step.verdict is Verdict.KEEP


def test_value_and_curvatures_come_with_the_centre():
    step = read(rotations, 24)
    assert step.iterate.value == rotations(CENTRE[None])[0]
    assert step.iterate.value_shots == SHOTS
    small = 1e-4 * np.eye(DIM)
    second = rotations(CENTRE + small) + rotations(CENTRE - small) - 2 * rotations(CENTRE[None])
    np.testing.assert_allclose(step.record.curvatures, second / 1e-8, atol=1e-6)


def test_without_the_centre_there_is_neither():
    step = read(rotations, 9, value=5.0)
    assert step.iterate.value == 5.0
    assert step.record.curvature_shots == 0
    assert len(step.record.gradients.values) == 1


def test_a_tested_gradient_averages_two_pairs():
    """Its variance is half that of an untested one."""
    fields = {"noise": ShotNoise(variance=3.0)}
    tested, plain = (
        read(rotations, steps, reported=True, **fields).record.gradients.variances[0]
        for steps in (64, 9)
    )
    assert tested == pytest.approx(plain / 2)
    assert plain == pytest.approx(3.0 / (2 * SHOTS))


def test_repeats_tell_the_noise_where_it_is_not_reported():
    """Mean of four squares: above 5 times the variance with 5e-4, below a hundredth with 2e-4."""
    fields = {"variance": 2.0, "noise": ShotNoise(variance=70.0)}
    assert 0.02 < read(rotations, **fields).iterate.noise.variance < 10
    reported = read(rotations, reported=True, **fields)
    assert reported.iterate.noise.variance == 70.0


def test_several_frequencies_reduce_the_shift_and_clear_the_record():
    step = read(several_gates, variance=1e-4)
    assert step.verdict is Verdict.REDUCE
    assert step.iterate.test.shift == pytest.approx(math.pi / 2 * DEFAULTS.test.ratio)
    assert len(step.record.gradients.values) == 0
    assert step.record.bias_count == 0


def test_a_gradient_with_a_failed_value_is_used_but_not_recorded():
    step = read(rotations, 9, failed=2)
    assert np.isfinite(step.gradient).all()
    assert len(step.record.gradients.values) == 0


def test_nothing_is_recorded_where_the_budget_pays_no_model():
    now, here = phase(9, budget=300), iterate()
    points, memo = design_pairs(now, here, DEFAULTS)
    job = Measurement(rotations(points), SHOTS, False)
    step = read_step(now, here, job, memo, Stage.SINGLE, DEFAULTS)
    assert len(step.record.gradients.values) == 0


def test_a_step_goes_down_and_counts():
    gradient = np.array([1.0, -1.0, 0.5, 2.0])
    moved, here = advance(phase(), iterate(), gradient, 1, DEFAULTS)
    np.testing.assert_allclose(here.centre - CENTRE, -0.15 * np.sign(gradient), rtol=1e-6)
    assert (moved.adam.steps, here.iteration, moved.rate) == (1, 1, pytest.approx(0.15))


def test_steps_become_short_as_the_budget_is_used():
    late = advance(phase(), iterate(spent=9e4), np.ones(DIM), 1, DEFAULTS)[0]
    assert late.rate < 0.04 * phase().rate


def test_shots_keep_their_least():
    falling = [advance(phase(), iterate(), np.full(DIM, 100.0), n, DEFAULTS)[0] for n in (1, 26)]
    assert falling[0].shots < 26 == phase().shots == falling[1].shots


def test_a_start_ends_before_a_step_that_it_cannot_pay():
    now = phase()
    largest = 25 * now.shots
    assert not is_over(now, iterate(spent=1e5 - largest))
    assert is_over(now, iterate(spent=1e5 - largest + 1))
