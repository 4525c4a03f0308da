"""Shots divided over circuits and groups, in whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from qiskit_arcmaes.shift.group_plans import divide_centre, divide_pairs, plan_pairs, whole_shots
from qiskit_arcmaes.shift.scatter import first_scatter
from qiskit_arcmaes.shift.spectral_params import GroupParams

from .planned import Cosines, chain
from .test_group_rules import rules_of

PARAMS = GroupParams()
EXPECTED = arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 6)),
                  elements=st.floats(0, 50))  # fmt: skip


@given(EXPECTED, st.integers(1, 7), st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_whole_shots_are_multiples_next_to_their_expectation(expected, unit, seed):
    drawn = whole_shots(expected, unit, np.random.default_rng(seed))
    assert drawn.dtype == np.int64
    assert (drawn % unit == 0).all()
    assert (np.abs(drawn - expected) < unit * (1 + 1e-9)).all()
    assert (np.abs(drawn.sum(axis=1) - expected.sum(axis=1)) < unit * (1 + 1e-9)).all()
    assert (drawn[expected == 0] == 0).all()


@given(EXPECTED, st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_whole_shots_have_their_expectation(expected, unit):
    """Over a grid of n offsets instead of random ones the mean is exact up to 2 unit / n."""
    offsets = (np.arange(200) + 0.5) / 200

    class Grid:
        def __init__(self, offset):
            self.offset = offset

        def random(self, shape):
            return np.full(shape, self.offset)

    mean = np.mean([whole_shots(expected, unit, Grid(offset)) for offset in offsets], axis=0)
    np.testing.assert_allclose(mean, expected, atol=2 * unit / 200 + 1e-9)


def test_every_class_gets_the_same_total_and_a_group_in_proportion_to_its_deviation():
    """Two groups whose deviations are as 1 to 3: the shots are too."""
    oracle = Cosines([(0,), (0,), (0, 1)], [1.0, 3.0, 1e-9], [0, 1, 1])
    rules = rules_of(oracle)
    expected = divide_pairs(800.0, rules, first_scatter(rules, PARAMS), PARAMS)
    assert 2 * expected.sum() == pytest.approx(800)
    totals = np.bincount(rules.classes, expected.sum(axis=1))
    np.testing.assert_allclose(totals, 200)
    own = expected[rules.slot[0]]
    assert own[1] / own[0] == pytest.approx(3)


def test_groups_outside_a_cone_get_nothing():
    oracle = Cosines([(0,), (1,), (0, 1)], [1.0, 1.0, 0.5], [0, 1, 2])
    rules = rules_of(oracle)
    expected = divide_pairs(600.0, rules, first_scatter(rules, PARAMS), PARAMS)
    for pair, angle in enumerate(rules.angle):
        assert expected[rules.slot[pair], 1 - angle] == 0


def test_the_division_has_the_least_variance_of_a_class():
    """Any other division of the same total has more: Neyman's allocation."""
    rng, oracle = np.random.default_rng(1), chain(4)
    rules = rules_of(oracle)
    scatter = first_scatter(rules, PARAMS)
    best = divide_pairs(1000.0, rules, scatter, PARAMS)

    def variances(shots):
        by_pair = scatter.variances[rules.angle] / (2 * np.maximum(shots[rules.slot], 1e-12))
        return np.bincount(rules.classes[rules.slot], by_pair.sum(axis=1))

    for _ in range(50):
        factors = rng.uniform(0.5, 2, best.shape)
        other = best * factors
        totals = np.bincount(rules.classes, best.sum(axis=1))
        other *= (totals / np.bincount(rules.classes, other.sum(axis=1)))[rules.classes][:, None]
        assert (variances(other) >= variances(best) * (1 - 1e-12)).all()


@pytest.mark.parametrize("unit", [1, 8])
def test_the_centre_has_shots_in_every_group_or_in_none(unit):
    rules = rules_of(chain(4))
    scatter = first_scatter(rules, PARAMS)
    assert not divide_centre(0.0, rules, scatter, unit, PARAMS).any()
    for total in (1.0, 100.0, 1e4):
        shots = divide_centre(total, rules, scatter, unit, PARAMS)
        assert (shots >= unit).all()
        assert (shots % unit == 0).all()
        assert abs(shots.sum() - total) <= 2 * unit * len(shots[0]) + 1e-9 or total < shots.sum()


def test_a_plan_is_both_points_of_every_slot_and_the_centre_twice():
    rng, oracle = np.random.default_rng(1), chain(4)
    rules = rules_of(oracle)
    scatter = first_scatter(rules, PARAMS)
    centre = np.linspace(0.1, 0.7, 4)
    plan, memo = plan_pairs(centre, 500.0, 100.0, rules, scatter, 1, rng, PARAMS)
    assert plan.points.shape == (2 * rules.slots + 2, 4)
    above, below = plan.points[:-2].reshape(rules.slots, 2, 4).swapaxes(0, 1)
    np.testing.assert_allclose((above + below) / 2, np.tile(centre, (rules.slots, 1)))
    np.testing.assert_allclose(np.abs(above - centre)[rules.steps != 0], math.pi / 2)
    np.testing.assert_array_equal(plan.points[-2:], np.tile(centre, (2, 1)))
    np.testing.assert_array_equal(plan.shots[0:-2:2], plan.shots[1:-2:2])
    assert abs(plan.shots[:-2].sum() - 500) <= 2 * rules.slots
    np.testing.assert_array_equal(plan.shots[-2:], memo.centre_shots)
