"""The built-in sampler: exact shots in the right bits of the right registers."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, Parameter, QuantumCircuit, QuantumRegister
from qiskit.circuit.library import QAOAAnsatz, real_amplitudes
from qiskit.primitives import StatevectorSampler
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.quantum_info import Statevector
from scipy import stats

from qiskit_arcmaes import ShotSampler
from qiskit_arcmaes.primitives.engines import PubTask
from qiskit_arcmaes.primitives.merging import Merger

from .problems import ISING


def test_counts_have_the_exact_probabilities():
    circuit = real_amplitudes(4, reps=2)
    point = np.random.default_rng(1).uniform(-1, 1, circuit.num_parameters)
    chances = Statevector(circuit.assign_parameters(point)).probabilities()
    circuit.measure_all()
    shots = 100_000
    bits = ShotSampler(shots=shots, seed=3).run([(circuit, point)]).result()[0].data.meas
    counts = np.zeros(16)
    for outcome, count in bits.get_int_counts().items():
        counts[outcome] = count
    # chi-square over the outcomes expected at least five times; the rest is pooled. Fails with
    # probability 1e-4 for a random seed.
    often = chances * shots >= 5
    seen = np.append(counts[often], counts[~often].sum())
    expected = np.append(chances[often], chances[~often].sum()) * shots
    assert stats.chisquare(seen[expected > 0], expected[expected > 0]).pvalue > 1e-4


def test_shots_come_in_random_order():
    circuit = QuantumCircuit(1)
    circuit.h(0)
    circuit.measure_all()
    bits = ShotSampler(shots=2000, seed=1).run([circuit]).result()[0].data.meas
    halves = bits.slice_shots(range(1000)), bits.slice_shots(range(1000, 2000))
    ones = [half.get_int_counts()[1] for half in halves]
    assert stats.fisher_exact([ones, [1000 - n for n in ones]]).pvalue > 1e-4


def test_registers_bits_and_order_as_qiskit_has_them():
    """Deterministic outcomes, compared with Qiskit's own sampler bit by bit."""
    alpha, beta = ClassicalRegister(10, "alpha"), ClassicalRegister(3, "beta")
    circuit = QuantumCircuit(QuantumRegister(4), beta, alpha)
    circuit.x([0, 2])
    circuit.measure([2, 3, 0], [alpha[9], alpha[0], alpha[4]])
    circuit.measure([0, 1], [beta[2], beta[1]])
    ours = ShotSampler(shots=5).run([circuit]).result()[0].data
    theirs = StatevectorSampler().run([circuit], shots=5).result()[0].data
    assert list(ours) == list(theirs)
    for name in ours:
        assert ours[name] == theirs[name]
    assert ours.alpha.get_bitstrings() == ["1000010000"] * 5
    assert ours.beta.get_bitstrings() == ["100"] * 5


def test_measuring_twice_gives_the_same_twice():
    circuit = QuantumCircuit(2)
    circuit.h([0, 1])
    circuit.measure_all()
    circuit = circuit.measure_all(inplace=False)
    first, second = ShotSampler(shots=100, seed=1).run([circuit]).result()[0].data.values()
    assert first == second
    assert len(first.get_counts()) == 4


def test_circuits_that_go_on_after_measuring_run_shot_by_shot():
    circuit = QuantumCircuit(1, 2)
    circuit.h(0)
    circuit.measure(0, 0)
    with circuit.if_test((circuit.clbits[0], 1)):
        circuit.x(0)
    circuit.measure(0, 1)
    sampler = ShotSampler(shots=400, seed=1)
    first, second = (sampler.run([circuit]).result()[0].data.c.get_counts() for _ in range(2))
    assert set(first) == {"00", "01"}
    assert first != second  # one chance in 35 for a random seed
    assert sampler.ledger.shots == 800
    reset = QuantumCircuit(1)
    reset.h(0)
    reset.reset(0)
    reset.measure_all()
    assert sampler.run([reset]).result()[0].data.meas.get_counts() == {"0": 400}


