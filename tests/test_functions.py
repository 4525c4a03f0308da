"""The fourteen functions against values computed another way."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.functions import FUNCTIONS, SMOOTH_FUNCTIONS, get_function

DIM = 6
POINT = [0.5, -1.25, 2.0, 0.75, -0.3, 1.1]


def by_hand(name, x):
    """The paper's formulas, written out with loops and counted from one."""
    d = len(x)
    x = [None, *x]
    each = range(1, d + 1)
    if name == "sphere":
        return sum(x[i] ** 2 for i in each)
    if name == "ellipsoid":
        return sum(100 ** ((i - 1) / (d - 1)) * x[i] ** 2 for i in each)
    if name == "rotated_ellipsoid":
        return sum(100 ** ((d - i) / (d - 1)) * x[i] ** 2 for i in each)
    if name == "hyper_ellipsoid":
        return sum(i * x[i] ** 2 for i in each)
    if name == "rotated_hyper_ellipsoid":
        return sum((d - i + 1) * x[i] ** 2 for i in each)
    if name == "rastrigin":
        return 10 * d + sum(x[i] ** 2 - 10 * math.cos(2 * math.pi * x[i]) for i in each)
    if name == "trid":
        coupling = sum(x[i] * x[i - 1] for i in range(2, d + 1))
        return sum((x[i] - 1) ** 2 for i in each) - coupling
    if name == "cosine_mixture":
        return sum(x[i] ** 2 - 0.1 * math.cos(5 * math.pi * x[i]) for i in each)
    if name == "bohachevsky":
        return sum(
            x[i] ** 2
            + 2 * x[i + 1] ** 2
            - 0.3 * math.cos(3 * math.pi * x[i])
            - 0.4 * math.cos(4 * math.pi * x[i + 1])
            + 0.7
            for i in range(1, d)
        )
    if name == "schwefel02":
        return sum(sum(x[j] for j in range(1, i + 1)) ** 2 for i in each)
    if name == "sum_absolute":
        return sum(abs(x[i]) for i in each)
    if name == "nesterov_f1":
        rest = sum(abs(x[i] - 2 * x[i - 1] ** 2 + 1) for i in range(2, d + 1))
        return 0.25 * (x[1] - 1) ** 2 + rest
    if name == "nesterov_f2":
        rest = sum(abs(x[i] - 2 * abs(x[i - 1]) + 1) for i in range(2, d + 1))
        return 0.25 * abs(x[1] - 1) + rest
    product = math.prod(
        abs(math.cos(x[i] / (2 * math.sqrt(i)))) - abs(math.sin(x[i] / (2 * math.sqrt(i))))
        for i in each
    )
    return 1 + sum(x[i] ** 2 for i in each) / 4000 - product


@pytest.mark.parametrize("name", FUNCTIONS)
def test_value_is_the_formula_of_the_paper(name):
    assert float(get_function(name, DIM)(POINT)) == pytest.approx(by_hand(name, POINT), rel=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dim", [2, 10, 20])
def test_minimum_is_reached_at_the_optimum_and_nowhere_below(name, dim):
    function = get_function(name, dim)
    assert float(function(function.optimum)) == pytest.approx(function.minimum, abs=1e-9)
    rng = np.random.default_rng(1)
    width = function.upper - function.lower
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        around = function.optimum + scale * width * rng.normal(size=(500, dim))
        assert function(around).min() > function.minimum
    assert np.all((function.lower <= function.optimum) & (function.optimum <= function.upper))


@pytest.mark.parametrize("name", SMOOTH_FUNCTIONS)
def test_gradient_is_that_of_central_differences(name):
    function = get_function(name, DIM)
    step = 1e-5
    shifts = step * np.eye(DIM)
    point = np.array(POINT)
    numeric = (function(point + shifts) - function(point - shifts)) / (2 * step)
    np.testing.assert_allclose(function.gradient(point), numeric, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(function.gradient(function.optimum), 0, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_are_evaluated_one_by_one(name):
    function = get_function(name, DIM)
    points = np.random.default_rng(2).normal(size=(7, DIM))
    np.testing.assert_allclose(function(points), [float(function(p)) for p in points], rtol=1e-13)


def test_known_closed_forms():
    assert get_function("trid", 20).minimum == -20 * 24 * 19 / 6
    assert get_function("cosine_mixture", 20).minimum == -2
    assert get_function("trid", 20).upper == 400
    assert get_function("rastrigin", 3)([1.0, 1.0, 1.0]) == pytest.approx(3)


def test_wrong_name_dimension_and_points_are_refused():
    with pytest.raises(ValueError, match=r"'spere' is no test function; take one of sphere"):
        get_function("spere", 3)
    with pytest.raises(ValueError, match=r"dim = 1: trid needs an integer >= 2"):
        get_function("trid", 1)
    with pytest.raises(ValueError, match=r"sphere has 3 coordinates.*\(2, 4\)"):
        get_function("sphere", 3)(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="sum_absolute is not smooth"):
        get_function("sum_absolute", 3).gradient(np.zeros(3))
