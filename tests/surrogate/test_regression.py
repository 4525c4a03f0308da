"""The fit: exact without noise, with the errors that it reports, lack of fit kept apart."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.design import SamplingDistribution
from qiskit_arcmaes.surrogate.params import RegressionParams

from .problems import DIM, Quadratic, around, fitted, measured


def test_a_noiseless_quadratic_is_found_exactly():
    loss = Quadratic()
    distribution = SamplingDistribution(np.full(DIM, 0.3), np.diag(np.linspace(0.5, 2, DIM)))
    centre, scale = distribution.centre, distribution.scale
    model = fitted([measured(loss, distribution, 40, 0.0, 1)], distribution)
    np.testing.assert_allclose(model.hessian, scale @ loss.hessian @ scale, rtol=1e-5, atol=1e-6)
    gradient = scale @ (loss.gradient + loss.hessian @ centre)
    np.testing.assert_allclose(model.gradient, gradient, rtol=1e-6)
    at = np.linspace(-1, 1, DIM)
    assert model.predict(at)[0] == pytest.approx(loss(centre + scale @ at)[0], rel=1e-6)


def test_a_diagonal_hessian_is_found_exactly():
    loss = Quadratic()
    loss.hessian = np.diag(np.arange(1.0, DIM + 1))
    params = RegressionParams(full_dimension=DIM - 1)
    distribution = around(np.zeros(DIM), 0.5)
    model = fitted([measured(loss, distribution, 20, 0.0, 1)], distribution, params=params)
    np.testing.assert_allclose(model.hessian, loss.hessian / 4, rtol=1e-5, atol=1e-6)


def test_errors_are_those_that_are_reported():
    """Slope and value of 200 fits to two designs: mean squared error per reported variance.

    Expected 1 with a standard error of 0.1 for the value (margin five) and 0.045 for the slopes;
    the slopes' errors are correlated and slightly underestimated, hence the margins below.
    """
    loss, distribution = Quadratic(), around(np.full(DIM, 0.1), 0.5)
    centre = distribution.centre
    gradient = 0.5 * (loss.gradient + loss.hessian @ centre)
    slopes, values = [], []
    for seed in range(200):
        designs = [
            measured(loss, around(centre + 0.2, 0.5), 30, 0.5, 2 * seed),
            measured(loss, distribution, 60, 0.5, 2 * seed + 1),
        ]
        model = fitted(designs, distribution)
        variances = np.diag(model.covariance)[model.basis.gradient]
        slopes.append(np.mean((model.gradient - gradient) ** 2 / variances))
        estimate, error = model.predict(np.zeros(DIM))
        values.append((estimate - loss(centre)[0]) ** 2 / error**2)
    assert 0.7 < np.mean(slopes) < 1.5
    assert 0.5 < np.mean(values) < 1.5


def test_fewer_pairs_than_coefficients_suffice_for_the_slope():
    """10 pairs, 22 coefficients: the prior on the Hessian makes the fit unique."""
    loss, distribution = Quadratic(), around(np.zeros(DIM), 0.1)
    model = fitted([measured(loss, distribution, 10, 0.0, 3)], distribution)
    np.testing.assert_allclose(model.gradient, 0.1 * loss.gradient, rtol=1e-3)


def test_symmetric_ruggedness_is_lack_of_fit_and_not_slope():
    def rugged(points):
        return np.sum(points**2 + 2 * np.cos(9 * points), axis=1)

    distribution = around(np.zeros(DIM))
    design = measured(rugged, distribution, 300, 0.0, 3)
    np.testing.assert_allclose(design.antisymmetric, 0, atol=1e-12)
    model = fitted([design], distribution)
    assert np.abs(model.gradient).max() < 1e-6
    antisymmetric, symmetric = model.components
    assert antisymmetric.lack_of_fit < 1e-12
    assert symmetric.lack_of_fit > 1


def test_noise_is_not_taken_for_lack_of_fit():
    """300 pairs: the residual variance is the noise's within 8%, its standard error."""
    distribution = around(np.zeros(DIM))
    model = fitted([measured(Quadratic(), distribution, 300, 2.0, 4)], distribution)
    for each in model.components:
        assert each.residual == pytest.approx(1.0, rel=0.4)
        assert each.lack_of_fit < 0.4
        assert 270 < each.freedom <= 300


def test_a_design_with_lack_of_fit_loses_weight():
    """A rugged design beside a clean one changes the slope by less than its own error."""

    def nonsmooth(points):
        return Quadratic()(points) + 20 * np.abs(points[:, 0] - 0.3)

    distribution = around(np.zeros(DIM))
    clean = measured(Quadratic(), distribution, 60, 1e-4, 5)
    wrong = measured(nonsmooth, distribution, 60, 1e-4, 6)
    alone = fitted([clean], distribution)
    both = fitted([wrong, clean], distribution)
    error = np.sqrt(np.diag(alone.covariance)[alone.basis.gradient])
    assert np.all(np.abs(both.gradient - alone.gradient) < 4 * error)
    assert max(each.lack_of_fit for each in both.components if each.index == 0) > 1


def test_the_prior_variance_is_that_of_the_hessians_entries():
    loss, distribution = Quadratic(), around(np.zeros(DIM))
    model = fitted([measured(loss, distribution, 100, 1e-6, 7)], distribution)
    mean = np.trace(loss.hessian) / DIM
    entries = (loss.hessian - mean * np.eye(DIM))[np.triu_indices(DIM)]
    weights = np.where(np.equal(*np.triu_indices(DIM)), 2.0, 1.0)
    assert model.prior_variance == pytest.approx(np.mean(entries**2 / weights), rel=0.5)


def test_a_wider_prior_lets_flat_axes_be_flat():
    """One steep axis of five, noisy pairs: the prior pulls flat axes up to the mean of 6.8.

    Means over 40 designs: 0.41 with the narrow prior, 0.16 with the wide one, the difference being
    eight of its standard errors.
    """
    loss = Quadratic()
    loss.hessian = np.diag([30.0, 1.0, 1.0, 1.0, 1.0])
    distribution = around(np.zeros(DIM))
    designs = [measured(loss, distribution, 30, 20.0, seed) for seed in range(40)]
    pulls = {}
    for factor in (1.0, 6.0):
        params = replace(RegressionParams(), prior_widening=factor)
        models = [fitted([design], distribution, params=params) for design in designs]
        pulls[factor] = np.mean([np.diag(model.hessian)[1:] for model in models]) - 1
    assert pulls[6.0] < 0.7 * pulls[1.0]
