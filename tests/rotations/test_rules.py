import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.rotations import RuleKind, RuleLimits, Spectrum, best_rule, listed
from qiskit_arcmaes.rotations.rules import candidates
from qiskit_arcmaes.rotations.shift_rules import band_rule, finite_rule
from qiskit_arcmaes.rotations.spectrum import common_spacing, sums


def polynomial(frequencies, seed):
    """A random trigonometric polynomial, its slope at 0, and the sum of its amplitudes."""
    rng = np.random.default_rng(seed)
    sine, cosine = rng.normal(size=(2, len(frequencies)))

    def value(x):
        waves = np.multiply.outer(x, frequencies)
        return np.sin(waves) @ sine + np.cos(waves) @ cosine

    return value, float(sine @ frequencies), float(np.abs(sine).sum() + np.abs(cosine).sum())


def check_exact(frequencies):
    spectrum = listed(frequencies)
    rule = best_rule(spectrum)
    value, slope, _ = polynomial(np.array(spectrum.values), seed=1)
    assert rule.bias_bound == 0
    assert rule.coefficients @ value(rule.shifts) == pytest.approx(slope, abs=1e-10)
    assert rule.variance_factor == pytest.approx(spectrum.maximum**2, rel=1e-3)
    return rule


@pytest.mark.parametrize(
    ("frequencies", "kind", "points"),
    [
        ([1.0], RuleKind.TWO_POINT, 2),
        ([2.0], RuleKind.TWO_POINT, 2),
        ([1.0, 2.0], RuleKind.EQUIDISTANT, 4),
        ([0.5, 1.0], RuleKind.EQUIDISTANT, 4),
        ([1.0, 3.0], RuleKind.LISTED, 4),
        ([2.0, 4.0, 6.0, 8.0], RuleKind.EQUIDISTANT, 8),
        ([1.0, math.sqrt(2)], RuleKind.LISTED, 4),
        ([0.4, 0.75, 1.0, 1.15, 1.3, 2.7], RuleKind.LISTED, 12),
    ],
)
def test_rules_are_exact_with_the_least_variance(frequencies, kind, points):
    rule = check_exact(frequencies)
    assert (rule.kind, len(rule.shifts)) == (kind, points)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True), st.floats(0.1, 4))
def test_commensurate_frequencies_have_exact_rules(multiples, spacing):
    check_exact([spacing * multiple for multiple in multiples])


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 20), st.integers(0, 1000))
def test_frequencies_far_enough_apart_have_exact_rules(count, seed):
    steps = np.random.default_rng(seed).uniform(0.2, 1.0, count)
    check_exact(np.cumsum(steps))


def test_a_constant_loss_needs_no_points():
    assert best_rule(listed([0.0])).kind is RuleKind.CONSTANT
    assert len(best_rule(Spectrum(0.0, 0.0)).shifts) == 0


@pytest.mark.parametrize("margin", [0.05, 0.4])
@pytest.mark.parametrize("pairs", [4, 32])
def test_band_rules_keep_their_bounds_of_bias(margin, pairs):
    rule = band_rule(3.0, margin, pairs, smoothness=3)
    for frequency in np.linspace(0.01, 3.0, 50):
        slope = rule.coefficients @ np.sin(frequency * rule.shifts)
        assert abs(slope - frequency) <= rule.bias_bound + 1e-12
    assert rule.variance_factor <= ((1 + margin) * 3.0) ** 2


def test_unlisted_frequencies_have_a_rule_with_little_bias():
    rule = best_rule(Spectrum(maximum=7.0, spacing=0.0))
    assert rule.kind is RuleKind.BAND
    assert rule.bias_bound < 1e-3
    assert rule.variance_factor < 1.4 * 7.0**2


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.floats(1, 1e6))
def test_finite_rules_keep_their_bounds_of_bias(seed, shots):
    frequencies = np.array([0.7, 1.0, 2.3])
    rule = finite_rule(2.3, shots, deviation=1.0, norm=1.0)
    value, slope, norm = polynomial(frequencies, seed)
    assert abs(rule.coefficients @ value(rule.shifts) - slope) <= rule.bias_bound * norm + 1e-12


def test_few_shots_prefer_a_bias_to_variance():
    spectrum = listed([1.0, 2.0])
    assert best_rule(spectrum, shots=1, norm=1.0).kind is RuleKind.FINITE
    assert best_rule(spectrum, shots=100, norm=1.0).kind is RuleKind.EQUIDISTANT


@pytest.mark.parametrize("shots", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("spectrum", [listed([1.0, 2.0, 5.0]), Spectrum(6.0, 0.0)])
def test_the_best_rule_has_the_least_error(spectrum, shots):
    rules = candidates(spectrum, shots, 0.5, 2.0, RuleLimits())
    errors = [rule.mean_squared_error(shots, 0.5, 2.0) for rule in rules]
    best = best_rule(spectrum, shots=shots, deviation=0.5, norm=2.0)
    assert best.mean_squared_error(shots, 0.5, 2.0) <= 1.0001 * min(errors)


def test_the_variance_of_a_slope_is_the_factor_over_the_shots():
    """400 slopes of 4000 shots: the sample variance is within 25% but for 1 in 3000 runs."""
    rng = np.random.default_rng(5)
    rule = best_rule(listed([1.0, 2.0]))
    shares = np.abs(rule.coefficients) / np.abs(rule.coefficients).sum()
    noise = rng.normal(size=(400, len(shares))) / np.sqrt(4000 * shares)
    sample = (noise @ rule.coefficients).var()
    assert sample == pytest.approx(rule.variance_factor / 4000, rel=0.25)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.floats(0.05, 5))
def test_the_spacing_is_the_greatest_common_divisor(multiples, unit):
    found = common_spacing([unit * multiple for multiple in multiples])
    assert found == pytest.approx(unit * math.gcd(*multiples))


def test_incommensurate_frequencies_have_no_spacing_and_no_period():
    spectrum = listed([1.0, math.sqrt(2)])
    assert (spectrum.spacing, spectrum.period) == (0.0, math.inf)


def test_frequencies_of_a_product_are_sums_and_differences():
    np.testing.assert_allclose(sums(np.array([0.0, 1.0]), np.array([0.5])), [0.5, 1.5])
