"""Frequencies, slopes, light cones and classes of real circuits against exact values."""

import numpy as np
import pytest
from hypothesis import given, settings
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.rotations import (
    GateByGateRule,
    analyse,
    best_rule,
    choose_rule,
    gate_by_gate_rule,
    mean_loss,
)
from tests.circuits.cases import CASES, chain
from tests.circuits.exact import at_angles, by_form, by_statevector, labelled, slopes_by_gates
from tests.circuits.test_reader import random_circuits


def along(form, x, parameter, steps):
    """The loss at x with one parameter moved by each of some steps."""
    points = np.tile(x, (len(steps), 1))
    points[:, parameter] += steps
    return by_form(form, points).sum(axis=1)


def misfit(spectrum, steps, values):
    """The largest residual of a trigonometric polynomial with the spectrum's frequencies."""
    if spectrum.values is None:
        count = round(spectrum.maximum / spectrum.spacing)
        frequencies = spectrum.spacing * np.arange(1, count + 1)
    else:
        frequencies = np.array(spectrum.values)
    waves = np.outer(steps, frequencies)
    table = np.hstack([np.ones((len(steps), 1)), np.cos(waves), np.sin(waves)])
    weights = np.linalg.lstsq(table, values, rcond=None)[0]
    return np.abs(table @ weights - values).max()


def check_slopes(circuit, observable, seed):
    rng = np.random.default_rng(seed)
    form = read(circuit, observable)
    analysis = analyse(form)
    x = rng.uniform(-4, 4, circuit.num_parameters)
    for parameter in range(circuit.num_parameters):
        spectrum = analysis.spectra[parameter]
        rule = best_rule(spectrum)
        count = 4 * len(spectrum.values) + 3
        steps = np.concatenate([rng.uniform(-12, 12, count), rule.shifts])
        values = along(form, x, parameter, steps)
        assert misfit(spectrum, steps[:count], values[:count]) < 1e-9
        slope = rule.coefficients @ values[count:]
        exact = slopes_by_gates(form, x, parameter).sum()
        assert rule.bias_bound == 0
        assert slope == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_the_loss_has_no_other_frequencies_and_the_best_rule_is_exact(name):
    build, observable = CASES[name]
    check_slopes(build(), observable, seed=1)


@settings(max_examples=25, deadline=None)
@given(random_circuits())
def test_random_circuits_have_no_other_frequencies_and_exact_rules(circuit):
    check_slopes(circuit, SparsePauliOp(["XYI", "IZZ", "ZIX"], [1.0, 0.5, -0.7]), seed=2)


def test_slopes_by_gates_are_the_limit_of_differences():
    build, observable = CASES["nested"]
    circuit = build()
    x = np.array([0.4, -1.3])
    form = read(circuit, observable)
    steps = 1e-3 * np.array([-2, -1, 1, 2])
    for parameter in range(2):
        points = np.tile(x, (4, 1))
        points[:, parameter] += steps
        slope = by_statevector(circuit, observable, points).sum(axis=1) @ [1, -8, 8, -1] / 12e-3
        assert slope == pytest.approx(slopes_by_gates(form, x, parameter).sum(), abs=1e-9)


def check_cones(circuit, observable, points):
    """A term outside of a cone keeps its value wherever the parameter is moved to."""
    form = read(circuit, observable)
    analysis = analyse(form)
    rng = np.random.default_rng(3)
    before = by_form(form, points)
    for parameter in range(circuit.num_parameters):
        moved = points.copy()
        moved[:, parameter] += rng.uniform(-3, 3, len(points))
        change = np.abs(by_form(form, moved) - before)
        assert change[:, ~analysis.cones[parameter]].max(initial=0.0) < 1e-12
    return analysis


@pytest.mark.parametrize("name", CASES)
def test_terms_outside_of_a_cone_do_not_change(name):
    build, observable = CASES[name]
    circuit = build()
    points = np.random.default_rng(4).uniform(-4, 4, (20, circuit.num_parameters))
    check_cones(circuit, observable, points)


@settings(max_examples=40, deadline=None)
@given(random_circuits())
def test_terms_outside_of_a_cone_do_not_change_in_random_circuits(circuit):
    points = np.random.default_rng(5).uniform(-4, 4, (20, circuit.num_parameters))
    check_cones(circuit, chain(3), points)


