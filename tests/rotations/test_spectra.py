"""Frequencies and cones of rotations about random strings, most parameters shared."""

import numpy as np
import pytest
from hypothesis import given, settings

from qiskit_arcmaes.rotations import AnalysisLimits, Spectrum, SpectrumLimits, analyse, make_form
from tests.circuits.exact import by_form
from tests.rotations.test_blocks import FEW, forms


def frequencies_of(spectrum):
    if spectrum.values is not None:
        return np.array(spectrum.values)
    return spectrum.spacing * np.arange(1, round(spectrum.maximum / spectrum.spacing) + 1)


def check(form, limits=None):
    """No term outside of a cone changes, and no frequency outside of the spectrum occurs."""
    rng = np.random.default_rng(1)
    analysis = analyse(form, limits)
    x = rng.uniform(-4, 4, form.num_parameters)
    for parameter, spectrum in enumerate(analysis.spectra):
        frequencies = frequencies_of(spectrum)
        points = np.tile(x, (2 * len(frequencies) + 4, 1))
        points[:, parameter] = rng.uniform(-12, 12, len(points))
        values = by_form(form, points)
        assert np.ptp(values[:, ~analysis.cones[parameter]], axis=0).max(initial=0.0) < 1e-12
        waves = np.outer(points[:, parameter], frequencies)
        table = np.hstack([np.ones((len(points), 1)), np.cos(waves), np.sin(waves)])
        rest = table @ np.linalg.lstsq(table, values, rcond=None)[0] - values
        assert np.abs(rest).max(initial=0.0) < 1e-9
    return analysis


@settings(deadline=None, max_examples=60)
@given(forms())
def test_random_strings(form):
    check(form)


@settings(deadline=None, max_examples=60)
@given(forms(FEW))
def test_strings_that_leave_stabilisers(form):
    check(form)


@settings(deadline=None, max_examples=30)
@given(forms(FEW))
def test_bounds_hold_where_nothing_is_enumerated(form):
    limits = AnalysisLimits(SpectrumLimits(values=3, log2_states=1))
    for spectrum in check(form, limits).spectra:
        assert spectrum.values is None or len(spectrum.values) <= 3


@settings(deadline=None, max_examples=30)
@given(forms(FEW))
def test_coarse_cones_and_frequencies_of_large_circuits_hold(form):
    fine, coarse = check(form), check(form, AnalysisLimits(cone_work=0, columns=0))
    assert not (fine.cones & ~coarse.cones).any()
    for narrow, wide in zip(fine.spectra, coarse.spectra, strict=True):
        assert narrow.maximum <= wide.maximum + 1e-12


def test_frequencies_beyond_the_limit_are_bounded():
    places = [("I" * k, "I" * (5 - k)) for k in range(6)]
    labels = [left + axis + right for axis in "XZ" for left, right in places]
    weights = [[0.0]] * 6 + [[2.0**k] for k in range(6)]
    form = make_form(labels, weights, offsets=[0.4] * 12, observable={"XXXXXX": 1.0})
    few = AnalysisLimits(SpectrumLimits(values=8))
    assert analyse(form, few).spectra[0] == Spectrum(63.0, 1.0, None)
    assert analyse(form).spectra[0].values == pytest.approx(np.arange(1, 64, 2))
