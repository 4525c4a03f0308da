"""Adam on coordinate pairs: true slopes, a spacing that fits, the steps that were planned."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.oracles import BudgetOracle, ShotOracle
from qiskit_arcmaes.bench.rivals import Start, solver_for
from qiskit_arcmaes.bench.rivals.adam_pairs import choose_spacing, descend, measure_pairs
from qiskit_arcmaes.problems import get_problem

from .arenas import H2, H2_START, h2


@pytest.mark.parametrize("spacing", [np.pi / 2, np.pi / 4])
def test_slopes_and_their_variances_are_true(spacing):
    # 1000 repeats: means within 5 standard errors (p = 6e-7 each), scatter within 23% of what is
    # reported (5 standard errors of 4.5%).
    oracle, _ = h2(10**9)
    found = [measure_pairs(oracle, H2_START, spacing, 20) for _ in range(1000)]
    slopes, variances = map(np.array, zip(*found, strict=True))
    expected = variances.mean(axis=0)
    true = H2.energy_and_gradient(H2_START)[1][0]
    assert np.all(np.abs(slopes.mean(axis=0) - true) < 5 * np.sqrt(expected / 1000))
    np.testing.assert_allclose(slopes.var(axis=0), expected, rtol=0.23)


def test_spacing_stays_where_parameters_are_single_rotations():
    # A test lowers a right spacing with probability 0.02; the seeds are fixed.
    for seed in range(5):
        oracle, _ = h2(10**5, seed)
        assert choose_spacing(oracle, H2_START, np.random.default_rng(seed)) == np.pi / 2
        assert oracle.spent <= 0.04 * 10**5


def test_spacing_is_halved_for_qaoa():
    # Slopes at π/2 and π/4 mean nothing there, at π/8 they are off by a third.
    problem = get_problem("maxcut8")
    for seed in range(3):
        oracle = BudgetOracle(ShotOracle(problem, seed), 10**6)
        rng = np.random.default_rng(seed)
        assert choose_spacing(oracle, problem.start(rng), rng) <= np.pi / 8


@pytest.mark.parametrize(("pairs", "steps"), [(10, 10), (1000, 250), (8100, 360), (10**6, 500)])
def test_steps_follow_from_the_budget(pairs, steps):
    budget = pairs * 2 * 4 * H2.groups
    oracle, start = h2(budget)
    descend(oracle, start, H2_START, np.pi / 2, budget)
    assert oracle.jobs == steps
    assert oracle.spent == pairs // steps * steps * 2 * 4 * H2.groups


def test_several_starts_find_what_one_start_misses():
    # MaxCut from a start whose valley is a wrong one: errors of the seeds are fixed.
    problem = get_problem("maxcut8")
    errors = {"adam-pairs": [], "adam-pairs-starts": []}
    for name, found in errors.items():
        for seed in range(4):
            oracle = BudgetOracle(ShotOracle(problem, seed), 10**5)
            start = Start(problem.start(np.random.default_rng(seed)), 0.6, None, True)
            answer = solver_for(name).solve(oracle, start, seed)
            found.append(float(problem.energy(answer.x)[0]) - problem.best_energy)
    assert np.median(errors["adam-pairs-starts"]) < np.median(errors["adam-pairs"])
