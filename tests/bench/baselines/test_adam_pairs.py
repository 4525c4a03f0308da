"""Adam on coordinate pairs: true slopes, a shift that fits, the steps that were planned."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.baselines import Start, solver_for
from qiskit_arcmaes.bench.baselines.adam_pairs import (
    choose_shift,
    descend,
    lowest_end,
    measure_pairs,
)
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.problems import get_problem

from .instances import H2, H2_START, h2


@pytest.mark.parametrize("shift", [np.pi / 2, np.pi / 4])
def test_slopes_and_their_variances_are_true(shift):
    # 1000 repeats: means within 5 standard errors (p = 6e-7 each), scatter within 23% of what is
    # reported (5 standard errors of 4.5%).
    oracle, _ = h2(10**9)
    found = [measure_pairs(oracle, H2_START, shift, 20) for _ in range(1000)]
    slopes, variances = map(np.array, zip(*found, strict=True))
    expected = variances.mean(axis=0)
    true = H2.energy_and_gradient(H2_START)[1][0]
    assert np.all(np.abs(slopes.mean(axis=0) - true) < 5 * np.sqrt(expected / 1000))
    np.testing.assert_allclose(slopes.var(axis=0), expected, rtol=0.23)


def test_shift_stays_where_parameters_are_single_rotations():
    # A test lowers a right shift with probability 0.02; the seeds are fixed.
    for seed in range(5):
        oracle, _ = h2(10**5, seed)
        assert choose_shift(oracle, H2_START, np.random.default_rng(seed)) == np.pi / 2
        assert oracle.spent <= 0.04 * 10**5


def test_shift_is_halved_for_qaoa():
    # Slopes at π/2 and π/4 mean nothing there, at π/8 they are off by a third.
    problem = get_problem("maxcut8")
    for seed in range(3):
        oracle = budgeted(problem, 10**6, seed=seed)
        rng = np.random.default_rng(seed)
        assert choose_shift(oracle, problem.start(rng), rng) <= np.pi / 8


@pytest.mark.parametrize(("pairs", "steps"), [(10, 10), (1000, 250), (8100, 360), (10**6, 500)])
def test_steps_follow_from_the_budget(pairs, steps):
    budget = pairs * 2 * 4 * H2.groups
    oracle, start = h2(budget)
    descend(oracle, start, H2_START, np.pi / 2, budget)
    assert oracle.jobs == steps
    assert oracle.spent == pairs // steps * steps * 2 * 4 * H2.groups


def test_the_best_of_several_ends_is_followed():
    # Random ends lie 2 and more above the best one; 2000 shots tell them apart at 0.07.
    problem = get_problem("maxcut8")
    rng = np.random.default_rng(5)
    ends = np.array([problem.start(rng), problem.start(rng), problem.best_parameters])
    assert np.all(problem.energy(ends[:2]) > problem.best_energy + 2)
    oracle = budgeted(problem, 3 * 10**5, seed=1)
    assert lowest_end(oracle, Start(ends[0], 0.6, angles=True), ends) == 2
    assert oracle.spent == 6000


def test_several_starts_share_half_of_the_budget():
    problem = get_problem("maxcut8")
    oracle = budgeted(problem, 20_000, seed=1)
    x0 = problem.start(np.random.default_rng(1))
    solver_for("adam-pairs-starts").solve(oracle, Start(x0, 0.6, angles=True), 1)
    recommendations = np.array([x for _, x in oracle.notes])
    spent = np.array([shots for shots, _ in oracle.notes])
    jumps = spent[1:][np.linalg.norm(np.diff(recommendations, axis=0), axis=1) > 3]
    assert len(jumps) > 0  # to other starts
    assert jumps.max() < 0.6 * 20_000  # after them the best one goes on
    assert oracle.spent > 0.8 * 20_000  # shots of a point are rounded down
