"""One step of a descent with shift rules."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.adam import adam_step, new_adam
from qiskit_arcmaes.shift.descent import (
    descend,
    descent_points,
    is_centred,
    is_over,
    proof_weights,
    start_descent,
    take_step,
)
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.params import AdamParams
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_params import DEFAULTS
from qiskit_arcmaes.shift.spectral_plan import plan_descent

from .losses import DIM, rotations, setup

SPECTRA = (listed([1.0]),) * DIM
RULES = exact_rules(SPECTRA, DEFAULTS.rules)


def begin(gated=False, budget=1e4):
    plan = plan_descent(Stage.SINGLE, budget, 0.0, 0.1, gated, RULES, setup(budget), DEFAULTS)
    iterate = Iterate(np.full(DIM, 0.7), ShiftTest(math.pi / 2), ShotNoise(1.0))
    return start_descent(plan, DIM), iterate


def test_a_job_is_all_pairs_and_the_centre_where_it_is_due():
    phase, iterate = begin()
    assert is_centred(phase, DEFAULTS)
    points = descent_points(phase, iterate, RULES, DEFAULTS)
    assert points.shape == (RULES.rows + 1, DIM)
    np.testing.assert_array_equal(points[-1], iterate.centre)


def test_a_step_goes_down_every_slope_by_the_rate():
    """Adam's first step has the length of the rate in every angle."""
    phase, iterate = begin()
    points = descent_points(phase, iterate, RULES, DEFAULTS)
    job = Measurement(rotations(points), round(phase.shots), reported=True)
    after, moved = descend(phase, iterate, job, RULES, DEFAULTS)
    np.testing.assert_allclose(iterate.centre - moved.centre, 0.1, rtol=1e-6)
    assert moved.value == rotations(iterate.centre[None])[0]
    assert (after.adam.steps, moved.iteration) == (1, 1)


def test_where_steps_are_gated_an_angle_without_proof_stays():
    slopes, variances = np.array([1.0, 0.0, 0.0, 0.0]) + 1e-6, np.full(DIM, 1e-2)
    phase, iterate = begin(gated=True)
    _, moved = take_step(phase, iterate, slopes, variances, DEFAULTS)
    moves = np.abs(moved.centre - iterate.centre)
    assert moves[0] > 0.09
    assert moves[1:].max() < 1e-10


@pytest.mark.parametrize("steps", [1, 5, 40])
def test_the_variance_of_the_momentum_is_that_of_independent_slopes(steps):
    """Simulated with 20,000 slopes of variance 1: a tenth is 14 standard errors or more."""
    params, rng = AdamParams(), np.random.default_rng(1)
    adam = new_adam(20_000)
    for _ in range(steps):
        step = adam_step(adam, rng.standard_normal(20_000), params)
        adam = step.adam
    weights = proof_weights(step, np.ones(20_000), params)
    squares = step.gradient**2
    implied = squares * (1 / weights - 1)
    assert implied.mean() == pytest.approx(squares.mean(), rel=0.1)


def test_it_is_over_when_the_budget_may_not_pay_a_step():
    phase, iterate = begin()
    assert not is_over(phase, iterate, RULES)
    late = Iterate(iterate.centre, iterate.test, spent=phase.plan.limit - 1)
    assert is_over(phase, late, RULES)
