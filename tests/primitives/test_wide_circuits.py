"""Circuits far too wide for a state vector, by Aer's matrix product states."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator

from qiskit_arcmaes import ShotEstimator, minimize
from qiskit_arcmaes.primitives.groups import make_plan


def chain(qubits):
    terms = [("ZZ", [i, i + 1], -1.0) for i in range(qubits - 1)]
    return SparsePauliOp.from_sparse_list([*terms, ("X", [0], 0.5)], qubits)


@pytest.mark.parametrize("qubits", [30, 40])
def test_known_values(qubits):
    estimator = ShotEstimator(backend=AerSimulator(method="matrix_product_state"), seed=1)
    ansatz = real_amplitudes(qubits, reps=1, entanglement="linear")
    data = estimator.run([(ansatz, chain(qubits), np.zeros(2 * qubits))]).result()[0].data
    assert data.evs == pytest.approx(-(qubits - 1), abs=0.1)  # |0...0>, and X gives noise only
    assert estimator.ledger.circuits == 2


def test_what_does_not_fit_into_memory_names_the_way_out():
    with pytest.raises(RuntimeError, match="matrix_product_state"):
        ShotEstimator(seed=1).run([(real_amplitudes(40, reps=0), chain(40), np.zeros(40))])


def test_a_run_on_thirty_qubits():
    estimator = ShotEstimator(backend=AerSimulator(method="matrix_product_state"), seed=1)
    ansatz = real_amplitudes(30, reps=0)
    operator = SparsePauliOp.from_sparse_list([("Z", [i], 1.0) for i in range(30)], 30)
    result = minimize(
        lambda x: estimator.run([(ansatz, operator, x)]).result()[0].data.evs,
        np.full(30, 1.0), max_shots=2000, max_jobs=3, seed=1,
    )  # fmt: skip
    assert result.shots == estimator.ledger.shots <= 2000


def test_outcomes_without_a_table():
    """The same values as from the table, projectors included."""
    observables = [{"ZIZ": 1.0, "IZI": 0.5}, {"0I1": 0.3, "IZZ": -0.2}]
    plan = make_plan(observables)
    for group in plan.groups:
        np.testing.assert_allclose(group.values(list(range(group.table.shape[1]))), group.table)
