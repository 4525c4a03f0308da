"""The Lipschitz constant from a Gaussian process."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies.gaussian_process import lipschitz_constant, posterior_hessians


def test_hessians_are_those_of_central_differences():
    rng = np.random.default_rng(0)
    points, weights, at = rng.normal(size=(6, 3)), rng.normal(size=6), rng.normal(size=(2, 3))
    theta, step = 0.4, 1e-4

    def posterior(x):
        return np.exp(-theta * np.sum((x - points) ** 2, axis=1)) @ weights

    for point, hessian in zip(at, posterior_hessians(at, points, weights, theta), strict=True):
        for i in range(3):
            for j in range(3):
                a, b = step * np.eye(3)[i], step * np.eye(3)[j]
                numeric = (
                    posterior(point + a + b)
                    - posterior(point + a - b)
                    - posterior(point - a + b)
                    + posterior(point - a - b)
                ) / (4 * step**2)
                assert hessian[i, j] == pytest.approx(numeric, abs=1e-5)


@pytest.mark.parametrize("curvature", [0.2, 2.0, 50.0])
def test_order_of_magnitude_on_a_quadratic(curvature):
    """A rough estimate by construction: asserted within a factor of 5, deterministic by seed."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(100, 5))
    values = curvature / 2 * np.sum(points**2, axis=1)
    found = lipschitz_constant(points, values, 0.0, 10, rng)
    assert curvature / 5 < found < 5 * curvature


def test_it_scales_with_the_loss_and_against_the_square_of_lengths():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(40, 4))
    values = np.sum(points**2, axis=1)
    base = lipschitz_constant(points, values, 0.1, 5, np.random.default_rng(2))
    louder = lipschitz_constant(points, 3 * values, 0.9, 5, np.random.default_rng(2))
    wider = lipschitz_constant(10 * points, values, 0.1, 5, np.random.default_rng(2))
    assert louder == pytest.approx(3 * base)
    assert wider == pytest.approx(base / 100)


def test_equal_values_have_no_curvature():
    assert lipschitz_constant(np.eye(4), np.ones(4), 0.1, 3, np.random.default_rng(0)) == 0


@pytest.mark.parametrize(
    ("length", "height", "noise"),
    [
        (1.0, 1e-160, 1.0),  # noise/spread² overflows
        (1.0, 1e-170, 1.0),  # spread² is 0
        (1e-170, 1.0, 0.0),  # all squared distances are 0
        (1e-160, 1.0, 0.0),  # theta overflows
        (1e-80, 1.0, 0.0),  # theta² overflows
        (1e-80, 1e-160, 1.0),
    ],
)
def test_what_floating_point_numbers_do_not_resolve_has_no_curvature(length, height, noise):
    points = length * np.random.default_rng(0).normal(size=(8, 3))
    values = height * np.arange(8.0)
    assert lipschitz_constant(points, values, noise, 3, np.random.default_rng(0)) == 0


def test_points_that_coincide_have_no_curvature():
    """All of a population on one bound."""
    values = np.arange(6.0)
    assert lipschitz_constant(np.ones((6, 1)), values, 0.1, 3, np.random.default_rng(0)) == 0