@pytest.mark.parametrize(("qubits", "reps"), [(6, 1), (8, 1), (6, 2)])
def test_cones_of_a_brickwork_circuit_are_exact(qubits, reps):
    circuit = efficient_su2(qubits, reps=reps, entanglement="pairwise")
    points = np.random.default_rng(6).uniform(-4, 4, (4, circuit.num_parameters))
    analysis = check_cones(circuit, chain(qubits), points)
    before = by_form(analysis.form, points)
    seen = np.zeros_like(analysis.cones)
    for parameter in range(circuit.num_parameters):
        moved = points.copy()
        moved[:, parameter] += 1.0
        seen[parameter] = np.abs(by_form(analysis.form, moved) - before).max(axis=0) > 1e-12
    np.testing.assert_array_equal(analysis.cones, seen)
    assert not seen.all()


def test_parameters_of_a_class_shifted_together_give_the_slopes_of_each_alone():
    circuit = efficient_su2(6, reps=1, entanglement="pairwise")
    form = read(circuit, chain(6))
    analysis = analyse(form)
    x = np.random.default_rng(7).uniform(-4, 4, circuit.num_parameters)
    together = [members for members in analysis.classes if len(members) > 1]
    assert together
    for members in together:
        shift = np.zeros(circuit.num_parameters)
        shift[members] = np.pi / 2
        plus, minus = by_form(form, [x + shift, x - shift])
        for parameter in members:
            alone = np.zeros(circuit.num_parameters)
            alone[parameter] = np.pi / 2
            one, other = by_form(form, [x + alone, x - alone])
            cone = analysis.cones[parameter]
            np.testing.assert_allclose((plus - minus)[cone], (one - other)[cone], atol=1e-12)


def test_every_parameter_that_matters_is_in_one_class():
    analysis = analyse(read(efficient_su2(5, reps=2), chain(5)))
    members = np.concatenate(analysis.classes)
    np.testing.assert_array_equal(np.sort(members), np.flatnonzero(analysis.cones.any(axis=1)))


@pytest.mark.parametrize("name", ["open controls", "repeated", "qaoa 1"])
def test_gate_by_gate_rules_are_exact_and_chosen_only_where_cheaper(name):
    build, observable = CASES[name]
    form = read(build(), observable)
    analysis = analyse(form)
    x = np.random.default_rng(8).uniform(-4, 4, form.num_parameters)
    for parameter in range(form.num_parameters):
        gates = gate_by_gate_rule(analysis, parameter)
        slope = 0.0
        for rotation, weight in zip(gates.rotations, gates.coefficients, strict=True):
            angles = np.tile(form.angles(x), (2, 1))
            angles[:, rotation] += (np.pi / 2, -np.pi / 2)
            plus, minus = by_form(at_angles(form), angles).sum(axis=1)
            slope += weight * (plus - minus) / 2
        assert slope == pytest.approx(slopes_by_gates(form, x, parameter).sum(), abs=1e-12)
        shifted = best_rule(analysis.spectra[parameter])
        chosen = choose_rule(analysis, parameter)
        cheaper = gates.variance_factor < 0.999 * shifted.variance_factor
        assert isinstance(chosen, GateByGateRule) == cheaper


def test_spectra_of_a_sampler_hold_those_of_every_diagonal_observable():
    for name in ("repeated", "cry", "qaoa 1"):
        circuit = CASES[name][0]()
        any_function = analyse(read(circuit))
        diagonal = SparsePauliOp(["Z" * circuit.num_qubits, "Z" + "I" * (circuit.num_qubits - 1)])
        one = analyse(read(circuit, diagonal))
        for wide, narrow in zip(any_function.spectra, one.spectra, strict=True):
            assert set(narrow.values) <= set(wide.values)
        assert all(len(members) == 1 for members in any_function.classes)


def test_a_last_rotation_about_z_does_not_matter_to_a_sampler():
    analysis = analyse(read(efficient_su2(2, reps=1)))
    np.testing.assert_array_equal(analysis.cones[:, 0], [True] * 6 + [False] * 2)


@pytest.mark.parametrize(("name", "exact"), [("efficient_su2", True), ("qaoa 1", False)])
def test_the_mean_over_random_points_is_the_identity(name, exact):
    build, observable = CASES[name]
    circuit = build()
    mean = mean_loss(read(circuit, observable))
    identity = dict(labelled(observable)).get("I" * circuit.num_qubits, 0.0)
    assert (mean.value, mean.exact) == (pytest.approx(identity), exact)
