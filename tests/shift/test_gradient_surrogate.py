"""Designs drawn from the minimiser's distribution, and the balance of bias and noise."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import PrincipalAxes, newton_step
from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.gradient_model import GradientFit
from qiskit_arcmaes.shift.gradient_surrogate import estimated_bias, next_design, shift_factor
from qiskit_arcmaes.shift.params import ModelParams, NewtonParams
from qiskit_arcmaes.shift.record import empty_record

PARAMS = ModelParams()
AXES = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]


def fit(variances=(1e-4, 1e-4, 1e-4)):
    quadratic = PrincipalAxes(
        AXES,
        np.array([0.1, -0.05, 0.02]),
        np.array(variances),
        np.array([0.1, 1.0, 4.0]),
        np.zeros(3),
    )
    return GradientFit(quadratic, 1.0, 0.2, 1.0, 0.0, Form.QUADRATIC)


def designs(count, variances=(1e-4, 1e-4, 1e-4)):
    rng = np.random.default_rng(1)
    found, centre = fit(variances), np.full(3, 0.5)
    step = newton_step(found.quadratic, 2.0, 10.0)
    return [next_design(found, step, centre, rng, NewtonParams()) for _ in range(count)]


def test_designs_spread_as_the_minimiser_is_uncertain():
    """4,000 draws: each standard deviation is known to 1.1%, the margin is 6%."""
    draws = designs(4000)
    away = np.array([each.design - each.minimum for each in draws]) @ AXES
    np.testing.assert_allclose(away.std(axis=0), [0.1, 0.01, 0.0025], rtol=0.06)


def test_the_minimum_is_the_newton_step_and_the_expected_gradient_fits_the_design():
    (found,) = designs(1)
    hessian = (AXES * fit().quadratic.curvatures) @ AXES.T
    np.testing.assert_allclose(found.minimum, 0.5 - np.linalg.solve(hessian, fit().gradient))
    np.testing.assert_allclose(found.expected, hessian @ (found.design - found.minimum), atol=1e-12)


def test_no_axis_is_sampled_wider_than_the_trust_region():
    draws = designs(2000, (1e4, 1e-4, 1e-4))
    away = np.array([each.design - each.minimum for each in draws]) @ AXES
    assert away[:, 0].std() == pytest.approx(0.3, rel=0.08)  # 5 standard errors of 1.6%
    assert draws[0].radius < 0.3


def test_the_reported_radius_never_vanishes():
    assert designs(1, (0.0, 0.0, 0.0))[0].radius == NewtonParams().least_radius


def test_the_shift_minimises_bias_and_noise_together():
    """loss(f) = b f^4 + n f^-2, from the losses of a bias and of a noise as they are defined."""
    bias, deviation = np.array([0.3, 0.1, -0.2]), 0.02
    hessian = (AXES * fit().quadratic.curvatures) @ AXES.T
    biased = 0.5 * bias @ np.linalg.solve(hessian, bias)
    level = np.full(3, deviation)
    noise = 0.5 * level @ np.linalg.solve(hessian, level)
    grid = np.linspace(0.05, 1, 20_000)
    best = grid[np.argmin(biased * grid**4 + noise / grid**2)]
    assert shift_factor(fit(), bias, deviation, PARAMS) == pytest.approx(best, abs=1e-3)


def test_the_shift_is_never_widened():
    assert shift_factor(fit(), np.full(3, 1e-6), 0.5, PARAMS) == 1
    assert shift_factor(fit(), np.zeros(3), 0.0, PARAMS) == 1


def test_the_bias_is_extrapolated_from_two_shifts():
    """A bias of 0.4 s² differs between s = 1 and the smaller shift by 0.4 (1 - ratio²)."""
    ratio, record = 0.6, empty_record(2)
    bias = np.array([0.4, -1.0])
    for offset in (-0.1, 0.1):
        record = record.with_test(bias + offset, bias * ratio**2)
    np.testing.assert_allclose(estimated_bias(record, ratio), bias)
