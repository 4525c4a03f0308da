"""The model of slopes: what it recovers, how far it trusts itself, how it weighs a bias."""

import numpy as np
import pytest

from qiskit_arcmaes.shift.angle_model import Slopes, bias_energy, fit_slopes, minimiser

DIM = 3
HESSIAN = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.5]])
SLOPE = np.array([0.3, -0.2, 0.1])


def measured(rows=200, noise=0.05, width=0.3, seed=0, bend=0.0):
    rng = np.random.default_rng(seed)
    points = width * rng.standard_normal((rows, DIM))
    values = SLOPE + points @ HESSIAN + bend * points**2
    values += noise * rng.standard_normal(values.shape)
    return Slopes(points, values, np.full(rows, noise**2))


def fitted(data):
    return fit_slopes(data, np.zeros(DIM), np.diag(HESSIAN), 0.1, 0.0)


def test_slope_and_curvature_lie_within_their_errors():
    """120 slopes and 120 eigenvalues, none beyond 4.5 standard errors:
    240 x 6.8e-6, fails with 0.2%.

    Eigenvalues of a noisy matrix lean outwards by far less than that here.
    """
    true_values, true_axes = np.linalg.eigh(HESSIAN)
    for seed in range(40):
        fit = fitted(measured(seed=seed))
        assert np.all(np.abs(fit.curvatures - true_values) < 4.5 * fit.errors)
        assert np.all(np.abs(fit.slope - fit.axes.T @ SLOPE) < 4.5 * np.sqrt(fit.variances))
    assert np.abs(np.sum(fit.axes * true_axes, axis=0)) == pytest.approx(1, abs=0.1)


def trigonometric(rows=200, noise=0.05, width=0.7, seed=0):
    """Slopes of sum g sin + sum H_ii (1 - cos) + sum_{i<j} H_ij sin sin, by differentiation."""
    rng = np.random.default_rng(seed)
    points = width * rng.standard_normal((rows, DIM))

    def loss(x):
        sines = np.sin(x)
        mixed = np.einsum("ki,ij,kj->k", sines, HESSIAN - np.diag(np.diag(HESSIAN)), sines) / 2
        return sines @ SLOPE + (1 - np.cos(x)) @ np.diag(HESSIAN) + mixed

    small = 1e-5 * np.eye(DIM)
    values = np.column_stack([(loss(points + h) - loss(points - h)) / 2e-5 for h in small])
    values += noise * rng.standard_normal(values.shape)
    return Slopes(points, values, np.full(rows, noise**2))


def test_the_fit_chooses_the_form_that_the_data_have():
    """Each form's slopes are explained by it to the noise, and by the other one not."""
    for seed in range(5):
        assert not fitted(measured(width=0.7, seed=seed)).trigonometric
        fit = fitted(trigonometric(seed=seed))
        assert fit.trigonometric
        assert fit.disagreement == pytest.approx(1, abs=0.2)  # 600 residuals: 3.5 standard errors
        hessian = (fit.axes * fit.curvatures) @ fit.axes.T
        np.testing.assert_allclose(hessian, HESSIAN, atol=0.05)


def test_without_noise_the_minimiser_is_exact():
    found = minimiser(fitted(measured(noise=0.0)), longest=2.0)
    np.testing.assert_allclose(found.step, -np.linalg.solve(HESSIAN, SLOPE), rtol=1e-4)
    assert found.inside
    assert found.gain == pytest.approx(0.5 * SLOPE @ np.linalg.solve(HESSIAN, SLOPE), rel=1e-3)


def test_a_step_is_cut_at_the_trusted_length():
    found = minimiser(fitted(measured()), longest=0.05)
    assert np.linalg.norm(found.step) == pytest.approx(0.05)
    assert not found.inside


def test_without_a_proved_curvature_noise_moves_nothing():
    """Slopes that are noise alone, all at one point: the evidence is chi-squared with 3 degrees.

    Of 20 steps the median must be short; evidence beyond 9 has a probability of 3%, in eleven of
    twenty runs less than 1e-11.
    """
    rng = np.random.default_rng(1)
    lengths = []
    for _ in range(20):
        data = Slopes(np.zeros((9, DIM)), rng.standard_normal((9, DIM)), np.ones(9))
        fit = fit_slopes(data, np.zeros(DIM), np.zeros(DIM), 1.0, 0.0)
        unshrunk = np.linalg.norm(fit.slope) / (2 * fit.errors.min())
        lengths.append(np.linalg.norm(minimiser(fit, 10.0).step) / unshrunk)
    assert np.median(lengths) < 2 / 3


def test_what_lies_far_counts_less_where_the_loss_bends():
    straight, bent = fitted(measured(width=1.0)), fitted(measured(width=1.0, bend=0.5))
    assert bent.misfit > 10 * straight.misfit
    assert np.all(bent.variances > straight.variances)


def test_foreign_rows_teach_curvature_but_not_the_slope():
    data = measured(noise=1e-3)
    values = data.values.copy()
    values[:150] += 0.4  # a bias of the first rows alone
    kinds = {}
    for foreign in (0, 150):
        rows = Slopes(data.centres, values, data.variances, foreign, 1.0)
        fit = fitted(rows)
        kinds[foreign] = np.max(np.abs(fit.axes @ fit.slope - SLOPE))
    assert kinds[150] < 0.01 < 0.2 < kinds[0]


def test_the_energy_of_a_bias_is_that_of_the_shifted_minimum():
    bias = np.array([0.1, 0.2, -0.1])
    exact = 0.5 * bias @ np.linalg.solve(HESSIAN, bias)
    assert bias_energy(fitted(measured(noise=0.0)), bias) == pytest.approx(exact, rel=1e-3)
