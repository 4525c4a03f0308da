"""The budget holds, and the fast energies are those of the built-in estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes import GaussianOracle, ShotEstimator, get_function
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent
from qiskit_arcmaes.bench.shot_oracle import ShotOracle, budgeted
from qiskit_arcmaes.problems import get_problem


def sphere(budget):
    return BudgetOracle(GaussianOracle(get_function("sphere", 2), seed=1), budget)


def points(problem, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([problem.start(rng) for _ in range(count)])


@settings(max_examples=50, deadline=None)
@given(
    budget=st.integers(1, 500),
    batches=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 60)), max_size=30),
)
def test_budget_is_never_exceeded_and_refusals_are_free(budget, batches):
    oracle = sphere(budget)
    paid = jobs = 0
    for count, shots in batches:
        if paid + count * shots > budget:
            with pytest.raises(BudgetSpent):
                oracle.evaluate(np.zeros((count, 2)), shots)
        else:
            oracle.evaluate(np.zeros((count, 2)), shots)
            paid, jobs = paid + count * shots, jobs + 1
        assert (oracle.spent, oracle.left, oracle.jobs) == (paid, budget - paid, jobs)
        assert oracle.affordable(count) == (budget - paid) // count


def test_a_budget_must_be_positive():
    with pytest.raises(ValueError, match="budget must be at least 1"):
        sphere(0)


def test_shots_taken_before_do_not_count():
    inner = GaussianOracle(get_function("sphere", 2), seed=1)
    inner.evaluate(np.zeros((1, 2)), 70)
    oracle = BudgetOracle(inner, 10)
    oracle.evaluate(np.zeros((1, 2)), 10)
    assert oracle.spent == 10


def test_notes_are_thinned_and_keep_the_last():
    oracle = sphere(10**6)
    for step in range(3000):
        oracle.evaluate(np.zeros((1, 2)), 300)
        oracle.note([step, step])
    spent, recommendations = zip(*oracle.notes, strict=True)
    assert list(spent) == sorted(set(spent))
    assert len(spent) <= 20 * 6 + 1
    assert spent[-1] == 900_000
    np.testing.assert_array_equal(recommendations[-1], [2999, 2999])
    later = np.log10(np.array(spent[-20:]))
    assert np.diff(later).max() < 2.5 / 20  # no hole in the last decade


def test_a_note_is_a_copy():
    oracle, x = sphere(10), np.zeros(2)
    oracle.note(x)
    x += 1
    np.testing.assert_array_equal(oracle.notes[0][1], [0, 0])


@pytest.mark.parametrize("name", ["h2", "lih", "maxcut8"])
@pytest.mark.parametrize("shots", [1, 1000])
def test_energies_are_those_of_the_built_in_estimator(name, shots):
    problem = get_problem(name)
    rows = points(problem, 7)
    estimator = ShotEstimator(shots=shots, seed=5, allocation="equal")
    oracle = ShotOracle(problem, seed=5)
    for _ in range(2):
        theirs = estimator.run([(problem.ansatz, problem.operator, rows)]).result()[0].data
        ours = oracle.evaluate(rows, shots)
        np.testing.assert_allclose(ours.values, theirs.evs, atol=1e-12)
        np.testing.assert_allclose(ours.variances, theirs.stds**2, atol=1e-12)
    assert oracle.spent == estimator.ledger.shots == 2 * oracle.price(7).at(shots)


def test_ising_energies_scatter_as_their_variances_say():
    # 4000 values: the mean is within 5 standard errors (p = 6e-7), and their variance within 12%
    # of the true one (its standard error is 2.2%, so p < 1e-7).
    problem = get_problem("ising6")
    rows = points(problem, 1)
    estimate = ShotOracle(problem, seed=3).evaluate(np.repeat(rows, 4000, axis=0), 50)
    true = float(problem.variances(rows)[0]) / 50
    assert estimate.variances[0] == pytest.approx(true)
    assert abs(estimate.values.mean() - problem.energy(rows)[0]) < 5 * np.sqrt(true / 4000)
    assert estimate.values.var() == pytest.approx(true, rel=0.12)


def test_fidelities_are_measured_and_paid():
    problem = get_problem("h2")
    one, other = points(problem, 2)
    oracle = budgeted(problem, 50_000, seed=1)
    same, different = oracle.fidelities([one, one], [one, other], 20_000)
    states = problem.states([one, other])
    true = abs(states[0].conj() @ states[1]) ** 2
    assert same == 1.0
    assert abs(different - true) < 5 * np.sqrt(true * (1 - true) / 20_000)  # p = 6e-7
    assert oracle.spent == 40_000
    with pytest.raises(BudgetSpent):
        oracle.fidelities([one], [other], 10_001)


def test_a_function_has_no_fidelities():
    with pytest.raises(TypeError, match="need a circuit"):
        sphere(10).fidelities([[0, 0]], [[0, 0]], 1)


def test_state_goes_on_bit_for_bit():
    problem = get_problem("h2")
    rows = points(problem, 3)
    oracle = ShotOracle(problem, seed=2)
    oracle.evaluate(rows, 10)
    state = oracle.state
    expected = oracle.evaluate(rows, 10).values
    resumed = ShotOracle(problem, seed=99)
    resumed.state = state
    np.testing.assert_array_equal(resumed.evaluate(rows, 10).values, expected)
    assert resumed.spent == oracle.spent
