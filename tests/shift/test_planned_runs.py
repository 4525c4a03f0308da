"""Whole runs that are measured by plan: budget, jobs, bounds, starts, resume, plans given up."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import OracleError, minimize
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.shift.spectral import SpectralShift

from .planned import chain

LOWEST = 0.5 - 3 - 2  # of the chain of four


def solve(oracle, start=1.0, budget=20_000, **options):
    x0 = np.full(len(oracle.cones), start) if np.isscalar(start) else start
    return minimize(oracle, x0, max_shots=budget, seed=5, **options)


@pytest.mark.parametrize("start", [0.3, 1.7])
@pytest.mark.parametrize("budget", [300, 3000, 30_000])
def test_the_budget_is_used_and_never_exceeded(budget, start):
    oracle = chain()
    result = solve(oracle, start, budget)
    assert 0.9 * budget <= result.shots == oracle.spent <= budget
    assert oracle.plans


@pytest.mark.parametrize("start", [0.3, 1.7])
def test_the_minimum_is_reached(start):
    """Errors of 5 seeds lie near 1e-3 and below; a median above 0.02 has no chance."""
    errors = []
    for seed in range(5):
        oracle = chain(seed=seed)
        result = solve(oracle, start, 100_000)
        errors.append(oracle.loss(result.x)[0] - LOWEST)
    assert np.median(errors) < 0.02


@pytest.mark.parametrize("max_jobs", [10, 30, 100])
@pytest.mark.parametrize("start", [0.3, 1.7])
def test_few_jobs_use_the_budget(start, max_jobs):
    oracle = chain()
    result = solve(oracle, start, 100_000, max_jobs=max_jobs)
    assert result.jobs <= max_jobs
    assert 0.9 * 100_000 <= result.shots <= 100_000
    assert result.history["phase"][-1] == "comparison with x0"
    assert result.history["spent"][-1] > 0.7 * 100_000  # before the last estimate
    assert oracle.loss(result.x)[0] < oracle.loss(np.full(4, start))[0]


@pytest.mark.parametrize("unit_rows", [True, False])
def test_equal_shots_come_in_multiples_of_a_unit(unit_rows):
    """So that a plan is few rows of equal shots: on average at most four per circuit and group."""
    oracle = chain(equal_shots=unit_rows)
    solve(oracle, 1.7, 50_000)
    for plan in oracle.plans:
        pairs = plan.shots[:-2]
        rows = pairs.sum() / np.gcd.reduce(plan.shots.ravel())
        if unit_rows:
            assert rows <= 4 * 1.5 * pairs.size
    shots = np.concatenate([plan.shots.ravel() for plan in oracle.plans])
    assert (np.gcd.reduce(shots) == 1) or unit_rows


@pytest.mark.parametrize("bounds", [(-3.5, 3.5), (-math.pi, math.pi)])
def test_bounds_are_kept(bounds):
    oracle = chain()
    result = solve(oracle, 1.7, bounds=[bounds] * 4)
    points = np.concatenate([plan.points for plan in oracle.plans])
    assert np.all((points >= bounds[0]) & (points <= bounds[1]))
    assert np.all((result.x >= bounds[0]) & (result.x <= bounds[1]))
    assert oracle.loss(result.x)[0] < LOWEST + 0.3


@pytest.mark.parametrize("start", [0.5, 1.7])
def test_sigma0_is_the_longest_first_step(start):
    oracle, seen = chain(), []
    solve(oracle, start, sigma0=0.02, callback=lambda nfev, x, *_: seen.append(np.array(x)))
    assert np.abs(seen[0] - start).max() <= 0.02 * (1 + 1e-9)
    moves = np.abs(np.diff([np.full(4, start), *seen], axis=0)).max(axis=1)
    assert moves[:10].max() <= 0.02 * 1.5


@pytest.mark.parametrize("budget", [1000, 10_000, 100_000])
@pytest.mark.parametrize("name", ["ucc_h2", "dev_ucc_h3plus"])
def test_hartree_fock_is_not_left_for_worse(name, budget):
    """Five seeds, exact energies: above the start by at most 1.6 mHa or a tenth of its error."""
    problem = get_problem(name)
    x0 = np.zeros(problem.dim)
    before = problem.energy(x0)[0] - problem.best_energy
    ends = []
    for seed in range(5):
        oracle = ShotOracle(problem, seed)
        result = minimize(oracle, x0, max_shots=budget, seed=seed)
        ends.append(problem.energy(result.x)[0] - problem.best_energy)
        assert ends[-1] <= before + max(1.6e-3, 0.1 * before)
    assert np.median(ends) <= before + 1e-9


@pytest.mark.parametrize(("start", "fails_at"), [(0.3, 2), (0.3, 5), (1.7, 2), (1.7, 60)])
def test_a_run_is_resumed_bit_for_bit(start, fails_at, tmp_path):
    """The service is down in the local phase or in the descent; the checkpoint knows the rest."""
    saved = {"checkpoint": tmp_path / "run", "checkpoint_seconds": 0}
    whole = solve(chain(), start)
    assert len(whole.history) > fails_at
    with pytest.raises(OracleError):
        solve(chain(fails_at=fails_at), start, **saved)
    resumed = solve(chain(seed=9), start, resume=True, **saved)
    np.testing.assert_array_equal(whole.x, resumed.x)
    assert (whole.fun, whole.shots) == (resumed.fun, resumed.shots)
    assert resumed.jobs == whole.jobs  # one that failed before its first shot does not count
    for name in set(whole.history.columns) - {"jobs", "seconds"}:
        np.testing.assert_array_equal(whole.history[name], resumed.history[name])


@pytest.mark.parametrize("plain", [0, 1, 20, 100, 200, 300])
@pytest.mark.parametrize("start", [0.3, 1.7])
def test_a_loss_that_is_not_plain_goes_on_without_plans(start, plain):
    """From x0, with what is left of the budget, and to a comparison with x0 where that is paid."""
    oracle = chain(plain=plain)
    result = solve(oracle, start)
    assert result.success
    assert result.shots == oracle.spent <= 20_000
    spent, phases = result.history["spent"], result.history["phase"].tolist()
    if len(oracle.plans) == plain and spent[plain] < 0.8 * 20_000:
        assert phases[plain + 1] == "inspection of x0"
        assert phases[-1] == "comparison with x0"
        assert oracle.loss(result.x)[0] < oracle.loss(np.full(4, start))[0] + 0.1


def test_plans_can_be_given_up_at_any_moment():
    """Late ones leave less than the first job and the comparison take."""
    jobs = len(solve(chain(), 1.7, 1000).history)
    for plain in range(jobs // 2, jobs):
        oracle = chain(plain=plain)
        result = solve(oracle, 1.7, 1000)
        assert np.isfinite(result.x).all()
        assert result.shots == oracle.spent <= 1000


def test_a_run_that_gave_up_its_plans_is_resumed_without_them(tmp_path):
    saved = {"checkpoint": tmp_path / "run", "checkpoint_seconds": 0}
    whole = solve(chain(plain=3), 1.7)
    with pytest.raises(OracleError):
        solve(chain(plain=3, fails_at=20), 1.7, **saved)
    resumed = solve(chain(plain=0, seed=9), 1.7, resume=True, **saved)
    np.testing.assert_array_equal(whole.x, resumed.x)
    assert whole.shots == resumed.shots


def test_giving_up_plans_keeps_the_trust_radius_and_what_was_spent():
    oracle = chain()
    setup = Setup(
        np.full(4, 1.7), 0.02, 10, make_domain(4), 5000.0, spectra=oracle.spectra,
        circuit=oracle.circuit, evaluation_shots=2, mean_loss=0.5, reports_variances=True,
        max_jobs=50,
    )  # fmt: skip
    method = SpectralShift(setup, np.random.default_rng(0), trust_radius=0.02)
    for _ in range(5):
        batch = method.ask()
        method.tell_groups(batch, oracle.measure(batch.plan))
    spent = method.state.iterate.spent
    method.forget_plans()
    assert method.problem.trust_radius == 0.02
    assert method.state.iterate.spent == spent > 0
    assert method.state.iterate.jobs == 5
    np.testing.assert_array_equal(method.recommendation, setup.start)
    assert method.ask().plan is None


def test_settings_of_a_setup_without_plans():
    """Without a circuit nothing is planned by group, whatever else is known."""
    oracle = chain()
    setup = Setup(np.ones(4), 0.6, 10, make_domain(4), 5000.0, spectra=oracle.spectra)
    method = SpectralShift(replace(setup, mean_loss=0.5), np.random.default_rng(0))
    assert method.state.scatter is None
    assert method.ask().plan is None
