"""Checks of arguments: the plain value, or one sentence with name, value and what is allowed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qiskit_arcmaes import validation
from qiskit_arcmaes.validation import LARGEST_FLOAT, LARGEST_INTEGER


@given(st.integers(-(10**30), 10**30), st.integers(-100, 100))
def test_integers_within_their_limits_come_back_and_no_others(value, least):
    if least <= value <= LARGEST_INTEGER:
        assert validation.integer("n", value, least) == value
    else:
        with pytest.raises(ValueError, match=r"^n must be "):
            validation.integer("n", value, least)


@given(st.floats())
def test_floats_without_a_fraction_are_integers(value):
    if math.isfinite(value) and value == math.floor(value) and 1 <= value <= LARGEST_INTEGER:
        found = validation.integer("n", value, 1)
        assert found == value
        assert type(found) is int
    else:
        with pytest.raises(ValueError, match=r"^n must be "):
            validation.integer("n", value, 1)


@given(st.floats() | st.integers(-(2**53), 2**53), st.booleans())
def test_numbers_are_finite_and_not_negative(value, allow_zero):
    fits = math.isfinite(value) and 0 <= value <= LARGEST_FLOAT and (value > 0 or allow_zero)
    if fits:
        found = validation.number("tau", value, allow_zero=allow_zero)
        assert found == value
        assert type(found) is float
    else:
        with pytest.raises(ValueError, match=r"^tau must be "):
            validation.number("tau", value, allow_zero=allow_zero)


@pytest.mark.parametrize("value", [True, False, np.True_, None, "1", 1j, [1], object(), b"1"])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="shots must be an integer >= 0"):
        validation.integer("shots", value, 0)
    with pytest.raises(ValueError, match="tau must be a finite number >= 0"):
        validation.number("tau", value, allow_zero=True)


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, np.float64])
def test_numpys_numbers_are_numbers(kind):
    assert validation.integer("n", kind(7), 1) == 7
    assert validation.number("x", kind(7)) == 7.0


def test_integers_beyond_all_floats_are_no_finite_numbers():
    with pytest.raises(ValueError, match="tau must be a finite number > 0, not 1000"):
        validation.number("tau", 10**400)


def test_the_largest_integer_is_said():
    with pytest.raises(ValueError, match="popsize must be at most 10, not 11"):
        validation.integer("popsize", 11, 2, 10)


@pytest.mark.parametrize("value", [1, 0, np.True_, "True", None, [True]])
def test_choices_are_told_apart_from_values_that_are_merely_equal(value):
    with pytest.raises(ValueError, match=r"resume = .* is unknown; take one of True, False"):
        validation.one_of("resume", value, (True, False))
    assert validation.one_of("resume", True, (True, False)) is True


def test_choices_may_be_compared_with_anything():
    with pytest.raises(ValueError, match="method = array"):
        validation.one_of("method", np.zeros(3), ("ar", "cma"))


@pytest.mark.parametrize("good", [None, print, np.sum, type])
def test_functions_are_callable_or_none(good):
    assert validation.function("callback", good) is good
    with pytest.raises(TypeError, match="callback must be a function or None, not 5"):
        validation.function("callback", 5)


def test_paths_are_paths_or_none(tmp_path):
    for good in (None, "run", tmp_path):
        assert validation.path("checkpoint", good) is good
    with pytest.raises(TypeError, match="checkpoint must be the path of a file or None, not 5"):
        validation.path("checkpoint", 5)


def test_a_generator_is_taken_as_it_is_and_seeds_repeat():
    rng = np.random.default_rng(1)
    assert validation.generator(rng) is rng
    assert validation.generator(3).random() == validation.generator(3).random()
    assert validation.generator(None).random() != validation.generator(None).random()


@pytest.mark.parametrize("seed", ["abc", 1.5, -1, True, [0.5], {}, b"seed", 1j])
def test_odd_seeds_are_refused(seed):
    with pytest.raises(ValueError, match=r"^seed must be None, an integer >= 0 or a numpy"):
        validation.generator(seed)


def test_values_are_short_in_messages():
    """Python itself refuses to print the second."""
    for value in (10**400, 10**5000, "x" * 1000, list(range(1000)), 5):
        assert 0 < len(validation.short(value)) <= 80
