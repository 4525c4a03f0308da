"""The method for known frequencies passes the suite of all methods."""

from dataclasses import replace

import pytest

from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.spectral import SpectralShift
from qiskit_arcmaes.testing.conformance import CHECKS


def one_frequency(setup, rng):
    return SpectralShift(replace(setup, spectra=(listed([1.0]),) * setup.dim), rng)


def several_frequencies(setup, rng):
    return SpectralShift(replace(setup, spectra=(listed([1.0, 2.0]),) * setup.dim), rng)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", [one_frequency, several_frequencies])
def test_it_passes_the_suite(kind, check):
    check(kind)
