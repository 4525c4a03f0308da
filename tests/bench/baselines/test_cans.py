"""iCANS and gCANS against their papers' formulas, and against PennyLane's iCANS."""

import contextlib

import numpy as np
import pytest

from qiskit_arcmaes.bench.baselines import Start
from qiskit_arcmaes.bench.baselines.cans import GCANS, ICANS, Averages, measure_slopes
from qiskit_arcmaes.bench.budget_oracle import BudgetSpent
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.problems import get_problem

from .instances import H2, H2_START, h2

BUDGET = 60_000


def test_slopes_and_their_variances_are_true():
    # 2000 repeats: means within 5 standard errors (p = 6e-7 each), scatter within 16% of what is
    # reported (5 standard errors of 3.2%).
    shots = np.array([3, 10, 10, 40])
    oracle, _ = h2(10**9)
    found = [measure_slopes(oracle, H2_START, shots) for _ in range(2000)]
    slopes, variances = map(np.array, zip(*found, strict=True))
    expected = variances.mean(axis=0) / shots
    true = H2.energy_and_gradient(H2_START)[1][0]
    assert np.all(np.abs(slopes.mean(axis=0) - true) < 5 * np.sqrt(expected / 2000))
    np.testing.assert_allclose(slopes.var(axis=0), expected, rtol=0.16)


def test_shots_that_differ_are_paid_beforehand():
    oracle, _ = h2(1000)
    measure_slopes(oracle, H2_START, np.array([3, 10, 10, 40]))
    assert oracle.spent == 2 * H2.groups * 63
    assert oracle.jobs == 1  # one job with shots that differ
    with pytest.raises(BudgetSpent):
        measure_slopes(oracle, H2_START, np.array([1, 1, 1, 200]))
    assert oracle.spent == 2 * H2.groups * 63


def test_gcans_shots_maximise_the_gain_per_shot():
    # What the formula promises: no other allocation has a larger lower bound of gain per shot.
    solver, lipschitz = GCANS("gcans", least=1), 2.0
    slopes, spreads = np.array([0.3, -0.1, 0.02]), np.array([8.0, 3.0, 11.0])
    shots = solver.allocate(slopes, spreads, 0.0, lipschitz)
    rate = solver.rate / lipschitz

    def efficiency(allocation):
        gain = (rate - lipschitz * rate**2 / 2) * slopes @ slopes
        loss = lipschitz * rate**2 / 2 * np.sum(spreads**2 / allocation)
        return (gain - loss) / allocation.sum()

    best = efficiency(shots)
    rng = np.random.default_rng(1)
    for _ in range(300):
        other = shots * rng.uniform(0.8, 1.25, 3)
        assert efficiency(other) <= best * (1 + 1e-4)  # shots are rounded up


def test_icans_shots_lie_between_the_least_and_those_of_the_best_coordinate():
    shots = ICANS("icans", least=5).allocate(
        np.array([0.5, 0.01, 0.1]), np.array([1.0, 1.0, 1e-6]), 0.0, lipschitz=1.0
    )
    np.testing.assert_array_equal(shots, [8, 8, 5])


def test_first_step_has_no_memory():
    averages = Averages(np.zeros(2), np.zeros(2))
    averages.add(np.array([0.4, 0.2]), np.array([3.0, 1.0]), memory=0.99)
    solver = GCANS("gcans", bias=0.0)
    expected = np.ceil(2 * np.array([3.0, 1.0]) * 4.0 / 0.2)
    np.testing.assert_array_equal(solver.next_shots(averages, 1.0), expected)


@pytest.mark.parametrize("name", ["h2", "lih"])
def test_icans_makes_the_steps_of_pennylane(name):
    # PennyLane's optimizer is given the slopes of the same oracle; its steps and shots are its own.
    pennylane = pytest.importorskip("pennylane")
    problem = get_problem(name)
    start = problem.start(np.random.default_rng(4))
    oracle = budgeted(problem, BUDGET, seed=9)
    lipschitz = oracle.ansatz.coefficient_sum

    class Measured(pennylane.ShotAdaptiveOptimizer):
        def compute_grad(self, objective_fn, args, kwargs):
            slopes, variances = measure_slopes(oracle, np.array(args[0]), self.s[0])
            return [slopes], [variances]

    optimizer = Measured(min_shots=2, stepsize=1 / lipschitz)
    optimizer.check_learning_rate([lipschitz])
    x, steps = pennylane.numpy.array(start, requires_grad=True), 0
    with contextlib.suppress(BudgetSpent):
        while True:
            x, steps = optimizer.step(None, x), steps + 1

    ours = budgeted(problem, BUDGET, seed=9)
    recommendation = ICANS("icans").solve(ours, Start(start, 1.0, angles=True), seed=1)
    assert steps > 10
    assert ours.spent == oracle.spent
    np.testing.assert_allclose(recommendation.x, np.array(x), atol=1e-9)
