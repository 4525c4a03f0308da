"""Value, slopes and Hessian at Clifford points are those of the circuit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.rotations import ExpansionLimits, expand, make_form
from tests.circuits.cases import CASES, chain
from tests.circuits.exact import by_form
from tests.circuits.test_reader import random_circuits

STEP = 1e-3  # of central differences, whose error is below STEP² times a fourth derivative


def differences(form, point):
    """Value, slopes and Hessian by differences of the loss, which the form simulates."""
    moves = STEP * np.eye(len(point))

    def loss(points):
        return form.terms.identity + by_form(form, np.atleast_2d(points)).sum(axis=1)

    slopes = (loss(point + moves) - loss(point - moves)) / (2 * STEP)
    hessian = np.empty((len(point), len(point)))
    for index, move in enumerate(moves):
        ahead = loss(point + move + moves) - loss(point + move - moves)
        behind = loss(point - move + moves) - loss(point - move - moves)
        hessian[index] = (ahead - behind) / (4 * STEP**2)
    return float(loss(point)[0]), slopes, hessian


def check(form, point):
    found = expand(form, point)
    assert found is not None
    value, slopes, hessian = differences(form, point)
    size = np.abs(form.terms.coefficients).sum() * max(np.abs(form.coefficients).sum(), 1.0) ** 4
    assert found.value == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(found.slopes, slopes, atol=STEP**2 * size)
    np.testing.assert_allclose(found.hessian, hessian, atol=STEP**2 * size)


@pytest.mark.parametrize("name", CASES)
def test_ansatze_at_multiples_of_two_right_angles(name):
    """Angles are multiples of parameters by 1/4 at the least: 2π of those is a right angle."""
    build, observable = CASES[name]
    form = read(build(), observable)
    rng = np.random.default_rng(5)
    for turns in (np.zeros(form.num_parameters), rng.integers(-2, 3, form.num_parameters)):
        point = 2 * np.pi * turns
        found = expand(form, point)
        quarters = form.angles(point) / (np.pi / 2)
        assert (found is not None) == np.allclose(quarters, np.rint(quarters), atol=1e-9)
        if found is not None:
            check(form, point)


@settings(max_examples=60, deadline=None)
@given(random_circuits(), st.tuples(*[st.integers(-2, 3)] * 3))
def test_random_circuits(circuit, turns):
    form = read(circuit, chain(3))
    point = np.pi * np.array(turns[: form.num_parameters])
    if expand(form, point) is not None:  # gates by 0.3 or an eighth of a turn are no Clifford gates
        check(form, point)


@pytest.mark.parametrize("name", ["dev_ucc_h2", "dev_ucc_h3plus"])
def test_hartree_fock(name):
    problem = get_problem(name)
    form = read(problem.ansatz, problem.operator)
    point = np.zeros(form.num_parameters)
    check(form, point)
    assert expand(form, point).value == pytest.approx(problem.energy(point), abs=1e-9)


def test_other_points_and_large_circuits_are_not_expanded():
    form = make_form(["X"], [[1.0]], observable={"Z": 1.0})
    assert expand(form, np.array([np.pi / 2])) is not None
    assert expand(form, np.array([0.3])) is None
    assert expand(form, np.zeros(1), ExpansionLimits(work=1)) is None
    assert expand(make_form(["X"], [[1.0]]), np.zeros(1)) is None
