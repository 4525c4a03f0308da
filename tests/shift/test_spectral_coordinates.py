"""Scaled angles, bounds and periods."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.rotations import Spectrum, listed
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates


def coordinates(bounds, spectra, periodic=None):
    domain = make_domain(len(spectra), bounds, periodic)
    setup = Setup(np.full(len(spectra), 0.4), 0.6, 10, domain, 1e4)
    return SpectralCoordinates.of(setup, spectra)


@pytest.mark.parametrize(
    "bounds",
    [
        [(-3.5, 3.5)],
        [(0, 2 * math.pi)],
        [(-2 * math.pi, 2 * math.pi)],
        [(0, None)],
        [(None, 1)],
        None,
    ],
)
def test_points_lie_inside_the_bounds_and_keep_their_loss(bounds):
    found = coordinates(bounds, (listed([1.0]),))
    angles = np.linspace(-20, 20, 101)[:, None]
    x = found.to_x(angles)
    assert np.all((x >= found.low) & (x <= found.high))
    np.testing.assert_allclose(np.cos(x), np.cos(angles), atol=1e-12)


def test_angles_have_a_largest_frequency_of_one():
    found = coordinates(None, (listed([4.0]), listed([0.5, 1.5])))
    np.testing.assert_allclose(found.to_angles(np.array([1.0, 1.0])), [4.0, 1.5])
    np.testing.assert_allclose(found.turn, [2 * math.pi, 6 * math.pi])


def test_a_coordinate_without_influence_is_left_alone():
    found = coordinates(None, (listed([1.0]), listed([])))
    assert found.to_angles(np.array([0.1, 0.2])).tolist() == [0.1]
    np.testing.assert_allclose(found.to_x(np.array([[0.3]])), [[0.3, 0.4]])


def test_a_given_period_is_honoured_only_where_the_loss_has_it():
    half = coordinates(None, (listed([0.5]), listed([1.0])), periodic=True)
    np.testing.assert_allclose(half.to_x(np.array([2.0, 4.0])), [4.0, 4.0 - 2 * math.pi])


@pytest.mark.parametrize(
    ("bounds", "spectrum", "narrow"),
    [
        ([(0, math.pi)], listed([2.0]), False),
        ([(0, math.pi)], listed([1.0]), True),
        ([(0, 9)], Spectrum(2.0, 0.0), True),
        (None, Spectrum(2.0, 0.0), False),
        ([(0, None)], listed([1.0]), False),
    ],
)
def test_bounds_closer_than_a_period_are_narrow(bounds, spectrum, narrow):
    assert coordinates(bounds, (spectrum,)).narrow.tolist() == [narrow]


def test_between_narrow_bounds_nothing_is_wrapped():
    found = coordinates([(-1, 1.5)], (listed([2.0]),))
    assert found.inside(np.array([-9.0])).tolist() == [-2.0]
    assert found.to_x(np.array([[5.0]])).tolist() == [[1.5]]
    drawn = found.to_x(found.anywhere(np.linspace(0, 0.999, 50)[:, None]))
    assert drawn.min() == -1
    assert 1.4 < drawn.max() <= 1.5
