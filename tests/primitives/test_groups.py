"""Groups of terms, and shots dealt among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import Pauli, SparsePauliOp

from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.primitives.allocation import Allocation, deal
from qiskit_arcmaes.primitives.groups import make_plan
from qiskit_arcmaes.problems import PROBLEMS, get_problem

from .problems import exact

labels = st.text("IXYZ", min_size=3, max_size=3)
observables = st.dictionaries(labels, st.floats(-2, 2), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None)
@given(st.lists(observables, min_size=1, max_size=3))
def test_groups_rebuild_the_observables(wanted):
    plan = make_plan(wanted)
    for column, observable in enumerate(wanted):
        rebuilt = plan.constants[column] * np.eye(8, dtype=complex)
        for group in plan.groups:
            rebuilt += diagonal_in(group.axes, group.table[column])
        terms = SparsePauliOp(list(observable), list(observable.values()))
        assert np.allclose(rebuilt, terms.to_matrix())


def diagonal_in(axes, table):
    """The operator with these eigenvalues in the product basis of some axes."""
    measured = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
    total = np.zeros((8, 8), dtype=complex)
    for outcome, value in enumerate(table):
        projector = np.eye(1, dtype=complex)
        for qubit in reversed(range(3)):
            factor = np.eye(2, dtype=complex)
            if qubit in measured:
                sign = 1 - 2 * (outcome >> measured.index(qubit) & 1)
                factor = (factor + sign * Pauli(axes[qubit]).to_matrix()) / 2
            projector = np.kron(projector, factor)
        total += value * projector
    return total


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20).map(np.array), st.integers(1, 10**6))
def test_dealing_keeps_the_total_and_leaves_nobody_out(weights, each):
    total = each * len(weights)
    shots = deal(weights, total)
    assert shots.sum() == total
    assert shots.min() >= 1
    order = np.argsort(weights)
    assert np.all(np.diff(shots[order]) >= -1)  # more weight, not fewer shots, but for rounding


def test_dealing_is_proportional():
    assert deal(np.array([1.0, 2.0, 7.0]), 1000).tolist() == [100, 200, 700]
    assert deal(np.zeros(3), 9).tolist() == [3, 3, 3]


def test_weights_follow_the_scatter_and_survive_saving():
    allocation, plan = Allocation(), make_plan([{"X": 1.0, "Z": 1.0}])
    assert allocation.shots(plan, 100).tolist() == [100, 100]
    allocation.learn(plan, np.array([9e4, 1e4]), np.array([9999, 9999]))
    copy = Allocation()
    copy.state = allocation.state
    assert copy.shots(plan, 100).tolist() == [150, 50]
    allocation.learn(plan, np.zeros(2), np.zeros(2, dtype=int))  # one shot shows nothing
    assert allocation.state == copy.state


def test_few_shots_do_not_write_a_group_off():
    allocation, plan = Allocation(), make_plan([{"X": 1.0, "Z": 1.0}])
    allocation.learn(plan, np.array([0.0, 3.0]), np.array([3, 3]))
    assert allocation.shots(plan, 100).min() > 50


def test_a_group_that_showed_nothing_keeps_its_floor():
    """Many shots that all agree: the deviation counts as 0.4 of that on a random state."""
    allocation, plan = Allocation(), make_plan([{"X": 1.0, "Z": 1.0}])
    allocation.learn(plan, np.array([0.0, 1e6]), np.array([10**6, 10**6]))
    assert allocation.shots(plan, 700).tolist() == [400, 1000]


def test_every_group_has_the_least():
    assert deal(np.array([1.0, 0.0, 0.0]), 10, least=2).tolist() == [6, 2, 2]


def test_memory_is_bounded():
    allocation = Allocation(size=3)
    plans = [make_plan([{"X": float(size)}]) for size in range(1, 7)]
    for plan in plans:
        allocation.learn(plan, np.ones(1), np.ones(1, dtype=int))
    assert list(allocation.state) == [plan.digest for plan in plans[3:]]


@pytest.mark.parametrize("shots", [1, 2, 50])
def test_weighted_keeps_the_total_and_lowers_the_variance(shots):
    rng = np.random.default_rng(5)
    names = ["".join(rng.choice(list("IXYZ"), 4)) for _ in range(40)]
    sizes = 10.0 ** rng.uniform(-3, 0, 40)  # a few large terms, many small, as molecules have
    operator = SparsePauliOp(names, sizes).simplify()
    circuit = efficient_su2(4, reps=1)
    points = rng.uniform(-3, 3, (10, circuit.num_parameters))
    price = {}
    for allocation in ("equal", "weighted"):
        estimator = ShotEstimator(shots=shots, seed=1, allocation=allocation)
        for _ in range(3):
            with estimator.recording() as recording:
                estimator.run([(circuit, operator, points)])
            before = estimator.ledger.shots
            data = estimator.run([(circuit, operator, points)]).result()[0].data
            assert recording.shots == estimator.ledger.shots - before
        price[allocation] = np.mean(estimator.last_variances) * recording.shots
        off = (data.evs - exact(circuit, operator, points)) / data.stds
        assert np.all(np.abs(off) < 6)
    if shots == 50:  # exact variances: nothing random but what was learned
        assert price["weighted"] < 0.5 * price["equal"]


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_and_estimator_measure_the_same_groups(name):
    problem = get_problem(name)
    points = np.stack([problem.best_parameters, problem.start(np.random.default_rng(1))])
    estimator = ShotEstimator(shots=100, seed=1, allocation="equal")
    pub = (problem.ansatz, problem.operator, points)
    with estimator.recording() as recording:
        estimator.run([pub])
    assert recording.bases == problem.groups
    estimator.run([pub])
    assert np.allclose(100 * estimator.last_variances, problem.variances(points))
