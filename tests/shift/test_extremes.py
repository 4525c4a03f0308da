"""Losses and budgets at the edge: no noise, huge values, no budget left for all starts."""

import math

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, minimize
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.shift.params import DEFAULTS

from .losses import DIM, drive, method, rotations, several_gates, steps


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("start", [0.5, 2.5])
def test_a_quadratic_without_noise_is_solved_on_periodic_coordinates(dim, start):
    """It has every frequency, and no noise that would limit how small the shift becomes."""
    asked = []

    def loss(points):
        asked.append(points.copy())
        return np.sum((points - 1) ** 2, axis=1)

    oracle = GaussianOracle(loss, tau=0.0, seed=1)
    result = minimize(oracle, np.full(dim, start), max_shots=5000, periodic=True, tau=0, seed=1)
    assert np.isfinite(np.concatenate(asked)).all()
    assert result.history["shift"].min() >= DEFAULTS.test.least_shift
    assert np.sum((result.x - 1) ** 2) < 1e-9


@pytest.mark.parametrize("value", [1e160, -1e300])
@pytest.mark.parametrize("job", [0, 20, 80])
def test_one_huge_value_counts_as_a_failed_one(value, job):
    """In the first job, in the first order, in the second order; as if it had been NaN."""
    runs = []
    for planted in (value, np.nan):
        run = method(1e5)
        for number, batch in enumerate(iter(run.ask, None)):
            rng = np.random.default_rng(number)
            noise = rng.standard_normal(len(batch.points)) / math.sqrt(batch.shots)
            values = rotations(batch.points) + noise
            if number == job:
                values[3] = planted
            run.tell(batch, Estimate(values))
            if run.finished:
                break
        runs.append(run)
    np.testing.assert_array_equal(runs[0].recommendation, runs[1].recommendation)


def test_if_all_endpoints_fail_one_of_them_goes_on():
    run = method(2e4)
    rng = np.random.default_rng(0)
    while not run.finished:
        batch = run.ask()
        values = several_gates(batch.points) + rng.standard_normal(len(batch.points))
        if batch.phase == "comparison of starts":
            values[:] = 1e200
        run.tell(batch, Estimate(values))
    assert np.isfinite(run.recommendation).all()


@pytest.mark.parametrize("dim", [1, 3, 5])
def test_starts_that_the_budget_does_not_pay_are_left_out(dim):
    """Twenty steps are the least budget of the method; eight starts take more than half of it."""
    for seed in range(10):
        budget = 20 * (6 * dim + 1)
        run = method(budget, seed, dim=dim, x0=0.3 + seed)
        spent = sum(len(b.points) * b.shots for b in steps(run, several_gates, 0.1, seed))
        assert spent <= budget
        assert len(run.state.starts.endpoints) <= DEFAULTS.multistart.starts


def test_constant_values_end_the_run_where_it_began():
    run = drive(method(2e4), lambda points: np.full(len(points), 2.0), 0.0)
    np.testing.assert_allclose(run.recommendation, np.ones(DIM), atol=1e-9)
