"""Fits leave outliers out, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import get_function, minimize
from qiskit_arcmaes.surrogate.lack_of_fit import measure_lack_of_fit
from qiskit_arcmaes.surrogate.params import DEFAULTS, OutlierParams, TrustRegionParams

from .problems import DIM, Quadratic, around, fitted, measured

WITHOUT = replace(DEFAULTS.regression, outliers=OutlierParams(passes=0))
DISTRIBUTION = around(np.zeros(DIM))


def spoilt(design, pairs, size):
    """The design with some pairs of which the first value is wrong."""
    wrong = np.zeros(len(design.offsets))
    wrong[list(pairs)] = size / 2
    return replace(
        design,
        antisymmetric=design.antisymmetric + wrong,
        symmetric=design.symmetric + wrong,
    )


def test_a_fit_to_normal_noise_is_that_of_least_squares():
    design = measured(Quadratic(), DISTRIBUTION, 200, 1.0, 1)
    model, plain = fitted([design], DISTRIBUTION), fitted([design], DISTRIBUTION, params=WITHOUT)
    np.testing.assert_array_equal(model.coefficients, plain.coefficients)
    assert model.left_out == 0


@pytest.mark.parametrize("size", [20.0, 300.0, 3e3])
def test_wrong_values_change_a_fit_no_more_than_if_they_were_missing(size):
    clean = measured(Quadratic(), DISTRIBUTION, 200, 1.0, 2)
    model = fitted([spoilt(clean, (3, 50), size)], DISTRIBUTION)
    kept = np.setdiff1d(np.arange(200), (3, 50))
    shortened = replace(
        clean,
        offsets=clean.offsets[kept],
        antisymmetric=clean.antisymmetric[kept],
        symmetric=clean.symmetric[kept],
    )
    expected = fitted([shortened], DISTRIBUTION)
    assert model.left_out == 2
    error = np.sqrt(np.diag(expected.covariance)[expected.basis.gradient])
    assert np.all(np.abs(model.gradient - expected.gradient) < 0.2 * error)
    assert not measure_lack_of_fit(model, 0, 1e9, 1.0).significant(TrustRegionParams())


def test_wrong_values_hidden_by_wronger_ones_are_found():
    clean = measured(Quadratic(), DISTRIBUTION, 300, 1.0, 3)
    wrong = spoilt(spoilt(clean, (5,), 3e3), (70, 80, 90), 40.0)
    assert fitted([wrong], DISTRIBUTION).left_out == 4


def test_what_is_no_quadratic_is_not_left_out():
    def cubic(points):
        return Quadratic()(points) + 3 * np.sum(points**3, axis=1)

    model = fitted([measured(cubic, DISTRIBUTION, 200, 0.01, 4)], DISTRIBUTION)
    assert model.left_out == 0
    assert measure_lack_of_fit(model, 0, 1e9, 0.01).significant(TrustRegionParams())


def test_heavy_tails_cost_little():
    """1% of the shots are Cauchy: the median of 12 other seeds is 5e-5, without the rule 2e-3.

    One run of twelve ends near 1e-2; two of these three would have to.
    """
    function, errors = get_function("sphere", 10), []
    for seed in range(3):
        rng = np.random.default_rng(1000 + seed)

        def loss(points, shots, rng=rng):
            counts = rng.binomial(shots, 0.01, len(points))
            tails = counts * rng.standard_cauchy(len(points))
            noise = np.sqrt(shots - counts) * rng.standard_normal(len(points)) + tails
            return function(points) + noise / shots

        settings = {"max_shots": 10**5, "sigma0": 1.0, "seed": seed, "vectorized": True}
        result = minimize(loss, np.full(10, 3.0), **settings)
        errors.append(function(result.x))
    assert np.median(errors) < 5e-4
