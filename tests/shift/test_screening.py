"""Values at many points, before several starts."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.shift.screening import ScreeningPhase, draw_points, lowest, plan_screening
from qiskit_arcmaes.shift.spectral_params import ScreeningParams

from .losses import setup

PARAMS = ScreeningParams()


@pytest.mark.parametrize("budget", [1e3, 1e4, 1e6, 1e8])
def test_it_takes_its_share_of_the_budget(budget):
    phase = plan_screening(setup(budget), 0.1, PARAMS)
    assert 0.9 * PARAMS.share * budget <= phase.points * phase.shots <= PARAMS.share * budget
    assert PARAMS.fewest_points <= phase.points <= PARAMS.most_points
    assert phase.shots >= PARAMS.least_shots


def test_too_few_points_are_not_worth_a_job():
    least = PARAMS.fewest_points * PARAMS.least_shots / PARAMS.share
    assert plan_screening(setup(0.9 * least), 0.1, PARAMS) is None
    assert plan_screening(setup(1.1 * least), 0.1, PARAMS) is not None
    assert plan_screening(setup(1.1 * least, min_shots=100), 0.1, PARAMS) is None


def test_a_share_of_the_points_are_schedules_and_the_others_lie_anywhere():
    """Of 200 random points of 6 angles none is linear along both kinds, and all thirds of the
    period are visited: a third is missed with a chance of (2/3)^100 < 1e-17."""
    turn, layers = np.full(6, 2 * math.pi), np.array([0, 1, 0, 1, 0, 1])
    phase = ScreeningPhase(10, 200, 0.1)
    points = draw_points(phase, turn, layers, np.random.default_rng(3), PARAMS)
    bends = np.abs(np.diff(points.reshape(200, 3, 2), n=2, axis=1)).max(axis=(1, 2))
    linear = bends < 1e-9
    assert linear[:100].all()
    assert not linear[100:].any()
    assert np.abs(points[:100]).max() <= math.pi
    thirds = np.floor(points[100:] / (2 * math.pi / 3))
    assert all(set(column) == {0, 1, 2} for column in thirds.T)


def test_failed_values_are_no_candidates():
    points = np.arange(4.0)[:, None]
    values = np.array([3.0, np.nan, 1.0, 2.0])
    assert lowest(points, values, 2).ravel().tolist() == [2.0, 3.0]
    assert lowest(points, values, 9).ravel().tolist() == [2.0, 3.0, 0.0]
