"""Normal equations: right for any units of the coefficients, and for stacks."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from qiskit_arcmaes.numerics.regression import inverses, solve, symmetrised


def some_system(seed, rows=30, count=4):
    rng = np.random.default_rng(seed)
    units = 10.0 ** np.arange(-2 * count, 2 * count, 4)
    return rng.normal(size=(rows, count)) * units, rng.normal(size=count) / units


def test_exact_data_give_the_true_coefficients_whatever_their_units():
    features, truth = some_system(0)
    coefficients, _ = solve(features.T @ features, features.T @ (features @ truth))
    np.testing.assert_allclose(coefficients, truth, rtol=1e-8)


def test_the_covariance_is_that_of_the_coefficients():
    """1000 noisy fits: variances within 25% (five standard errors of sqrt(2/1000) are 22%)."""
    features, truth = some_system(1)
    rng = np.random.default_rng(2)
    found = []
    for _ in range(1000):
        values = features @ truth + rng.standard_normal(len(features))
        coefficients, covariance = solve(features.T @ features, features.T @ values)
        found.append(coefficients)
    np.testing.assert_allclose(np.var(found, axis=0), np.diag(covariance), rtol=0.25)


def test_a_singular_system_is_solved_with_small_coefficients():
    features = np.ones((5, 2))  # two equal features
    coefficients, _ = solve(features.T @ features, features.T @ np.full(5, 3.0))
    np.testing.assert_allclose(coefficients, [1.5, 1.5], rtol=1e-2)


def test_the_covariance_is_the_inverse():
    features, _ = some_system(4)
    matrix = features.T @ features
    _, lower = solve(matrix, np.zeros(4))
    assert np.all(np.triu(lower, 1) == 0)
    np.testing.assert_allclose(symmetrised(lower) @ matrix, np.eye(4), atol=1e-2, rtol=1e-6)
    np.testing.assert_allclose(np.diag(symmetrised(lower) @ matrix), 1, rtol=1e-6)


@pytest.mark.parametrize("matrix", [np.array([[1.0, 2.0], [2.0, 1.0]]), np.full((2, 2), np.nan)])
def test_a_system_without_a_solution_is_refused(matrix):
    with pytest.raises(LinAlgError):
        solve(matrix, np.ones(2))


@pytest.mark.parametrize("stack", [(), (3,), (2, 3)])
def test_stacks_are_inverted(stack):
    roots = np.random.default_rng(3).normal(size=(*stack, 4, 4)) * [1e-6, 1.0, 1.0, 1e6]
    matrices = np.swapaxes(roots, -1, -2) @ roots
    products = inverses(matrices) @ matrices
    np.testing.assert_allclose(np.diagonal(products, axis1=-2, axis2=-1), 1, rtol=1e-6)
    single = inverses(matrices.reshape(-1, 4, 4)[:1])[0]
    np.testing.assert_array_equal(inverses(matrices).reshape(-1, 4, 4)[0], single)
