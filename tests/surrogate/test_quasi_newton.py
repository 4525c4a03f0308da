"""The quasi-Newton descent: slopes, curvature, steps, and why it ends."""

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.surrogate.params import DescentParams
from qiskit_arcmaes.surrogate.quasi_newton import (
    Ending,
    QuasiNewton,
    central_slope,
    one_sided_slope,
)

PARAMS = DescentParams()


def descend(loss, start, noise=0.0, sigma0=1.0, bounds=None, seed=0, most=20_000):
    """Run a descent to its end; noise is the standard deviation of a value."""
    rng, method = (
        np.random.default_rng(seed),
        QuasiNewton(make_domain(len(start), bounds), sigma0, PARAMS),
    )
    descent, spent = method.start(np.array(start, dtype=float)), 0
    while descent.ending is None and spent < most:
        points = method.points(descent, noise**2)
        values = loss(points) + noise * rng.standard_normal(len(points))
        descent, spent = method.advance(descent, points, values, noise**2), spent + len(points)
    return descent, spent


def sphere(points):
    return np.sum(points**2, axis=1)


def rosenbrock(points):
    steps = points[:, 1:] - points[:, :-1] ** 2
    return np.sum(100 * steps**2 + (1 - points[:, :-1]) ** 2, axis=1)


def quadratic(points):
    return points @ [1.0, -2.0] + np.square(points) @ [3.0, 0.5]


def test_central_differences_of_a_quadratic_are_exact():
    centre, offsets = np.array([0.5, -1.0]), np.diag([0.3, 0.2])
    points = np.concatenate([centre + offsets, centre - offsets, centre[None]])
    slope = central_slope(points, quadratic(points), None)
    np.testing.assert_allclose(slope.gradient, [4.0, -3.0])
    np.testing.assert_allclose(slope.second, [6.0, 1.0])
    np.testing.assert_allclose(slope.widths, [0.6, 0.4])


def test_one_sided_differences_of_a_quadratic_are_exact_with_its_curvature():
    centre, offsets = np.array([0.5, -1.0]), np.diag([0.3, -0.2])
    points = np.concatenate([centre + offsets, centre[None]])
    slope = one_sided_slope(points, quadratic(points), np.diag([6.0, 1.0]))
    np.testing.assert_allclose(slope.gradient, [4.0, -3.0])


@pytest.mark.parametrize("dim", [1, 2, 10])
def test_a_sphere_takes_a_few_iterations(dim):
    descent, spent = descend(sphere, np.full(dim, 2.0))
    assert descent.ending is Ending.CONVERGED
    assert np.abs(descent.centre).max() < 1e-7
    assert spent <= 4 * (2 * dim + 6)


@pytest.mark.parametrize(("dim", "most"), [(2, 600), (10, 3000), (20, 8000)])
def test_a_curved_valley_is_followed_to_its_end(dim, most):
    """pycma takes 5,300 to 5,700 evaluations to 1e-8 at d = 10, 16,500 to 17,300 at d = 20."""
    start = np.random.default_rng(2).uniform(-1, 1, dim)
    descent, spent = descend(rosenbrock, start)
    assert rosenbrock(descent.centre[None])[0] < 1e-8
    assert spent < most


def test_it_stays_within_bounds():
    descent, _ = descend(sphere, [2.0, 2.0], bounds=[(0.5, 3.0), (-1.0, 3.0)])
    np.testing.assert_allclose(descent.centre, [0.5, 0.0], atol=1e-6)


def test_it_ends_where_noise_hides_the_slope():
    """The loss falls from 40 to about a thousandth; noise of 0.01 raises it by 0.01 at 0.1."""
    for seed in range(5):
        descent, spent = descend(sphere, np.full(10, 2.0), noise=0.01, seed=seed)
        assert descent.ending is Ending.NOISE
        assert sphere(descent.centre[None])[0] < 0.1
        assert spent < 300


def test_differences_are_never_so_narrow_that_noise_hides_the_curvature():
    """Half widths of at least 1.68 sqrt(error/curvature) for a curvature of 2."""
    method = QuasiNewton(make_domain(3), 1.0, PARAMS)
    descent, _ = descend(sphere, np.full(3, 2.0), noise=0.01)
    points = method.points(descent, 0.01**2)
    widths = np.linalg.norm(points[:3] - points[-1], axis=1)
    assert widths.min() > 0.5 * 1.68 * np.sqrt(0.01 / 2)


def test_a_plateau_is_no_minimum():
    descent, spent = descend(lambda points: np.ones(len(points)), [1.0, 1.0])
    assert descent.ending is Ending.STALLED
    assert (spent, descent.gained) == (5, 0.0)


def test_kinks_end_it():
    descent, _ = descend(lambda points: np.abs(points).max(axis=1), [1.0, 0.3], most=5000)
    assert descent.ending is not None


def test_failed_values_are_not_followed():
    def fails(points):
        return np.where(points[:, 0] < 0.5, np.nan, sphere(points))

    descent, _ = descend(fails, [2.0, 2.0])
    assert descent.ending is not None
    assert descent.centre[0] >= 0.5
    assert abs(descent.centre[1]) < 0.1


def test_a_start_that_fails_ends_it():
    descent, _ = descend(lambda points: np.full(len(points), np.nan), [2.0, 2.0])
    assert descent.ending is Ending.STALLED
