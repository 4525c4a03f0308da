"""Both forms' factors against derivatives of the losses that they stand for."""

import numpy as np

from qiskit_arcmaes.shift.forms import Form, factors

HESSIAN = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.5]])
GRADIENT = np.array([0.3, -0.2, 0.1])


def quadratic(x):
    return x @ GRADIENT + 0.5 * np.einsum("ki,ij,kj->k", x, HESSIAN, x)


def trigonometric(x):
    sines, mixed = np.sin(x), HESSIAN - np.diag(np.diag(HESSIAN))
    pairs = 0.5 * np.einsum("ki,ij,kj->k", sines, mixed, sines)
    return sines @ GRADIENT + (1 - np.cos(x)) @ np.diag(HESSIAN) + pairs


def test_factors_times_coefficients_are_the_derivatives():
    points = np.random.default_rng(0).normal(size=(20, 3))
    coefficients = np.column_stack([GRADIENT, HESSIAN])
    step = 1e-5
    for form, loss in ((Form.QUADRATIC, quadratic), (Form.TRIGONOMETRIC, trigonometric)):
        expected = np.einsum("ikp,ip->ki", factors(form, points), coefficients)
        for index, axis in enumerate(step * np.eye(3)):
            slope = (loss(points + axis) - loss(points - axis)) / (2 * step)
            np.testing.assert_allclose(expected[:, index], slope, atol=1e-8)


def test_both_forms_agree_near_the_centre():
    points = 1e-4 * np.random.default_rng(1).normal(size=(5, 3))
    near = factors(Form.TRIGONOMETRIC, points) - factors(Form.QUADRATIC, points)
    assert np.abs(near).max() < 1e-7
