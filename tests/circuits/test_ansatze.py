"""Ansätze of qiskit-nature, qiskit-algorithms and qiskit-optimization."""

import math

import numpy as np
import pytest
from qiskit.circuit.library import qaoa_ansatz
from qiskit.primitives import StatevectorSampler

from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.rotations import analyse, best_rule
from tests.circuits.cases import cut
from tests.circuits.exact import by_form, by_statevector
from tests.circuits.test_analysis import along, misfit, slopes_by_gates

nature = pytest.importorskip("qiskit_nature.second_q.circuit.library")
hamiltonians = pytest.importorskip("qiskit_nature.second_q.hamiltonians")
mappers = pytest.importorskip("qiskit_nature.second_q.mappers")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def uccsd(orbitals, particles, mapper):
    start = nature.HartreeFock(orbitals, particles, mapper)
    return nature.UCCSD(orbitals, particles, mapper, initial_state=start)


def molecule(orbitals, mapper, seed):
    """An electronic Hamiltonian with random integrals, symmetric as real orbitals make them."""
    rng = np.random.default_rng(seed)
    one = rng.normal(size=(orbitals,) * 2)
    two = rng.normal(size=(orbitals,) * 4)
    two = two + two.transpose(1, 0, 2, 3)
    two = two + two.transpose(0, 1, 3, 2)
    two = two + two.transpose(2, 3, 0, 1)
    energy = hamiltonians.ElectronicEnergy.from_raw_integrals(one + one.T, two)
    return mapper.map(energy.second_q_op())


@pytest.mark.parametrize("mapping", ["jordan-wigner", "parity"])
@pytest.mark.parametrize("orbitals", [2, 3])
def test_coupled_clusters_have_at_most_two_frequencies_and_exact_slopes(orbitals, mapping):
    mapper = mappers.JordanWignerMapper()
    if mapping == "parity":
        mapper = mappers.ParityMapper(num_particles=(1, 1))
    circuit, observable = uccsd(orbitals, (1, 1), mapper), molecule(orbitals, mapper, seed=1)
    form = read(circuit, observable)
    analysis = analyse(form)
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, circuit.num_parameters)
    wanted = by_statevector(circuit, observable, x).sum()
    assert by_form(form, x).sum() + form.terms.identity == pytest.approx(wanted, abs=1e-11)
    for parameter, spectrum in enumerate(analysis.spectra):
        assert set(spectrum.values) <= {1.0, 2.0}
        rule = best_rule(spectrum)
        steps = np.concatenate([rng.uniform(-6, 6, 12), rule.shifts])
        losses = along(form, x, parameter, steps)
        assert misfit(spectrum, steps, losses) < 1e-10
        exact = slopes_by_gates(form, x, parameter).sum()
        assert rule.coefficients @ losses[12:] == pytest.approx(exact, abs=1e-10)


def test_an_excitation_that_acts_on_the_reference_alone_has_one_frequency():
    mapper = mappers.JordanWignerMapper()
    form = read(uccsd(2, (1, 1), mapper), molecule(2, mapper, seed=2))
    assert len(form.rotations_of(0)) == 2
    assert analyse(form).spectra[0].values == (2.0,)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reps", [1, 2, 3])
def test_qaoa_slopes_are_exact(reps, weighted):
    operator = cut(weighted)
    form = read(qaoa_ansatz(operator, reps=reps), operator)
    analysis = analyse(form)
    x = np.random.default_rng(reps).uniform(-2, 2, 2 * reps)
    for parameter, spectrum in enumerate(analysis.spectra):
        rule = best_rule(spectrum)
        slope = rule.coefficients @ along(form, x, parameter, rule.shifts)
        exact = slopes_by_gates(form, x, parameter).sum()
        error = 1e-10 + rule.bias_bound * np.abs(form.terms.coefficients).sum()
        assert slope == pytest.approx(exact, abs=error)
        assert weighted or rule.bias_bound == 0


def test_the_last_mixer_of_qaoa_has_a_quarter_of_the_usual_period():
    operator = cut(False)
    analysis = analyse(read(qaoa_ansatz(operator, reps=1), operator))
    assert analysis.periods[0] == pytest.approx(math.pi / 2)
    assert analysis.two_point.tolist() == [True, False]


@pytest.mark.parametrize("package", ["qiskit_algorithms", "qiskit_optimization"])
def test_the_circuit_of_a_qaoa_class_is_read_with_its_measurements(package):
    module = pytest.importorskip(f"{package}.minimum_eigensolvers")
    optimizers = pytest.importorskip(f"{package}.optimizers")
    solver = module.QAOA(StatevectorSampler(seed=1), optimizers.COBYLA(maxiter=1), reps=2)
    operator = cut(True)
    circuit = solver.compute_minimum_eigenvalue(operator).optimal_circuit.copy()
    circuit.measure_all()
    form = read(circuit, operator)
    assert form.num_parameters == 4
    points = np.random.default_rng(2).uniform(-2, 2, (2, 4))
    np.testing.assert_allclose(by_form(form, points), by_statevector(circuit, operator, points))
