"""Screening of starts: shares, schedules, and the lowest points."""

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.screening import (
    ScreeningPhase,
    draw_points,
    expected_loss,
    lowest,
    plan_screening,
)
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates
from qiskit_arcmaes.shift.spectral_params import ScreeningParams

PARAMS = ScreeningParams()


def setup(budget=1e4, bounds=None, frequencies=(2.0, 2.0, 1.0, 1.0)):
    spectra = tuple(listed([frequency]) for frequency in frequencies)
    dim = len(spectra)
    return Setup(np.zeros(dim), 0.6, 10, make_domain(dim, bounds), budget, spectra=spectra)


@pytest.mark.parametrize("budget", [2000, 1e4, 1e6, 1e8])
def test_the_job_takes_its_share_of_the_budget(budget):
    phase = plan_screening(setup(budget), 0.25, PARAMS)
    assert phase.points * phase.shots <= PARAMS.share * budget
    assert phase.points * phase.shots > 0.8 * PARAMS.share * budget
    assert PARAMS.fewest_points <= phase.points <= PARAMS.most_points


@pytest.mark.parametrize(("budget", "points"), [(500, 15), (1000, 24), (1500, 24), (2000, 25)])
def test_a_small_budget_pays_its_points_with_a_larger_share(budget, points):
    phase = plan_screening(setup(budget), 0.25, PARAMS)
    assert phase.points == points
    assert phase.points * phase.shots <= max(PARAMS.most_share, PARAMS.share) * budget


def test_a_budget_that_pays_few_points_has_no_screening():
    assert plan_screening(setup(100), 0.25, PARAMS) is None


def test_half_of_the_points_are_linear_from_layer_to_layer():
    problem = setup(frequencies=(2.0,) * 3 + (1.0,) * 3)
    coordinates = SpectralCoordinates.of(problem, problem.spectra)
    phase = ScreeningPhase(10, 40, 0.25)
    layers = np.array([0, 0, 0, 1, 1, 1])
    points = draw_points(phase, coordinates, layers, np.random.default_rng(1), PARAMS)
    bends = np.abs(points[:, [0, 3]] - 2 * points[:, [1, 4]] + points[:, [2, 5]]).max(axis=1)
    assert (bends < 1e-12).sum() == 20
    assert np.abs(points[:20]).max() <= PARAMS.schedule_reach


def test_points_stay_between_narrow_bounds():
    problem = setup(bounds=[(-0.5, 0.7)] * 4)
    coordinates = SpectralCoordinates.of(problem, problem.spectra)
    points = draw_points(
        ScreeningPhase(10, 40, 0.25),
        coordinates,
        np.zeros(4, int),
        np.random.default_rng(1),
        PARAMS,
    )
    x = coordinates.to_x(points)
    assert x.min() >= -0.5
    assert x.max() <= 0.7
    assert len(np.unique(x[20:])) == 80  # the random half is not piled up at the bounds


def test_failed_points_are_never_candidates():
    points = np.arange(4.0)[:, None]
    values = np.array([np.nan, 3.0, np.inf, 1.0])
    assert lowest(points, values, 4).ravel().tolist() == [3.0, 1.0]


def test_expected_losses_are_drawn_towards_the_mean_by_the_share_of_noise():
    """James and Stein's estimate is closer to the losses than the values are.

    Its mean squared error is 1/2 with losses and noise of variance 1, that of the values 1; over
    2,000 draws the two differ by 0.5 with a standard error of 0.03.
    """
    rng = np.random.default_rng(1)
    losses = rng.normal(size=2000)
    values = losses + rng.normal(size=2000)
    error = np.mean((expected_loss(values, 1.0) - losses) ** 2)
    assert error == pytest.approx(0.5, abs=0.1)


def test_values_of_noise_alone_prefer_no_point():
    values = np.array([1.0, 2.0, np.nan, 3.0])
    np.testing.assert_array_equal(expected_loss(values, 5.0), [2.0, 2.0, np.nan, 2.0])
