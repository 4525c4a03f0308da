"""The last job: x0 against the recommendation."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.shift.acceptance import AcceptancePhase, accept, is_better, plan_acceptance
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_params import AcceptanceParams

from .losses import setup

PARAMS = AcceptanceParams()
SHOTS, NOISE = 100, 1.0
ERROR = math.sqrt(NOISE * (1 / SHOTS + 1 / (2 * SHOTS)))  # x0 has been measured twice


def proof(value=0.0):
    nothing = np.zeros(2)
    return StartProof(
        value, SHOTS, NOISE / SHOTS, NOISE, nothing, nothing, nothing, nothing, 1.0, 0.0, 1.0
    )


def phase(proved):
    return AcceptancePhase(SHOTS, 0.1, proved)


def test_it_takes_its_share_of_the_budget_or_what_is_left():
    problem = setup(1e4)
    assert plan_acceptance(2, 0.0, 0.1, True, problem, PARAMS).shots == 150
    assert plan_acceptance(3, 0.0, 0.1, True, problem, PARAMS).shots == 100
    assert plan_acceptance(2, 9900.0, 0.1, True, problem, PARAMS).shots == 50
    assert plan_acceptance(2, 9999.0, 0.1, True, problem, PARAMS) is None


@pytest.mark.parametrize("change", [-3.0, -0.5, 0.5, 1.9, 2.1])
def test_after_proved_moves_the_start_wins_only_if_it_is_clearly_lower(change):
    values = np.array([0.0, change * ERROR])
    assert is_better(phase(True), values, proof(), NOISE, PARAMS) == (change < 2)


@pytest.mark.parametrize("change", [-0.5, 0.5])
def test_from_another_start_the_lower_value_wins(change):
    values = np.array([0.0, change * ERROR])
    assert is_better(phase(False), values, proof(), NOISE, PARAMS) == (change < 0)


def test_the_first_job_counts_for_x0_too():
    """x0 was 4 errors lower there: its mean is 2 errors below what the last job alone shows."""
    values = np.array([0.0, -1.0 * ERROR])
    assert is_better(phase(False), values, proof(0.0), NOISE, PARAMS)
    assert not is_better(phase(False), values, proof(-4 * ERROR), NOISE, PARAMS)


def test_values_that_failed_decide_nothing_alone():
    nan = math.nan
    assert is_better(phase(False), np.array([nan, 1.0]), proof(nan), NOISE, PARAMS)
    assert not is_better(phase(False), np.array([0.0, nan]), proof(), NOISE, PARAMS)
    assert is_better(phase(False), np.array([nan, -1.0]), proof(0.0), NOISE, PARAMS)


def test_what_loses_is_left():
    x0, centre = np.zeros(2), np.ones(2)
    iterate = Iterate(centre, ShiftTest(1.0), ShotNoise(NOISE))
    for values, expected in (((0.0, -1.0), centre), ((0.0, 1.0), x0)):
        told = accept(phase(False), np.array(values), proof(), iterate, x0[None], PARAMS)
        np.testing.assert_array_equal(told.centre, expected)
        assert told.value == min(values)
        assert told.value_shots == SHOTS


def test_the_first_point_of_an_exact_expansion_gives_way_to_x0_only_if_that_is_clearly_lower():
    starts, centre = np.array([[0.0, 0.0], [0.5, 0.5]]), np.ones(2)
    iterate = Iterate(centre, ShiftTest(1.0), ShotNoise(NOISE))
    error = math.sqrt(2 * NOISE / SHOTS)  # of a comparison of two values of the last job
    for first, expected in ((1.9 * error, starts[1]), (2.1 * error, starts[0])):
        values = np.array([0.0, first, 9.0])
        told = accept(phase(False), values, proof(first), iterate, starts, PARAMS)
        np.testing.assert_array_equal(told.centre, expected)
    told = accept(phase(False), np.array([0.0, 1.9 * error, 0.0]), proof(), iterate, starts, PARAMS)
    np.testing.assert_array_equal(told.centre, centre)


@pytest.mark.parametrize("proved", [True, False])
def test_without_noise_the_lower_value_wins(proved):
    """The value at x0 then counts for infinitely many shots."""
    exact = replace(proof(), shots=math.inf, variance=0.0, noise=0.0)
    for change in (-0.1, 0.1):
        values = np.array([0.0, change])
        assert is_better(phase(proved), values, exact, 0.0, PARAMS) is (change < 0)
    failed = replace(exact, value=math.nan)
    assert is_better(phase(proved), np.array([0.0, -0.1]), failed, 0.0, PARAMS)
