"""The gradient model: what it recovers, its errors, its choice of form, its treatment of bias."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import newton_step
from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.gradient_model import Prior, fit_gradients
from qiskit_arcmaes.shift.params import ModelParams
from qiskit_arcmaes.shift.record import Gradients

from .test_forms import GRADIENT, HESSIAN, trigonometric

DIM = 3


def measured(rows=200, noise=0.05, width=0.3, seed=0, bend=0.0):
    rng = np.random.default_rng(seed)
    points = width * rng.standard_normal((rows, DIM))
    values = GRADIENT + points @ HESSIAN + bend * points**2
    values += noise * rng.standard_normal(values.shape)
    return Gradients(points, values, np.full(rows, noise**2))


def fitted(data):
    return fit_gradients(data, np.zeros(DIM), Prior(np.diag(HESSIAN), 0.1, 0.0), ModelParams())


def test_gradient_and_curvature_lie_within_their_errors():
    """120 slopes and 120 eigenvalues, none beyond 4.5 standard errors: fails with 0.2%.

    Eigenvalues of a noisy matrix lean outwards by far less than that here.
    """
    true_values, true_axes = np.linalg.eigh(HESSIAN)
    for seed in range(40):
        found = fitted(measured(seed=seed)).quadratic
        assert np.all(np.abs(found.curvatures - true_values) < 4.5 * found.errors)
        error = np.abs(found.slopes - found.axes.T @ GRADIENT)
        assert np.all(error < 4.5 * np.sqrt(found.variances))
    assert np.abs(np.sum(found.axes * true_axes, axis=0)) == pytest.approx(1, abs=0.1)


def trigonometric_data(rows=200, noise=0.05, width=0.7, seed=0):
    """Gradients of the trigonometric form, by differentiation."""
    rng = np.random.default_rng(seed)
    points = width * rng.standard_normal((rows, DIM))
    small = 1e-5 * np.eye(DIM)
    rises = [trigonometric(points + h) - trigonometric(points - h) for h in small]
    values = np.column_stack(rises) / 2e-5
    values += noise * rng.standard_normal(values.shape)
    return Gradients(points, values, np.full(rows, noise**2))


def test_the_fit_chooses_the_form_that_the_data_have():
    """Each form's slopes are explained by it to the noise, and by the other one not."""
    for seed in range(5):
        assert fitted(measured(width=0.7, seed=seed)).form is Form.QUADRATIC
        fit = fitted(trigonometric_data(seed=seed))
        assert fit.form is Form.TRIGONOMETRIC
        assert fit.disagreement == pytest.approx(1, abs=0.2)  # 600 residuals: 3.5 standard errors
        axes = fit.quadratic.axes
        hessian = (axes * fit.quadratic.curvatures) @ axes.T
        np.testing.assert_allclose(hessian, HESSIAN, atol=0.05)


def test_without_noise_the_minimum_is_exact():
    step = newton_step(fitted(measured(noise=0.0)).quadratic, 2.0, 2.0)
    np.testing.assert_allclose(step.vector, -np.linalg.solve(HESSIAN, GRADIENT), rtol=1e-4)
    gain = 0.5 * GRADIENT @ np.linalg.solve(HESSIAN, GRADIENT)
    assert step.gain == pytest.approx(gain, rel=1e-3)


def test_the_expected_gradient_is_that_of_the_quadratic():
    step = np.array([0.1, -0.2, 0.05])
    found = fitted(measured(noise=0.0)).gradient_at(step)
    np.testing.assert_allclose(found, GRADIENT + HESSIAN @ step, rtol=1e-4)


def test_without_a_resolved_curvature_noise_moves_nothing():
    """Gradients that are noise alone, all at one point: the evidence is chi-squared, 3 degrees.

    Of 20 steps the median must be short; evidence beyond 9 has a probability of 3%, in eleven of
    twenty runs less than 1e-11.
    """
    rng = np.random.default_rng(1)
    lengths = []
    for _ in range(20):
        data = Gradients(np.zeros((9, DIM)), rng.standard_normal((9, DIM)), np.ones(9))
        prior = Prior(np.zeros(DIM), 1.0, 0.0)
        found = fit_gradients(data, np.zeros(DIM), prior, ModelParams()).quadratic
        unshrunk = np.linalg.norm(found.slopes) / (2 * found.errors.min())
        lengths.append(np.linalg.norm(newton_step(found, 2.0, 10.0).vector) / unshrunk)
    assert np.median(lengths) < 2 / 3


def test_what_lies_far_counts_less_where_the_loss_bends():
    straight, bent = fitted(measured(width=1.0)), fitted(measured(width=1.0, bend=0.5))
    assert bent.lack_of_fit > 10 * straight.lack_of_fit
    assert np.all(bent.quadratic.variances > straight.quadratic.variances)


def test_biased_gradients_tell_the_curvature_but_not_the_gradient():
    data = measured(noise=1e-3)
    values = data.values.copy()
    values[:150] += 0.4  # a bias of the first rows alone
    errors = {}
    for biased in (0, 150):
        fit = fitted(Gradients(data.centres, values, data.variances, biased, 1.0))
        errors[biased] = np.max(np.abs(fit.gradient - GRADIENT))
    assert errors[150] < 0.01 < 0.2 < errors[0]