def test_shapes_and_circuits_without_measurement_or_parameters():
    circuit = QuantumCircuit(2)
    circuit.rx(Parameter("a"), 0)
    circuit.measure_all()
    sampler = ShotSampler(shots=7)
    values = np.full((2, 3, 1), np.pi)
    bits = sampler.run([(circuit, values)]).result()[0].data.meas
    assert bits.shape == (2, 3)
    assert bits.num_shots == 7
    assert bits.get_counts() == {"01": 42}
    bare = QuantumCircuit(2, 3)
    assert sampler.run([bare]).result()[0].data.c.get_counts() == {"000": 7}
    assert sampler.ledger.circuits == 7


def test_shots_of_a_call_and_of_a_pub_win():
    circuit = QuantumCircuit(1)
    circuit.measure_all()
    sampler = ShotSampler(shots=7)
    results = sampler.run([circuit, (circuit, None, 3)], shots=5).result()
    assert [result.data.meas.num_shots for result in results] == [5, 3]
    assert sampler.ledger.shots == 8


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_bound_circuits_that_differ_in_angles_run_as_one():
    ansatz = QAOAAnsatz(ISING, reps=2)
    ansatz.measure_all()
    points = np.random.default_rng(1).uniform(0, 1, (5, 4))
    circuits = [ansatz.assign_parameters(point).measure_all(inplace=False) for point in points]
    assert len({circuit.cregs[1].name for circuit in circuits}) == 5  # QAOA's are named so too
    tasks = [PubTask(SamplerPub.coerce(circuit, 10), 10) for circuit in circuits]
    merged = Merger().merge(tasks)
    assert len(merged.tasks) == 1
    assert merged.tasks[0].pub.shape == (5,)
    template = merged.tasks[0].pub
    for row, circuit in enumerate(circuits):
        bound = template.parameter_values.bind(template.circuit, (row,))
        same = Statevector(bound.remove_final_measurements(inplace=False))
        assert same.equiv(Statevector(circuit.remove_final_measurements(inplace=False)))


def test_merged_results_belong_to_their_circuits():
    circuits = []
    for angle, extra in ((np.pi, 0), (0.0, 0), (np.pi, 1), (0.3, None)):
        circuit = QuantumCircuit(2, metadata={"angle": angle})
        circuit.rx(angle, 0)
        if extra == 1:
            circuit.x(1)
        circuit.measure_all()
        circuits.append(circuit)
    circuits[3] = QuantumCircuit(1)
    circuits[3].measure_all()
    sampler = ShotSampler(shots=4)
    results = sampler.run(circuits).result()
    counts = [result.data.meas.get_counts() for result in results]
    assert counts == [{"01": 4}, {"00": 4}, {"11": 4}, {"0": 4}]
    assert results[0].metadata["circuit_metadata"] == {"angle": np.pi}
    assert sampler.ledger.state == {"jobs": 1, "circuits": 4, "shots": 16, "failures": 0}


def test_open_controls_and_opaque_gates_are_left_alone():
    circuit = QuantumCircuit(2)
    circuit.cx(0, 1, ctrl_state=0)
    circuit.rx(0.0, 0)
    circuit.unitary([[0, 1], [1, 0]], 0)
    circuit.measure_all()
    assert ShotSampler(shots=3).run([circuit]).result()[0].data.meas.get_counts() == {"11": 3}


def test_runs_repeat_and_noise_does_not():
    circuit = QuantumCircuit(6)
    circuit.h(range(6))
    circuit.measure_all()
    runs = []
    for _ in range(2):
        sampler = ShotSampler(shots=50, seed=9)
        runs.append([sampler.run([circuit]).result()[0].data.meas for _ in range(2)])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert not ShotSampler().reports_variances
    assert sampler.last_variances is None


@pytest.mark.parametrize("angles", [0, 1])
def test_a_register_wider_than_a_machine_word(angles):
    circuit = QuantumCircuit(2, 70)
    circuit.x(1)
    if angles:
        circuit.rz(0.2, 0)
    circuit.measure([0, 1], [3, 69])
    assert ShotSampler(shots=2).run([circuit]).result()[0].data.c.get_counts() == {
        "1" + "0" * 69: 2
    }
