"""Bounds and periodic coordinates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.domain import make_domain

TWO_PI = 2 * np.pi


def test_periodic_coordinates_are_found_by_their_width():
    domain = make_domain(3, [(-np.pi, np.pi), (0, 1), (None, None)])
    np.testing.assert_allclose(domain.periods, [TWO_PI, 0, 0])
    assert domain.bounded
    assert domain.step_limit == pytest.approx(np.pi / 2)
    assert not make_domain(1, [(0, TWO_PI)]).bounded


@pytest.mark.parametrize(
    ("bounds", "periodic", "periods"),
    [
        ([(0, TWO_PI)], False, [0]),
        (None, True, [TWO_PI]),
        ([(0, 3)], True, [3]),
        (None, [np.pi], [np.pi]),
        ([(0, 4)], [True], [4]),
        ([(0, 4)], [False], [0]),
    ],
)
def test_periodic_can_be_said(bounds, periodic, periods):
    np.testing.assert_allclose(make_domain(1, bounds, periodic).periods, periods)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    st.sampled_from([0.0, -np.pi, 17.0]),
)
def test_wrapped_and_repaired_points_lie_inside_and_mean_the_same(point, origin):
    domain = make_domain(3, [(origin, origin + TWO_PI), (-1, 1), (None, 2)])
    inside = domain.wrap(domain.repair(np.array(point)))
    assert np.all((inside >= domain.lower) & (inside <= domain.upper))
    assert np.cos(inside[0]) == pytest.approx(np.cos(point[0]), abs=1e-8)
    np.testing.assert_array_equal(domain.wrap(domain.repair(inside)), inside)


def test_a_periodic_coordinate_without_bounds_is_wrapped_around_zero():
    domain = make_domain(1, None, [np.pi])
    np.testing.assert_allclose(domain.wrap(np.array([[1.0], [2.0]])), [[1.0], [2.0 - np.pi]])


@pytest.mark.parametrize(
    ("bounds", "periodic", "message"),
    [
        ([(0, 1)], None, r"bounds must be 2 \(lower, upper\) pairs"),
        ([(0, 1), (1, 0)], None, r"bounds\[1\] = \(1, 0\): the lower bound must be below"),
        ([(0, 1), (2, 2)], None, r"bounds\[1\] = \(2, 2\)"),
        ([(0, 1), (float("nan"), 2)], None, r"bounds\[1\]"),
        ([(0, 1), (0, 1)], [TWO_PI, 0], r"bounds of coordinate 0 are 1 wide, less than its period"),
        (None, [1.0], r"periodic must be None, a bool or a sequence of 2 booleans or periods"),
        (None, [-1.0, 1.0], r"periodic must hold finite periods >= 0"),
    ],
)
def test_impossible_domains_are_refused(bounds, periodic, message):
    with pytest.raises(ValueError, match=message):
        make_domain(2, bounds, periodic)
