"""Local phase from an informed start: proof, transport, coupling, rounds."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from qiskit_arcmaes import minimize
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.local_newton import (
    is_local,
    is_over,
    is_steep,
    learn,
    move,
    next_shots,
    proved_move,
    start_local,
    usable_curvatures,
)
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.spectral_params import LocalParams

from .losses import setup
from .planned import separable

PARAMS = LocalParams()
X0 = np.zeros(3)


def begin(slopes=(0.0, 0.0, 0.0), variance=1e-4, curvatures=(1.0, 1.0, 1.0), noise=0.0):
    """The phase after a first job with these results."""
    phase = start_local(
        StartProof(-1.0, 100, noise, 1.0, np.array(slopes), np.full(3, variance),
                   np.array(curvatures), np.zeros(3), 0.0, 0.0, 1.0),
        100.0, 1e5, PARAMS,
    )  # fmt: skip
    return replace(phase, curvature_variance=noise)


def proof_of(value):
    """What a first job tells of a start at this value, with a mean loss of 0."""
    none = np.zeros(3)
    return StartProof(value, 100, 0.0, 1.0, none, none, none, none, 0.0, 0.0, 1.0)


def at(*centre):
    return Iterate(np.array(centre, dtype=float), ShiftTest(math.pi / 2))


def told(slopes, variance=1e-4, curvatures=math.nan, bound=0.0):
    return SlopeReading(
        slopes=np.array(slopes, dtype=float), variances=np.full(3, variance),
        curvatures=np.full(3, curvatures), value=math.nan, value_variance=math.nan,
        noise=1.0, shots=100.0, bounds=np.full(3, bound),
    )  # fmt: skip


def test_without_proof_nothing_moves():
    """A slope below z standard errors is no proof; one above moves by less than the Newton step."""
    error = 0.01
    slopes = np.array([0.9, -0.9, 1.1]) * PARAMS.standard_errors(3) * error
    found = proved_move(begin(slopes, error**2), np.zeros(3), PARAMS)
    assert (found[:2] == 0).all()
    assert -slopes[2] < found[2] < 0


def test_few_shots_prove_less():
    """Single shots are no normal noise: what one of them can contribute counts too."""
    error, bound = 0.01, 0.2
    beyond = PARAMS.standard_errors(3) * error + PARAMS.few_shots(3) * bound
    phase = replace(begin((0.9 * beyond, 1.1 * beyond, 0.0), error**2), bounds=np.full(3, bound))
    found = proved_move(phase, np.zeros(3), PARAMS)
    assert found[0] == 0
    assert found[1] < 0


def test_one_shot_contributes_less_to_the_mean_of_two_rounds():
    phase = replace(begin((0.3, 0.3, 0.3), 1e-4), bounds=np.array([0.2, 0.4, 0.0]))
    after = learn(phase, told([0.3, 0.3, 0.3], 1e-4, bound=0.3), PARAMS)
    np.testing.assert_allclose(after.bounds, [0.15, 0.2, 0.15])


def test_a_proof_beyond_doubt_is_a_newton_step():
    phase = begin((0.2, -0.1, 0.0), 1e-14, (1.0, 2.0, 1.0))
    np.testing.assert_allclose(proved_move(phase, X0, PARAMS), [-0.2, 0.05, 0.0], atol=1e-9)


def test_moves_are_proved_from_x0_and_not_from_where_the_centre_is():
    """Brought back along the axes by the curvatures, the slopes tell the same move of x0."""
    phase = begin((0.2, -0.1, 0.3), 1e-4)
    there = np.array([-0.1, 0.05, -0.2])
    moved = replace(phase, slopes=phase.slopes + there)
    np.testing.assert_allclose(proved_move(moved, there, PARAMS), proved_move(phase, X0, PARAMS))


def test_a_move_whose_proof_is_gone_is_taken_back():
    """The centre was moved by noise; at x0 the slopes prove nothing any more."""
    phase = begin((-0.1, 0.0, 0.0), 1e-4)
    _, iterate = move(phase, at(-0.1, 0.0, 0.0), X0, None, 0.0, PARAMS)
    np.testing.assert_allclose(iterate.centre, 0.0, atol=1e-12)


def test_a_step_carries_the_slopes_along():
    """Kalman transport: slopes change by curvature times step, and what is not known is added."""
    phase = begin((0.2, 0.0, 0.0), 1e-8)
    after, iterate = move(phase, at(0, 0, 0), X0, None, 0.0, PARAMS)
    step = iterate.centre
    np.testing.assert_allclose(after.slopes, phase.slopes + step, atol=1e-12)
    assert (after.variances >= phase.variances).all()
    drift = (phase.coupling * step[0]) ** 2
    np.testing.assert_allclose(after.variances[1:], 1e-8 + drift, rtol=1e-6)
    bent = 0.2 * step[0] ** 2 / 2 + step[0] ** 3 / 6
    assert after.variances[0] == pytest.approx(1e-8 + bent**2, rel=1e-6)


def test_steps_are_damped_and_limited():
    slopes = (0.2, -5.0, 0.0)
    phase = begin(slopes, 1e-12)
    _, free = move(phase, at(0, 0, 0), X0, None, 0.0, PARAMS)
    _, damped = move(phase, at(0, 0, 0), X0, None, 1.0, PARAMS)
    _, trusted = move(phase, at(0, 0, 0), X0, 0.05, 0.0, PARAMS)
    assert free.centre[0] == pytest.approx((1 + phase.coupling) * damped.centre[0])
    assert free.centre[1] == PARAMS.longest_step
    np.testing.assert_allclose(np.abs(trusted.centre), [0.05, 0.05, 0.0])


def test_slopes_of_rounds_at_one_centre_are_averaged_by_their_variances():
    phase = begin((0.3, 0.3, 0.3), 3e-4)
    after = learn(phase, told([0.1, np.nan, 0.3], 1e-4), PARAMS)
    np.testing.assert_allclose(after.slopes, [0.15, 0.3, 0.3])
    np.testing.assert_allclose(after.variances, [0.75e-4, 3e-4, 0.75e-4])
    assert after.coupling == phase.coupling  # nothing moved, so nothing is learned of it
    assert after.shots == PARAMS.growth * phase.shots


@pytest.mark.parametrize(("surprise", "direction"), [(0.001, -1), (0.3, 1)])
def test_the_coupling_follows_the_surprise_after_a_move(surprise, direction):
    phase, _ = move(begin((0.2, -0.1, 0.3), 1e-4), at(0, 0, 0), X0, None, 1.0, PARAMS)
    after = learn(phase, told(phase.slopes + surprise, 1e-4), PARAMS)
    assert np.sign(after.coupling - phase.coupling) == direction
    for _ in range(20):
        after = learn(after, told(after.slopes + surprise * 100, 1e-4), PARAMS)
    assert after.coupling == PARAMS.most_coupling
    for _ in range(30):
        after = learn(after, told(after.slopes, 1e-4), PARAMS)
    assert after.coupling == PARAMS.least_coupling


def test_curvatures_are_averaged_by_shots_and_kept_where_a_round_tells_none():
    phase = begin(curvatures=(1.0, 1.0, 1.0))
    assert (learn(phase, told([0, 0, 0], curvatures=3.0), PARAMS).curvatures == 2.0).all()
    assert (learn(phase, told([0, 0, 0]), PARAMS).curvatures == 1.0).all()


def test_curvatures_that_divide_are_positive():
    """Shrunk to their mean by their noise, at least a share of it; all mean where noise is all."""
    sure = begin(curvatures=(2.0, 1.0, -5.0))
    found = usable_curvatures(sure, PARAMS)
    assert (found > 0).all()
    exact = usable_curvatures(begin(curvatures=(2.0, 1.0, 3.0)), PARAMS)
    np.testing.assert_allclose(exact, [2.0, 1.0, 3.0])
    noisy = usable_curvatures(begin(curvatures=(2.0, 1.0, 3.0), noise=1e3), PARAMS)
    np.testing.assert_allclose(noisy, noisy[0])


@pytest.mark.parametrize("jobs", [1, 2, 5, 20, math.inf])
@pytest.mark.parametrize("limit", [1e3, 1e5])
def test_rounds_grow_and_use_up_the_budget_in_their_jobs(limit, jobs):
    phase = replace(begin(), limit=limit, shots=4.0)
    spent, points, rounds, shots = 100.0, 8, 0, []
    while limit - spent > 1e-6 and rounds < 200:
        shots.append(next_shots(phase, spent, points, jobs - rounds, PARAMS))
        spent += points * shots[-1]
        rounds += 1
        phase = replace(phase, shots=PARAMS.growth * shots[-1])
    assert spent == pytest.approx(limit)
    assert rounds <= jobs
    assert all(later >= earlier * 0.999 for earlier, later in pairwise(shots))


def test_it_is_over_when_a_round_is_not_paid_and_local_while_moves_are_short():
    phase, problem = begin(), setup(1e5)
    assert not is_over(phase, replace(at(0, 0, 0), spent=1e5 - 9), 8, problem)
    assert is_over(phase, replace(at(0, 0, 0), spent=1e5 - 7), 8, problem)
    far_below = proof_of(value=-100.0)
    for factor, local in ((0.9, True), (1.1, False)):
        wanted = begin(np.full(3, factor * PARAMS.farthest), 1e-12)
        assert is_local(wanted, at(0, 0, 0), far_below, X0, PARAMS) is local


def test_a_start_with_much_left_to_gain_is_not_local():
    """Slopes of 0.3 and curvatures of 1 promise 3 · 0.045; 15% of the depth is the limit."""
    phase = begin(np.full(3, 0.3), 1e-12)
    for depth, local in ((1.0, True), (0.8, False)):
        assert is_local(phase, at(0, 0, 0), proof_of(value=-depth), X0, PARAMS) is local
    noisy = begin(np.full(3, 0.3), 0.1)  # within its noise nothing is promised
    assert is_local(noisy, at(0, 0, 0), proof_of(value=-0.8), X0, PARAMS)


def test_without_a_true_slope_hardly_any_angle_moves():
    """At the minimum a slope of 3 standard errors has a chance of 0.27%; 40 runs of 3 angles.

    A round is a look, of about ten: without correlation 3.2 of 120 angles would move. More than
    12 have a chance of 5e-5, and the moves cost less than 1e-3 each.
    """
    moved, costs = 0, []
    for seed in range(40):
        oracle = separable(3, seed=seed)
        result = minimize(oracle, X0, max_shots=2000, seed=seed)
        moved += np.count_nonzero(result.x)
        costs.append(oracle.loss(result.x)[0] + 3)
    assert moved <= 12
    assert np.mean(costs) < 1e-3


def test_the_error_falls_as_one_over_the_budget():
    """Separable sinusoids from 0.3 rad: d sigma^2 / (2 h N) per slope, N the shots of a slope.

    With all angles in one circuit a slope has about 0.7 of the budget in both points, variance
    1 / N at most. The mean of 12 runs of 3 angles is chi-square with 36 degrees of freedom: above
    4 times its expectation with a chance below 1e-10. The factor of 8 leaves a factor of 2 for the
    shots of rounds far from the minimum.
    """
    for budget in (3_000, 30_000, 300_000):
        errors = []
        for seed in range(12):
            oracle = separable(3, seed=seed)
            result = minimize(oracle, np.full(3, 0.3), max_shots=budget, seed=seed)
            errors.append(oracle.loss(result.x)[0] + 3)
        assert np.mean(errors) < 8 * 3 / (2 * 0.7 * budget)


def test_a_start_is_steep_where_its_slopes_stand_out_together():
    """Of the smaller half, here one of three, 2.5² exceeds 1 + 3·√2, and 2² does not."""
    error = 0.01
    assert is_steep(begin(np.full(3, 2.5 * error), error**2), np.zeros(3), PARAMS)
    assert not is_steep(begin(np.full(3, 2.0 * error), error**2), np.zeros(3), PARAMS)


def test_a_start_that_is_steep_along_few_angles_is_not():
    """Hartree-Fock has slopes along double excitations, and none along others."""
    assert not is_steep(begin((0.5, 0.5, 0.0), 1e-4), np.zeros(3), PARAMS)


def test_steepness_is_that_of_the_start_wherever_the_centre_is():
    phase, away = begin(np.zeros(3), 1e-4), np.full(3, 0.1)
    assert is_steep(phase, away, PARAMS)  # at the minimum now, with a curvature of 1
    assert not is_steep(phase, np.zeros(3), PARAMS)
