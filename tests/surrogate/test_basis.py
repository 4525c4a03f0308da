"""The basis of a quadratic: features times coefficients are the components of pairs."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.basis import QuadraticBasis

DIM = 4
ROWS = 9


def some_coefficients(basis, seed=0):
    """Coefficients, and the same quadratic as constant, gradient and Hessian."""
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=basis.count)
    return coefficients, coefficients[0], coefficients[basis.gradient], basis.hessian(coefficients)


def quadratic(points, constant, gradient, hessian):
    return constant + points @ gradient + np.einsum("ni,ij,nj->n", points, hessian, points) / 2


@pytest.fixture(params=[40, 2], ids=["full", "diagonal"])
def basis(request):
    return QuadraticBasis(DIM, request.param)


@pytest.fixture
def pairs():
    rng = np.random.default_rng(1)
    return rng.normal(size=(ROWS, DIM)), rng.normal(size=(ROWS, DIM))


def test_number_of_coefficients():
    assert QuadraticBasis(DIM, 40).count == 1 + DIM + 1 + DIM * (DIM + 1) // 2
    assert QuadraticBasis(DIM, DIM - 1).count == 1 + DIM + 1 + DIM


def test_a_diagonal_basis_has_a_diagonal_hessian():
    basis = QuadraticBasis(DIM, 2)
    hessian = some_coefficients(basis)[-1]
    np.testing.assert_array_equal(hessian, np.diag(np.diag(hessian)))


def test_features_give_the_components(basis, pairs):
    middles, offsets = pairs
    coefficients, *parts = some_coefficients(basis)
    above, below = quadratic(middles + offsets, *parts), quadratic(middles - offsets, *parts)
    odd = basis.antisymmetric(middles, offsets) @ coefficients
    even = basis.symmetric(middles, offsets) @ coefficients
    np.testing.assert_allclose(odd, (above - below) / 2)
    np.testing.assert_allclose(even, (above + below) / 2)
    value = basis.value(middles[0]) @ coefficients
    assert value == pytest.approx(quadratic(middles[:1], *parts)[0])


def test_one_middle_serves_all_pairs(basis, pairs):
    middles, offsets = pairs
    tiled = np.tile(middles[:1], (ROWS, 1))
    for features in (basis.antisymmetric, basis.symmetric):
        np.testing.assert_allclose(features(middles[:1], offsets), features(tiled, offsets))


def test_the_mean_curvature_and_the_diagonal_add_up(basis):
    """h = 2 and H - h I with 1 on the diagonal: curvature 3 along every axis."""
    coefficients = np.zeros(basis.count)
    coefficients[1 + DIM] = 2.0
    coefficients[basis.entries][basis.diagonal] = 1.0
    np.testing.assert_array_equal(np.diag(basis.hessian(coefficients)), 3.0)


def test_bilinear_is_left_hessian_right(basis, pairs):
    left, right = pairs
    coefficients, *_ = some_coefficients(basis)
    coefficients[1 + DIM] = 0.0  # the entries are H itself
    hessian = basis.hessian(coefficients)
    expected = np.einsum("ni,ij,nj->n", left, hessian, right)
    np.testing.assert_allclose(basis.bilinear(left, right) @ coefficients[basis.entries], expected)


def some_change(basis, seed=2):
    matrix = np.random.default_rng(seed).normal(size=(DIM, DIM))
    return matrix if basis.full else np.diag(np.diag(matrix))


def test_monomials_change_with_the_coordinates(basis, pairs):
    points, matrix = pairs[0], some_change(basis)
    changed = basis.monomials(points) @ basis.change_of_monomials(matrix)
    np.testing.assert_allclose(changed, basis.monomials(points @ matrix.T))


def test_features_change_with_the_coordinates(basis, pairs):
    """Features of middle ± R u from u and from [1, monomials of u]."""
    (middle, *_), u = pairs
    matrix = some_change(basis)
    odd = u @ basis.change_of_antisymmetric(middle, matrix)
    np.testing.assert_allclose(odd, basis.antisymmetric(middle[None], u @ matrix.T), atol=1e-12)
    own = np.column_stack([np.ones(ROWS), basis.monomials(u)])
    even = own @ basis.change_of_symmetric(middle, matrix)
    np.testing.assert_allclose(even, basis.symmetric(middle[None], u @ matrix.T), atol=1e-12)
