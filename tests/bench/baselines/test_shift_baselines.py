"""Baselines on circuits with several frequencies: exact slopes, exact minima, exact budgets."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.baselines import Start, incompatibility, solver_for
from qiskit_arcmaes.bench.baselines.adam import Adam
from qiskit_arcmaes.bench.baselines.rosalin import SampledCost
from qiskit_arcmaes.bench.baselines.sequential import minimum_of_series
from qiskit_arcmaes.bench.baselines.shift_slopes import measure_slopes, shift_table, step_price
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.shot_oracle import ShotOracle, budgeted
from qiskit_arcmaes.oracles import Estimate, Oracle
from qiskit_arcmaes.problems import get_problem

EXACT = ("dev_ucc_h3plus", "dev_qaoa5_p2_random", "dev_controlled4", "dev_halves4", "dev_repeats4")


class Exact(Oracle):
    """Energies without noise."""

    def __init__(self, problem):
        self.problem = problem

    def evaluate(self, points, shots):
        self.charge(self.price(len(points)).at(shots))
        return Estimate(self.problem.energy(points))


@pytest.mark.parametrize("name", EXACT)
def test_slopes_are_exact_for_every_frequency(name):
    problem = get_problem(name)
    point = problem.start(np.random.default_rng(3)) + 0.2
    table = shift_table(budgeted(problem, 1).spectra)
    oracle = BudgetOracle(Exact(problem), 10**9)
    slopes = measure_slopes(oracle, table, point, 1000.0, np.random.default_rng(1))
    np.testing.assert_allclose(slopes, problem.energy_and_gradient(point)[1][0], atol=1e-9)


def test_slopes_are_unbiased_where_pairs_are_left_out():
    problem = get_problem("dev_repeats4")
    point = problem.start(np.random.default_rng(3))
    table = shift_table(budgeted(problem, 1).spectra)
    oracle, rng = BudgetOracle(Exact(problem), 10**9), np.random.default_rng(1)
    drawn = np.array([measure_slopes(oracle, table, point, 0.7, rng) for _ in range(3000)])
    error = drawn.mean(axis=0) - problem.energy_and_gradient(point)[1][0]
    assert np.all(np.abs(error) < 5 * drawn.std(axis=0) / np.sqrt(len(drawn)))


def test_a_step_costs_what_is_said():
    oracle = budgeted(get_problem("dev_ucc_h3plus"), 10**6, seed=1)
    table = shift_table(oracle.spectra)
    measure_slopes(oracle, table, np.zeros(8), 200.0, np.random.default_rng(1))
    assert oracle.spent == pytest.approx(step_price(oracle, table, 200.0), rel=0.01)


@pytest.mark.parametrize(("seed", "shots"), [(315, 20), (288, 60)])
def test_adam_ends_where_drawn_fractions_took_more_than_their_mean(seed, shots):
    """Two draws, found by trying 400, that take more than the budget before the last step."""
    problem = get_problem("dev_qaoa6_p1_random")
    point = problem.start(np.random.default_rng(3))
    oracle, start = budgeted(problem, 10**6, seed), Start(point, 0.6)
    rng = np.random.default_rng(seed)
    end = Adam("adam", 250, 0.15).descend(oracle, start, point, shots, rng)
    assert np.isfinite(end).all()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_minimum_of_a_series_is_found(count):
    rng = np.random.default_rng(count)
    waves = rng.normal(size=count) + 1j * rng.normal(size=count)
    orders = np.arange(1, count + 1)

    def series(angle):
        return (np.exp(1j * np.multiply.outer(angle, orders)) @ waves).real

    angles = 2 * np.pi * np.arange(2 * count + 1) / (2 * count + 1)
    where, lowest = minimum_of_series(series(angles), 0.5)
    fine = series(np.linspace(0, 2 * np.pi, 20_001))
    assert lowest == pytest.approx(fine.min(), abs=1e-5)
    assert series(np.array([where / 2]))[0] == pytest.approx(lowest, abs=1e-9)


def test_sampled_cost_is_unbiased_and_knows_its_variance():
    problem = get_problem("dev_ucc_h3plus")
    oracle = BudgetOracle(ShotOracle(problem, 1), 10**8)
    point = 0.2 * np.random.default_rng(1).normal(size=(1, 8))
    values, variances = SampledCost(oracle, 2)(np.repeat(point, 400, axis=0), (200,) * 400)
    spread = values.std(ddof=1)
    assert abs(values.mean() - problem.energy(point)[0]) < 5 * spread / 20
    assert variances.mean() == pytest.approx(spread**2, rel=0.4)
    assert oracle.spent == 400 * 200


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        ("excitation-solve@100%weighted", 10**5),
        ("sequential@100%weighted", 10**5),
        ("adam-250%weighted", 10**5),
        ("rosalin", 10**5),
    ],
)
def test_excitations_improve_on_hartree_fock(name, budget):
    problem = get_problem("dev_ucc_h2")
    oracle = budgeted(problem, budget, seed=4)
    x = solver_for(name).solve(oracle, Start(np.zeros(3), 0.5, angles=True), 1).x
    start = problem.energy(np.zeros(3))[0] - problem.best_energy
    assert problem.energy(x)[0] - problem.best_energy < 0.1 * start
    assert 0.9 * budget < oracle.spent <= budget


@pytest.mark.parametrize(
    ("problem", "excluded"),
    [
        ("dev_ucc_h3plus", {"nft", "icans"}),
        ("dev_qaoa6_p1_ramp", {"nft", "icans", "sequential", "excitation-solve"}),
        ("dev_h2", {"excitation-solve"}),
    ],
)
def test_what_applies_where(problem, excluded):
    oracle = budgeted(get_problem(problem), 100)
    names = ("nft", "icans", "sequential", "excitation-solve", "rosalin", "adam-250", "spsa")
    assert {name for name in names if incompatibility(name, oracle)} == excluded


@pytest.mark.parametrize("jobs", [10, 30])
def test_spsa_keeps_to_its_jobs_and_uses_the_budget(jobs):
    problem = get_problem("dev_h2")
    oracle = budgeted(problem, 10**5, seed=1)
    start = Start(problem.start(np.random.default_rng(1)), 0.5, angles=True)
    solver_for(f"spsa%jobs={jobs}").solve(oracle, start, 1)
    assert oracle.jobs == jobs
    assert oracle.spent > 0.9 * 10**5


def test_weighted_shots_cost_the_same_and_scatter_less():
    problem = get_problem("dev_lih")
    point = problem.best_parameters
    errors = {}
    for allocation in ("equal", "weighted"):
        oracle = ShotOracle(problem, 5, allocation)
        oracle.evaluate([point], 100)
        before = oracle.spent
        values = oracle.evaluate(np.repeat(point[None], 200, axis=0), 20).values
        assert oracle.spent - before == 200 * 20 * problem.groups
        errors[allocation] = float(np.std(values))
        assert abs(values.mean() - problem.energy(point)[0]) < 5 * errors[allocation] / 200**0.5
    assert errors["weighted"] < 0.85 * errors["equal"]
