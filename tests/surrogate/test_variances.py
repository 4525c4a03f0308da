"""Variances by expectation maximisation: steps end when they hardly change anything."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.params import RegressionParams
from qiskit_arcmaes.surrogate.selection import near_components
from qiskit_arcmaes.surrogate.variances import WeightedEquations, with_variances

from .problems import DIM, Quadratic, around, measured

PARAMS = RegressionParams()
BASIS = QuadraticBasis(DIM, PARAMS.full_dimension)


def cubic(points):
    return Quadratic()(points) + np.sum(points**3, axis=1)


def some_components(loss=cubic, designs=2):
    distribution = around(np.zeros(DIM))
    data = [measured(loss, distribution, 60, 0.5, seed) for seed in range(designs)]
    return list(near_components(data, distribution, BASIS, 0.0, PARAMS, SumsCache()))


def equations(components, **changes):
    return WeightedEquations(components, BASIS, 1e-20, replace(PARAMS, **changes))


def test_the_solution_is_that_of_weighted_least_squares():
    components = some_components()
    lack, prior = np.array([0.5, 1.0, 2.0, 4.0]), 3.0
    coefficients, lower = equations(components).solve(lack, prior)
    weights = [1 / (each.variance + more) for each, more in zip(components, lack, strict=True)]
    matrix = sum(w * each.equations.matrix for w, each in zip(weights, components, strict=True))
    right = sum(w * each.equations.right for w, each in zip(weights, components, strict=True))
    spread = prior * np.where(BASIS.diagonal, 2.0, 1.0)
    matrix += np.diag(np.concatenate([np.zeros(2 + DIM), 1 / spread]))
    np.testing.assert_allclose(coefficients, np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(lower, np.tril(np.linalg.inv(matrix)), rtol=1e-5, atol=1e-10)


def test_residuals_and_freedom_are_those_of_the_fit():
    components = some_components()
    found = equations(components, em_steps=1).estimate(3.0)
    coefficients, lower = equations(components).solve(np.zeros(4), 3.0)
    covariance = lower + np.tril(lower, -1).T
    for index, each in enumerate(components):
        sums = each.equations
        freedom = sums.count - np.sum(covariance * sums.matrix) / each.variance
        squares = sums.square - 2 * coefficients @ sums.right
        squares += coefficients @ sums.matrix @ coefficients
        assert found.freedom[index] == pytest.approx(freedom, rel=1e-6)
        assert found.residual[index] == pytest.approx(squares / freedom, rel=1e-6)


def test_steps_end_when_the_variances_hardly_change():
    """Beginning with what many steps have found, one step is enough."""
    components = some_components()
    found = equations(components, em_steps=200, em_tolerance=1e-9).estimate(3.0)
    known = with_variances(components, found)
    again = equations(known, em_steps=200).estimate(found.prior)
    one_step = equations(known, em_steps=1).estimate(found.prior)
    np.testing.assert_array_equal(again.lack_of_fit, one_step.lack_of_fit)
    np.testing.assert_allclose(again.lack_of_fit, found.lack_of_fit, rtol=0.02, atol=0.02)


def test_steps_go_on_while_the_variances_change():
    components = some_components()
    few = equations(components, em_steps=1).estimate(3.0)
    many = equations(components, em_steps=200).estimate(3.0)
    exact = equations(components, em_steps=200, em_tolerance=1e-9).estimate(3.0)
    errors = [np.abs(np.log(each.prior / exact.prior)) for each in (few, many)]
    assert errors[1] < errors[0]
