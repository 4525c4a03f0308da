"""Shift rules in scaled angles."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.rotations import Spectrum, listed
from qiskit_arcmaes.shift.rules import balanced_shift, exact_rules, pair_rules
from qiskit_arcmaes.shift.slopes import read_pairs
from qiskit_arcmaes.shift.spectral_params import RuleParams

PARAMS = RuleParams()


def polynomial(frequencies, seed):
    """A loss of one angle with the given frequencies, and its derivative."""
    rng = np.random.default_rng(seed)
    sines, cosines = rng.standard_normal((2, len(frequencies)))
    w = np.array(frequencies)

    def loss(x):
        return np.sin(np.multiply.outer(x, w)) @ sines + np.cos(np.multiply.outer(x, w)) @ cosines

    def slope(x):
        return float(np.cos(w * x) @ (w * sines) - np.sin(w * x) @ (w * cosines))

    return loss, slope


@pytest.mark.parametrize("frequencies", [[1.0], [2.0], [0.5, 1.0], [1, 2, 3], [1, 3, 4, 6]])
def test_exact_rules_give_the_derivative(frequencies):
    loss, slope = polynomial(frequencies, 3)
    rules = exact_rules((listed(frequencies),), PARAMS)
    scale = 1 / max(frequencies)
    centre = np.array([0.7])
    values = loss(scale * rules.points(centre)[:, 0])
    found = rules.slopes(read_pairs(values).half_differences)
    assert found == pytest.approx([scale * slope(scale * 0.7)], abs=1e-12)
    assert not rules.finite.any()


@pytest.mark.parametrize("count", range(2, 9))
def test_repeated_nearest_pairs_leave_most_of_the_information(count):
    """At best rows * factor is 1, that of one pair."""
    rules = exact_rules((listed(np.arange(1.0, count + 1)),), PARAMS)
    assert 1 <= (rules.rows * rules.factors)[0] < 1.45


def test_factors_are_variances():
    """Relative error of a variance from 4000 draws: 0.022; the margin is 4.5 of these."""
    rules = exact_rules((listed([1.0]), listed([1.0, 2.0])), PARAMS)
    values = np.random.default_rng(1).standard_normal((4000, rules.rows))
    found = np.array([rules.slopes(read_pairs(row).half_differences) for row in values])
    np.testing.assert_allclose(found.var(axis=0), rules.factors, rtol=0.1)


def test_many_frequencies_get_a_pair_whose_shift_can_be_reduced():
    rules = exact_rules((Spectrum(40.0, 1.0), listed([2.0])), PARAMS)
    assert rules.finite.tolist() == [True, False]
    narrow = rules.with_shift(0.1)
    assert narrow.shifts.tolist() == [0.1, math.pi / 2]
    x = np.array([0.3, 0.2])
    values = np.sin(narrow.points(x)).sum(axis=1)
    found = narrow.slopes(read_pairs(values).half_differences)
    np.testing.assert_allclose(found, np.cos(x), rtol=1e-12)


def test_a_pair_is_blind_to_no_frequency():
    for frequencies in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0]):
        rules = pair_rules((listed(frequencies),), PARAMS)
        shift = rules.shifts[0] / max(frequencies)
        assert np.all(np.sin(np.array(frequencies) * shift) > 0.1)


def test_curvatures_of_one_frequency_are_exact():
    rules = exact_rules((listed([1.0]), listed([3.0])), PARAMS)
    x = np.array([0.3, 0.5])
    means = read_pairs(np.cos(rules.points(x)).sum(axis=1)).means
    np.testing.assert_allclose(rules.curvatures(means, np.cos(x).sum()), -np.cos(x), rtol=1e-12)


def test_the_finite_shift_falls_with_the_shots_within_limits():
    shifts = [balanced_shift(shots, 1.0, 1.0, PARAMS) for shots in (1.0, 1e3, 1e6, 1e30)]
    assert shifts[0] == PARAMS.shift
    assert shifts[-1] == PARAMS.least_shift
    assert shifts[0] > shifts[1] > shifts[2] > shifts[3]
    assert balanced_shift(1e6, 1.0, 0.0, PARAMS) == PARAMS.shift
