"""Several starts: their budgets, their draws, the comparison of their endpoints."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.shift.adam_phase import AdamPhase
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import (
    ComparisonPhase,
    Multistart,
    choose_endpoint,
    end_start,
    explore,
    may_explore,
)
from qiskit_arcmaes.shift.params import DEFAULTS
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.shift_test import ShiftTest

from .losses import DIM, setup

BUDGET = 1e5
SETUP = setup(BUDGET)
STARTS = DEFAULTS.multistart.starts


def starts(count, stage=Stage.EXPLORING):
    return Multistart(stage, np.arange(count * DIM, dtype=float).reshape(count, DIM))


def iterate(spent=2e4):
    return Iterate(np.full(DIM, 0.5), ShiftTest(1.0), spent=spent)


@pytest.mark.parametrize(
    ("stage", "spent", "may"),
    [
        (Stage.SINGLE, 2.4e4, True),
        (Stage.SINGLE, 2.5e4, False),
        (Stage.EXPLORING, 0.0, False),
        (Stage.FINAL, 0.0, False),
    ],
)
def test_several_starts_begin_early_and_once(stage, spent, may):
    assert may_explore(stage, spent, SETUP, DEFAULTS) is may


def test_the_starts_share_half_of_the_budget():
    """Each takes its share of what is left to those that remain."""
    spent, given = 2e4, []
    for count in range(STARTS):
        made, phase = explore(starts(count), spent, SETUP, DEFAULTS)
        assert made.stage is Stage.EXPLORING
        given.append(phase.plan.budget)
        spent += phase.plan.budget
    np.testing.assert_allclose(given, (BUDGET / 2 - 2e4) / STARTS)


def test_the_end_of_a_start_is_kept_and_the_next_begins_elsewhere():
    made, here, phase = end_start(starts(2), iterate(), np.random.default_rng(0), SETUP, DEFAULTS)
    np.testing.assert_array_equal(made.endpoints[-1], np.full(DIM, 0.5))
    assert len(made.endpoints) == 3
    assert isinstance(phase, AdamPhase)
    assert phase.adam.steps == 0
    assert here.spent == 2e4


def test_starts_are_uniform_over_the_circle():
    """4,000 angles: mean and standard deviation within 4.5 standard errors of 0 and π/√3."""
    rng = np.random.default_rng(1)
    drawn = np.concatenate(
        [end_start(starts(2), iterate(), rng, SETUP, DEFAULTS)[1].centre for _ in range(1000)]
    )
    assert np.all(np.abs(drawn) <= math.pi)
    assert np.mean(drawn) == pytest.approx(0, abs=4.5 * 1.82 / math.sqrt(4000))
    assert np.std(drawn) == pytest.approx(math.pi / math.sqrt(3), rel=0.04)


def test_the_last_end_brings_the_comparison():
    made, here, phase = end_start(
        starts(STARTS - 1), iterate(), np.random.default_rng(0), SETUP, DEFAULTS
    )
    assert isinstance(phase, ComparisonPhase)
    assert phase.shots == 0.02 * BUDGET / STARTS
    assert len(made.endpoints) == STARTS
    np.testing.assert_array_equal(here.centre, iterate().centre)


def test_the_comparison_takes_no_more_than_is_left():
    end = iterate(BUDGET - 80)
    phase = end_start(starts(STARTS - 1), end, np.random.default_rng(0), SETUP, DEFAULTS)[2]
    assert phase.shots == 10


def test_the_best_endpoint_gets_the_rest_and_failed_ones_are_left_out():
    values = np.array([3.0, np.nan, -1.0, 0.0, 2.0, 1.0, np.nan, 5.0])
    made, here, phase = choose_endpoint(starts(STARTS), iterate(6e4), values, SETUP, DEFAULTS)
    np.testing.assert_array_equal(here.centre, starts(STARTS).endpoints[2])
    assert made.stage is Stage.FINAL
    assert (phase.plan.budget, phase.plan.limit) == (4e4, BUDGET)
    assert here.iteration == 1
