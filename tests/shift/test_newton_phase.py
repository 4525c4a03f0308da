"""The second-order phase: when it begins, what it learns, how it spends."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.newton_phase import (
    design_points,
    is_due,
    is_over,
    learn,
    start_newton,
)
from qiskit_arcmaes.shift.params import DEFAULTS
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.record import empty_record
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise

from .losses import DIM, above_minimum, rotations, setup

CENTRE = np.array([0.1, -0.1, 0.15, 0.05])
LIMIT = 1e5


def gradient_at(points):
    step = 1e-6 * np.eye(DIM)
    slopes = [(rotations(points + h) - rotations(points - h)) / 2e-6 for h in step]
    return np.column_stack(slopes)


def record(count=60, centre=CENTRE, noise=1e-4, curvatures=1.5):
    """What a first-order phase leaves that came from some distance."""
    rng = np.random.default_rng(0)
    made = empty_record(DIM)
    points = centre + 0.2 * rng.standard_normal((count, DIM))
    for point, gradient in zip(points, gradient_at(points), strict=True):
        measured = gradient + math.sqrt(noise) * rng.standard_normal(DIM)
        made = made.with_gradient(point, measured, noise)
    return made.with_curvatures(np.full(DIM, curvatures), 100) if curvatures else made


def iterate(centre=CENTRE, noise=1.0, **fields):
    return Iterate(centre, ShiftTest(math.pi / 2), ShotNoise(noise), **fields)


def begin(made, stage=Stage.SINGLE, here=None, **options):
    rng = np.random.default_rng(1)
    where = here or iterate()
    return start_newton(made, LIMIT, where, stage, rng, setup(LIMIT, **options), DEFAULTS)


def test_it_begins_at_the_minimum_of_the_model():
    phase, here = begin(record())
    assert above_minimum(here.centre) < 1e-3 < above_minimum(CENTRE)
    np.testing.assert_array_equal(here.centre, phase.surrogate.minimum)
    assert here.iteration == 1
    assert len(phase.record.gradients.values) == 30  # the later half


def test_it_does_not_begin_without_curvatures_or_with_few_gradients():
    assert begin(record(curvatures=None)) is None
    assert begin(record(count=2 * (DIM + 1))) is None
    assert begin(record(count=2 * (DIM + 2))) is not None


def test_it_does_not_begin_where_the_minimum_lies_far():
    far = CENTRE + 1.0
    assert begin(record(centre=far), here=iterate(far)) is None


def test_many_designs_of_equal_shots_fewer_where_circuits_are_expensive():
    rows = 2 * DIM + 2
    assert begin(record())[0].shots == LIMIT // (50 * rows)
    assert begin(record(), overhead=1e6)[0].shots == LIMIT // (10 * rows)
    assert begin(record(), min_shots=5000)[0].shots == 5000


def test_the_shift_is_reduced_only_where_several_frequencies_were_found():
    biased = record().with_test(np.full(DIM, 0.3), np.zeros(DIM))
    for stage, count in ((Stage.SINGLE, 0), (Stage.FINAL, 30)):
        phase, here = begin(biased, stage)
        assert (here.test.shift < math.pi / 2) == (stage is Stage.FINAL)
        assert phase.record.gradients.biased == count


def test_without_a_bias_the_shift_stays():
    phase, here = begin(record(), Stage.FINAL)
    assert here.test.shift == math.pi / 2
    assert phase.record.gradients.biased == 0


@pytest.mark.parametrize(
    ("steps", "rest", "stage", "due"),
    [
        (56, 1e4, Stage.SINGLE, True),
        (56, 1e4, Stage.FINAL, True),
        (56, 1e4, Stage.EXPLORING, False),
        (48, 1e4, Stage.SINGLE, False),  # 4 steps per coefficient, 14 coefficients
        (57, 1e4, Stage.SINGLE, False),  # between two values at the centre
        (56, 99.0, Stage.SINGLE, False),  # 10 designs of 10 points
        (56, 100.0, Stage.SINGLE, True),
    ],
)
def test_it_is_tried_when_steps_and_budget_suffice(steps, rest, stage, due):
    assert is_due(steps, rest, stage, setup(), DEFAULTS) is due


def test_a_design_is_pairs_about_a_draw_and_that_centre_twice():
    phase, here = begin(record())
    points = design_points(phase, here)
    assert points.shape == (2 * DIM + 2, DIM)
    np.testing.assert_array_equal(points[-1], phase.surrogate.design)
    np.testing.assert_array_equal(points[-2], points[-1])
    middle = (points[:DIM] + points[DIM : 2 * DIM]) / 2
    np.testing.assert_allclose(middle, np.tile(points[-1], (DIM, 1)), atol=1e-15)


def told(phase, here, values, reported=True, shots=1000):
    rng = np.random.default_rng(2)
    return learn(phase, here, Measurement(values, shots, reported), rng, DEFAULTS)


def test_designs_improve_the_minimum():
    """Gradients with a variance of 1/2000: each of 20 designs adds what 6 of the 30 before tell."""
    phase, here = begin(record(noise=1e-2))
    rng = np.random.default_rng(3)
    first = above_minimum(here.centre)
    for _ in range(20):
        points = design_points(phase, here)
        values = rotations(points) + rng.standard_normal(len(points)) / math.sqrt(1000)
        phase, here = learn(phase, here, Measurement(values, 1000, True), rng, DEFAULTS)
    assert above_minimum(here.centre) < first
    assert above_minimum(here.centre) < 3e-4
    assert len(phase.record.gradients.values) == 50
    assert phase.surrogate.form in Form


def test_failed_slopes_count_as_expected():
    phase, here = begin(record())
    values = rotations(design_points(phase, here))
    values[[0, DIM + 2]] = np.nan
    after, _ = told(phase, here, values)
    gradient = after.record.gradients.values[-1]
    np.testing.assert_array_equal(gradient[[0, 2]], phase.surrogate.expected[[0, 2]])
    true = gradient_at(phase.surrogate.design[None])[0]
    np.testing.assert_allclose(gradient[[1, 3]], true[[1, 3]], atol=1e-8)
    assert after.record.curvature_shots == phase.record.curvature_shots


def test_a_design_without_any_pair_teaches_the_value_alone():
    phase, here = begin(record())
    values = np.full(2 * DIM + 2, np.nan)
    values[-1] = -3.0
    after, moved = told(phase, here, values)
    assert len(after.record.gradients.values) == len(phase.record.gradients.values)
    assert (moved.value, moved.value_shots) == (-3.0, 1000)


def test_both_values_at_the_centre_tell_value_and_noise():
    phase, here = begin(record())
    values = rotations(design_points(phase, here))
    values[-2:] = -3.0, -3.2
    known, unknown = (told(phase, here, values, reported)[1] for reported in (True, False))
    assert (known.value, known.value_shots) == (pytest.approx(-3.1), 2000)
    assert known.noise.variance == 1.0
    assert unknown.noise.variance == pytest.approx(0.95 + 0.05 * 1000 * 0.2**2 / 2)


def test_it_ends_when_the_budget_pays_no_further_design():
    phase, here = begin(record())
    cost = (2 * DIM + 2) * phase.shots
    assert not is_over(phase, replace(here, spent=LIMIT - cost))
    assert is_over(phase, replace(here, spent=LIMIT - cost + 1))
