"""Designs: mirrored, evenly spread, without failed pairs."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.design import (
    SamplingDistribution,
    directions,
    draw_points,
    make_design,
)

from .problems import around

DIM = 3


def test_points_are_mirrored_and_the_first_pairs_repeated():
    distribution = around([1.0, -2.0, 0.5], 0.3)
    points = draw_points(np.random.default_rng(0), distribution, pairs=7, repeats=2)
    above, below = np.split(points, 2)
    np.testing.assert_allclose((above + below) / 2, np.tile(distribution.centre, (9, 1)))
    np.testing.assert_array_equal(above[7:], above[:2])
    assert len(np.unique(above, axis=0)) == 7


def test_points_have_the_covariance_of_the_distribution():
    """3000 pairs: entries of D D' within 10% (standard error of a normal sample: 2.6%)."""
    scale = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.7]])
    distribution = SamplingDistribution(np.zeros(DIM), scale)
    points = draw_points(np.random.default_rng(1), distribution, 3000, 0)
    np.testing.assert_allclose(np.cov(points.T), scale @ scale, atol=0.1 * 4)
    np.testing.assert_allclose(np.diag(np.cov(points.T)), np.diag(scale @ scale), rtol=0.1)


def test_components_of_odd_and_even_functions():
    """A linear function has no symmetric component, a square no antisymmetric one."""
    points = draw_points(np.random.default_rng(2), around(np.zeros(DIM)), 20, 0)
    linear = make_design(points, points @ np.arange(1.0, 4.0), 1.0, 4, np.eye(DIM), 0)
    np.testing.assert_allclose(linear.symmetric, 0, atol=1e-14)
    np.testing.assert_allclose(linear.antisymmetric, points[:20] @ np.arange(1.0, 4.0))
    square = make_design(points, np.sum(points**2, axis=1), 1.0, 4, np.eye(DIM), 0)
    np.testing.assert_allclose(square.antisymmetric, 0, atol=1e-14)
    np.testing.assert_allclose(square.symmetric, np.sum(points[:20] ** 2, axis=1))


def test_the_variance_of_a_component_is_that_of_half_a_difference():
    """10,000 pairs with tau² = 2 and 5 shots: 0.2, standard error 1.4%, margin five of it."""
    rng = np.random.default_rng(3)
    points = draw_points(rng, around(np.zeros(DIM)), 10_000, 0)
    values = np.sqrt(2 / 5) * rng.standard_normal(len(points))
    design = make_design(points, values, 2.0, 5, np.eye(DIM), 0)
    assert design.variance == pytest.approx(0.2)
    assert np.var(design.antisymmetric) == pytest.approx(0.2, rel=0.07)
    assert np.var(design.symmetric) == pytest.approx(0.2, rel=0.07)


def test_pairs_with_a_failed_value_are_left_out():
    points = draw_points(np.random.default_rng(4), around(np.zeros(DIM)), 6, 0)
    values = np.arange(12.0)
    values[[1, 8]] = np.nan  # of the pairs 1 and 2
    design = make_design(points, values, 1.0, 1, np.eye(DIM), 0)
    np.testing.assert_array_equal(design.offsets, points[[0, 3, 4, 5]])
    np.testing.assert_array_equal(design.symmetric, [3.0, 6.0, 7.0, 8.0])


def test_a_bound_that_moves_a_point_moves_the_middle_of_its_pair():
    points = draw_points(np.random.default_rng(5), around(np.full(DIM, 1.0)), 10, 0)
    free = make_design(points, np.zeros(20), 1.0, 1, np.eye(DIM), 0)
    assert free.common_middle
    np.testing.assert_allclose(free.middles, np.ones((1, DIM)))
    bounded = make_design(np.minimum(points, 1.2), np.zeros(20), 1.0, 1, np.eye(DIM), 0)
    assert not bounded.common_middle
    assert bounded.middles.shape == (10, DIM)


def test_directions_are_evenly_spread():
    """Second moments of 20 blocks: normal samples have errors of sqrt(1/n), orthogonal ones less.

    400 directions have 190 independent entries off the diagonal; a normal sample is below 0.6 of
    its error with a probability below 1e-10.
    """
    drawn = directions(np.random.default_rng(0), 400, 20)
    assert drawn.shape == (400, 20)
    error = drawn.T @ drawn / 400 - np.eye(20)
    assert np.sqrt(np.mean(error**2)) < 0.6 * np.sqrt(1 / 400)
    assert directions(np.random.default_rng(0), 7, 20).shape == (7, 20)


def test_radius_and_standardised_coordinates():
    axes = np.linalg.qr(np.random.default_rng(6).normal(size=(DIM, DIM)))[0]
    distribution = SamplingDistribution(np.ones(DIM), (axes * [0.5, 1.0, 4.0]) @ axes.T)
    assert distribution.radius == pytest.approx(4.0)
    assert distribution.typical_radius == pytest.approx(2 ** (1 / 3))
    u = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.0]])
    points = distribution.centre + u @ distribution.scale
    np.testing.assert_allclose(distribution.standardised(points), u, atol=1e-12)
