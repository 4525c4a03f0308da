"""Screening of starts: shares, schedules, and the lowest points."""

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.screening import ScreeningPhase, draw_points, lowest, plan_screening
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates
from qiskit_arcmaes.shift.spectral_params import ScreeningParams

PARAMS = ScreeningParams()


def setup(budget=1e4, bounds=None, frequencies=(2.0, 2.0, 1.0, 1.0)):
    spectra = tuple(listed([frequency]) for frequency in frequencies)
    dim = len(spectra)
    return Setup(np.zeros(dim), 0.6, 10, make_domain(dim, bounds), budget, spectra=spectra)


@pytest.mark.parametrize("budget", [600, 1e4, 1e6, 1e8])
def test_the_job_takes_its_share_of_the_budget(budget):
    phase = plan_screening(setup(budget), 0.25, PARAMS)
    assert phase.points * phase.shots <= PARAMS.share * budget
    assert phase.points * phase.shots > 0.8 * PARAMS.share * budget
    assert PARAMS.fewest_points <= phase.points <= PARAMS.most_points


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
