"""The test of the shift: its level, its power, its schedule."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.shift.params import ShiftTestParams
from qiskit_arcmaes.shift.shift_test import (
    Repeats,
    ShiftTest,
    Verdict,
    compare_shifts,
    is_due,
)
from qiskit_arcmaes.shift.slopes import pair_points, read_pairs

PARAMS = ShiftTestParams()
CENTRE = np.array([0.4, -1.1, 2.0])
SHIFT, SHOTS = math.pi / 2, 10


def repeats(loss, rng, noise=1.0):
    """Half differences twice at the shift and once at the smaller one, as a tested job has them."""
    points = pair_points(CENTRE, [SHIFT, SHIFT, PARAMS.ratio * SHIFT])
    values = loss(points) + math.sqrt(noise / SHOTS) * rng.standard_normal(len(points))
    return Repeats(*np.split(read_pairs(values).half_differences, 3), SHOTS)


def one_frequency(points):
    return 3 * np.sum(np.sin(points), axis=1)


def two_frequencies(points):
    return 3 * np.sum(np.sin(points) + np.sin(4 * points + 1), axis=1)


def test_p_values_are_uniform_where_the_shift_is_right():
    """2,000 tests with the known variance, at three levels.

    The margin is 4.5 standard errors of each share: fails with less than 3e-5.
    """
    rng = np.random.default_rng(3)
    found = []
    for _ in range(2000):
        data = repeats(one_frequency, rng)
        found.append(compare_shifts(ShiftTest(SHIFT), data, 1.0, 1e6, 0.0, PARAMS).test.p_value)
    for level in (0.1, 0.5, 0.9):
        error = math.sqrt(level * (1 - level) / len(found))
        assert np.mean(np.array(found) < level) == pytest.approx(level, abs=4.5 * error)


def test_an_estimated_variance_has_its_degrees_of_freedom():
    """The variance of each test is an average of three squares; the rest as above."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(2000):
        data = repeats(one_frequency, rng)
        variance = SHOTS * np.mean((data.first - data.second) ** 2)
        compared = compare_shifts(ShiftTest(SHIFT), data, variance, 3, 0.0, PARAMS)
        found.append(compared.test.p_value)
    assert np.mean(np.array(found) < 0.1) == pytest.approx(0.1, abs=4.5 * 0.0067)


def test_several_frequencies_reduce_the_shift_and_the_sums_begin_anew():
    data = repeats(two_frequencies, np.random.default_rng(0))
    compared = compare_shifts(ShiftTest(SHIFT), data, 1.0, 1e6, 1e-3, PARAMS)
    assert compared.verdict is Verdict.REDUCE
    assert compared.test == ShiftTest(PARAMS.ratio * SHIFT)
    np.testing.assert_array_equal(compared.slopes, compared.narrow)


def test_the_shift_is_not_reduced_below_its_least():
    data = repeats(two_frequencies, np.random.default_rng(0))
    params = replace(PARAMS, least_shift=1.0)
    compared = compare_shifts(ShiftTest(SHIFT), data, 1.0, 1e6, 1e-3, params)
    assert compared.test.p_value < 1e-3
    assert compared.verdict is Verdict.KEEP


def test_a_difference_that_is_significant_but_small_is_tolerated():
    def loss(points):
        return 100 * one_frequency(points) + two_frequencies(points)

    data = repeats(loss, np.random.default_rng(0), noise=1e-6)
    compared = compare_shifts(ShiftTest(SHIFT), data, 1e-6, 1e6, 1e-3, PARAMS)
    assert compared.test.p_value < 1e-3
    assert compared.verdict is Verdict.KEEP
    np.testing.assert_array_equal(compared.slopes, compared.wide)


def test_tests_are_added_up():
    """A difference that the first test misses is found by later ones."""

    def loss(points):
        return np.sum(np.sin(points) + 0.4 * np.sin(4 * points + 1), axis=1)

    rng = np.random.default_rng(1)
    test, verdicts = ShiftTest(SHIFT), []
    while len(verdicts) < 60 and Verdict.REDUCE not in verdicts:
        compared = compare_shifts(test, repeats(loss, rng, 3.0), 3.0, 1e6, 1e-3, PARAMS)
        test = compared.test
        verdicts.append(compared.verdict)
    assert verdicts[0] is Verdict.KEEP
    assert verdicts[-1] is Verdict.REDUCE


def test_the_disagreement_is_a_mean_square():
    assert ShiftTest(1.0).disagreement == 0
    assert ShiftTest(1.0, square_sum=6.0, count=3).disagreement == 2


def test_doubt_makes_more_tests():
    certain, doubtful = ShiftTest(1.0, p_value=0.5), ShiftTest(1.0, p_value=0.05)
    assert not is_due(certain, 9, 400.0, PARAMS)
    assert is_due(doubtful, 9, 400.0, PARAMS)
    assert not is_due(doubtful, 33, 400.0, PARAMS)
    assert is_due(certain, 64, 400.0, PARAMS)
