"""The Newton step: the minimiser, the true decrease, and caution where nothing is resolved."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import PrincipalAxes, floored_curvatures, newton_step

DIM = 6


def some_quadratic(variance=0.0, errors=0.0, seed=0):
    """Slopes, curvatures and eigenvectors of f(x) = g.x + x'Hx/2, and g and H themselves."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(DIM, DIM))
    hessian, gradient = root @ root.T + np.eye(DIM), rng.normal(size=DIM)
    curvatures, axes = np.linalg.eigh(hessian)
    model = PrincipalAxes(
        axes, gradient @ axes, np.full(DIM, variance), curvatures, np.full(DIM, errors)
    )
    return model, gradient, hessian


def test_a_full_step_ends_at_the_minimiser():
    model, gradient, hessian = some_quadratic()
    step = newton_step(model, 1.0, 100.0)
    np.testing.assert_allclose(step.vector, -np.linalg.solve(hessian, gradient), rtol=1e-10)
    assert step.step_fraction == 1
    assert step.unresolved == 0


def test_the_gain_of_a_full_step_is_the_true_decrease():
    """f(x) - f(x*) = g'H^-1 g/2: exact without errors."""
    model, gradient, hessian = some_quadratic()
    step = newton_step(model, 1.0, 100.0)
    decrease = -(gradient @ step.vector + step.vector @ hessian @ step.vector / 2)
    assert step.gain == pytest.approx(decrease, rel=1e-10)
    assert step.gain == pytest.approx(gradient @ np.linalg.solve(hessian, gradient) / 2, rel=1e-10)


def test_gain_and_noise_loss_are_unbiased_under_noise():
    """2000 noisy slopes: means within five of their own standard errors of the truth.

    Failure probability with a correct code: below 1e-6 for each of the two.
    """
    variance = 0.3
    model, gradient, hessian = some_quadratic(variance)
    minimiser = -np.linalg.solve(hessian, gradient)
    rng = np.random.default_rng(1)
    gains, losses = [], []
    for _ in range(2000):
        noisy = model.slopes + np.sqrt(variance) * rng.standard_normal(DIM)
        step = newton_step(
            PrincipalAxes(model.axes, noisy, model.variances, model.curvatures, model.errors),
            1.0,
            100.0,
        )
        away = step.vector - minimiser
        gains.append(step.gain)
        losses.append(away @ hessian @ away / 2)
    truth = gradient @ np.linalg.solve(hessian, gradient) / 2
    error = np.std(gains) / np.sqrt(len(gains))
    assert np.mean(gains) == pytest.approx(truth, abs=5 * error)
    error = np.std(losses) / np.sqrt(len(losses))
    assert np.mean(losses) == pytest.approx(step.noise_loss, abs=5 * error)


def test_a_step_that_is_too_long_is_shortened_in_its_direction():
    model, *_ = some_quadratic()
    full, short = newton_step(model, 1.0, 100.0), newton_step(model, 1.0, 0.1)
    assert np.linalg.norm(short.vector) == pytest.approx(0.1)
    np.testing.assert_allclose(short.vector, short.step_fraction * full.vector)
    assert short.gain == full.gain  # of a full step


def test_curvatures_are_floored_at_their_errors():
    model, *_ = some_quadratic(errors=1.0)
    assert floored_curvatures(model, 1e6).min() == pytest.approx(1e6)
    np.testing.assert_allclose(floored_curvatures(model, 0.0), model.curvatures)
    assert newton_step(model, 1e6, 100.0).unresolved == DIM


def test_along_negative_curvature_the_step_goes_downhill():
    model = PrincipalAxes(
        np.eye(2), np.array([1.0, 1.0]), np.full(2, 1e-9), np.array([-2.0, 2.0]), np.zeros(2)
    )
    step = newton_step(model, 1.0, 100.0)
    np.testing.assert_allclose(step.vector, [-0.5, -0.5], rtol=1e-6)
    assert step.unresolved == 1


def test_an_unresolved_slope_that_noise_explains_is_not_followed():
    """Evidence slope²/variance = 0.25 < 1: no step; 100: 99% of it."""
    curvatures, errors = np.array([0.1, 2.0]), np.array([1.0, 0.0])
    for slope, share in ((0.5, 0.0), (10.0, 0.99)):
        slopes = np.array([slope, 1.0])
        model = PrincipalAxes(np.eye(2), slopes, np.ones(2), curvatures, errors)
        step = newton_step(model, 1.0, 1000.0)
        np.testing.assert_allclose(step.vector, [-share * slope, -0.5])


def test_errors_of_the_minimiser():
    model, *_ = some_quadratic(variance=0.04)
    step = newton_step(model, 1.0, 100.0)
    np.testing.assert_allclose(step.deviations, 0.2 / model.curvatures)
    assert step.location_error == pytest.approx(np.sqrt(np.mean(0.04 / model.curvatures**2)))


def test_significant_gain_is_zero_where_noise_explains_the_gain():
    model, *_ = some_quadratic(variance=100.0)
    assert newton_step(model, 1.0, 100.0).significant_gain == 0
    model, *_ = some_quadratic(variance=1e-12)
    step = newton_step(model, 1.0, 100.0)
    assert step.significant_gain == pytest.approx(step.gain, rel=1e-6)


def test_a_flat_quadratic_gives_a_finite_step():
    model = PrincipalAxes(np.eye(2), np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2))
    step = newton_step(model, 1.0, 1.0)
    np.testing.assert_array_equal(step.vector, 0)
    assert step.unresolved == 2
