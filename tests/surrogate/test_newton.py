"""The step of a fitted quadratic, its gain, and the axes of the next distribution."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import PrincipalAxes
from qiskit_arcmaes.surrogate.design import SamplingDistribution
from qiskit_arcmaes.surrogate.newton import (
    RadiusLimits,
    axis_factors,
    principal_axes,
    rescaled,
    step_to_minimiser,
)
from qiskit_arcmaes.surrogate.params import NewtonParams, RegressionParams

from .problems import DIM, Quadratic, around, fitted, measured

PARAMS = NewtonParams()


def test_the_step_of_a_noiseless_fit_ends_at_the_minimiser():
    loss = Quadratic()
    distribution = around(loss.minimiser + 0.3, 2.0)
    model = fitted([measured(loss, distribution, 40, 0.0, 1)], distribution)
    step = step_to_minimiser(principal_axes(model), PARAMS)
    end = distribution.centre + distribution.scale @ step.vector
    np.testing.assert_allclose(end, loss.minimiser, atol=1e-5)
    assert step.step_fraction == 1


def test_the_gain_is_the_true_decrease():
    """f(x) - f(x*) = g'H^-1 g/2 from noisy designs, within the error that the noise causes.

    200 fits with 60 pairs: the mean gain has a standard error of about 2%, margin 10%; a factor of
    two is 50 standard errors away.
    """
    loss = Quadratic()
    distribution = around(loss.minimiser + 0.5, 1.0)
    truth = loss(distribution.centre)[0] - loss(loss.minimiser)[0]
    gains = []
    for seed in range(200):
        model = fitted([measured(loss, distribution, 60, 0.5, seed)], distribution)
        step = step_to_minimiser(principal_axes(model), PARAMS)
        assert step.unresolved == 0
        gains.append(step.gain)
    assert np.mean(gains) == pytest.approx(truth, rel=0.1)


@pytest.mark.parametrize("full_dimension", [40, 2], ids=["full", "diagonal"])
def test_errors_of_slopes_and_curvatures_are_those_of_repeated_fits(full_dimension):
    """100 fits: root mean square error per reported error; 1 with a standard error of 3%.

    The prior biases the curvatures, and both forms share it: margins 30%.
    """
    loss = Quadratic()
    loss.hessian = np.diag(np.arange(2.0, DIM + 2))
    params = RegressionParams(full_dimension=full_dimension)
    distribution = around(np.zeros(DIM))
    slopes, curvatures = [], []
    for seed in range(100):
        design = measured(loss, distribution, 80, 0.1, seed)
        axes = principal_axes(fitted([design], distribution, params=params))
        slopes.append((axes.slopes - loss.gradient @ axes.axes) ** 2 / axes.variances)
        true = np.diag(axes.axes.T @ loss.hessian @ axes.axes)
        curvatures.append((axes.curvatures - true) ** 2 / axes.errors**2)
    assert np.sqrt(np.mean(slopes)) == pytest.approx(1, abs=0.3)
    assert np.sqrt(np.mean(curvatures)) == pytest.approx(1, abs=0.3)


def axes_with(curvatures, errors=0.0):
    dim = len(curvatures)
    return PrincipalAxes(
        np.eye(dim), np.zeros(dim), np.ones(dim), np.array(curvatures), np.full(dim, errors)
    )


def test_the_longest_step_grows_with_the_dimension():
    model = axes_with([1e-9] * 4)
    model = PrincipalAxes(model.axes, np.ones(4), np.zeros(4), model.curvatures, model.errors)
    step = step_to_minimiser(model, PARAMS)
    assert np.linalg.norm(step.vector) == pytest.approx(0.7 * 2)


def test_axes_shrink_along_steep_directions():
    """The fourth root of curvature relative to its geometric mean."""
    np.testing.assert_allclose(axis_factors(axes_with([1.0, 16.0]), PARAMS), [2**0.5, 2**-0.5])


def test_axes_stay_where_curvatures_differ_by_less_than_their_errors():
    np.testing.assert_allclose(axis_factors(axes_with([1.0, 1.3], errors=0.5), PARAMS), 1.0)


def test_the_radius_is_limited_and_no_axis_vanishes():
    distribution = SamplingDistribution(np.zeros(2), np.diag([1.0, 1.0]))
    limits = RadiusLimits(0.5, 0.5)
    scale = rescaled(distribution, axes_with([1.0, 1e60]), 100.0, limits, PARAMS)
    radii = np.linalg.eigvalsh(scale)
    assert radii[1] <= 0.5 * (1 + 1e-12)
    assert radii[0] >= PARAMS.smallest_axis * radii[1]
    np.testing.assert_array_equal(scale, scale.T)


def test_without_a_limit_on_the_axes_their_geometric_mean_is_limited():
    distribution = SamplingDistribution(np.zeros(2), np.eye(2))
    scale = rescaled(distribution, axes_with([1.0, 256.0]), 100.0, RadiusLimits(0.5), PARAMS)
    np.testing.assert_allclose(np.linalg.eigvalsh(scale), [0.25, 1.0])


def test_the_radius_factor_scales_all_axes():
    distribution = SamplingDistribution(np.zeros(2), np.diag([1.0, 2.0]))
    limits = RadiusLimits(10.0, 10.0)
    scale = rescaled(distribution, axes_with([3.0, 3.0]), 0.7, limits, PARAMS)
    np.testing.assert_allclose(scale, 0.7 * distribution.scale, atol=1e-12)
