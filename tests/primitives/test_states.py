"""Probabilities in every Pauli basis, against Qiskit's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit import QuantumCircuit
from qiskit.quantum_info import Statevector, random_statevector

from qiskit_arcmaes.primitives.states import probabilities


def by_qiskit(state, axes):
    circuit = QuantumCircuit(len(axes))
    for qubit, axis in enumerate(axes):
        if axis == "Y":
            circuit.sdg(qubit)
        if axis in "XY":
            circuit.h(qubit)
    measured = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
    return Statevector(state).evolve(circuit).probabilities(measured)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("IXYZ", min_size=3, max_size=3), min_size=1, max_size=6), st.integers(0, 9))
def test_any_bases_in_any_order(bases, seed):
    bases = [axes for axes in bases if axes != "III"]
    states = [random_statevector(8, seed=[seed, k]).data for k in range(2)]
    found = dict(probabilities(np.array(states), bases))
    assert sorted(found) == list(range(len(bases)))
    for index, chances in found.items():
        for state, chance in zip(states, chances, strict=True):
            assert np.allclose(chance, by_qiskit(state, bases[index]))
