"""Every parameterised gate of Qiskit's library is simulated as Qiskit itself computes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit.circuit import Gate, Parameter, ParameterVector, QuantumCircuit
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.quantum_info import Statevector

from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.primitives.engines import PubTask
from qiskit_arcmaes.primitives.merging import Merger
from qiskit_arcmaes.primitives.states import StateSimulator

from .gates import COMPOSED, FAMILIES, GATES, POINT, family, state_of, surrounded

SIMULATOR = StateSimulator()


def simulated(circuit, points):
    return simulated_at(circuit, BindingsArray({tuple(circuit.parameters): np.asarray(points)}))


def simulated_at(circuit, values):
    parts = [states for _, states in SIMULATOR.states(circuit, values)]
    return [Statevector(state) for state in np.concatenate(parts)]


def assert_right(circuit, points):
    for point, state in zip(points, simulated(circuit, points), strict=True):
        assert state.equiv(state_of(circuit, point))


def some_angles(count, points=2):
    return np.random.default_rng(count).uniform(-3, 3, (points, count))


@pytest.mark.parametrize("name", GATES)
def test_every_gate_and_control_state(name):
    make, count = GATES[name]
    circuit = surrounded(make(*ParameterVector("t", count)))
    assert_right(circuit, some_angles(count))


@pytest.mark.parametrize("name", GATES)
def test_every_gate_with_expressions_of_several_parameters(name):
    make, count = GATES[name]
    a, b = Parameter("a"), Parameter("b")
    circuit = surrounded(make(*[(k + 1) * a * b - b + 0.1 * k for k in range(count)]))
    assert_right(circuit, some_angles(2))


@pytest.mark.parametrize("name", GATES)
def test_every_gate_in_bound_circuits_that_are_merged(name):
    make, count = GATES[name]
    bound = [surrounded(make(*angles)) for angles in some_angles(count).tolist()]
    tasks = [PubTask(SamplerPub.coerce(c.measure_all(inplace=False), 10), 10) for c in bound]
    merged = Merger().merge(tasks)
    for (task, point), circuit in zip(merged.origins, bound, strict=True):
        pub = merged.tasks[task].pub
        template = pub.circuit.remove_final_measurements(inplace=False)
        state = simulated_at(template, pub.parameter_values)[0 if point is None else point]
        assert state.equiv(state_of(circuit, []))


@pytest.mark.parametrize("name", FAMILIES)
def test_circuits(name):
    assert_right(family(name), [POINT, POINT[::-1]])


@st.composite
def circuits(draw):
    """Random circuits from all gates, with numbers, parameters and expressions as angles."""
    qubits = draw(st.integers(2, 5))
    free = ParameterVector("t", 3)
    angle = st.one_of(
        st.floats(-3, 3).map(lambda x: round(x, 3)),
        st.sampled_from(list(free)),
        st.tuples(st.sampled_from(list(free)), st.sampled_from(list(free))).map(
            lambda pair: pair[0] * pair[1] + 2 * pair[0] - 0.5
        ),
    )
    circuit = QuantumCircuit(qubits)
    circuit.ry(0.7, range(qubits))
    circuit.rz(free[0] + free[1] - free[2], 0)
    for name in draw(st.lists(st.sampled_from(sorted(GATES)), min_size=1, max_size=6)):
        make, count = GATES[name]
        gate = make(*[draw(angle) for _ in range(count)])
        if gate.num_qubits > qubits:
            continue
        places = draw(st.permutations(range(qubits)))[: gate.num_qubits]
        wrapped = QuantumCircuit(max(1, gate.num_qubits))
        wrapped.append(gate, range(gate.num_qubits))
        if gate.num_qubits and draw(st.booleans()):
            circuit.append(wrapped.to_instruction(), places)
        else:
            circuit.append(gate, places)
        if draw(st.booleans()):
            circuit.barrier()
    return circuit


@settings(max_examples=60, deadline=None)
@given(circuits(), st.integers(0, 9))
def test_random_circuits(circuit, seed):
    points = np.random.default_rng(seed).uniform(-3, 3, (2, circuit.num_parameters))
    assert_right(circuit, points)


def test_a_gate_named_like_another_is_not_taken_for_it():
    t = Parameter("t")
    for name in ("x", "rx", "unitary", "initialize"):
        inner = QuantumCircuit(1, name=name)
        inner.ry(t, 0)
        circuit = QuantumCircuit(1)
        circuit.rx(0.3, 0)
        circuit.append(inner.to_gate(), [0])
        assert_right(circuit, [[0.8]])


@pytest.mark.parametrize("name", ["mystery", "rx"])
def test_a_gate_without_definition_is_refused_by_name(name):
    circuit = QuantumCircuit(1)
    circuit.append(Gate(name, 1, [Parameter("t")]), [0])
    with pytest.raises(ValueError, match=rf"'{name}'.*definition"):
        ShotEstimator().run([(circuit, "Z", [[0.1]])])


def test_the_list_of_gates_is_complete():
    library = {
        name
        for name, gate in get_standard_gate_name_mapping().items()
        if isinstance(gate, Gate) and gate.params
    }
    assert library <= set(GATES)
    assert set(COMPOSED) <= set(GATES)
