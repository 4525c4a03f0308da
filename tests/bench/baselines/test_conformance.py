"""What every solver keeps to, ours and all others."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from qiskit_algorithms.utils import algorithm_globals

from qiskit_arcmaes import GaussianOracle, get_function
from qiskit_arcmaes.bench.baselines import CouldNotStart, Start, incompatibility, solver_for
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

from .instances import (
    H2_OPTIONS,
    H2_START,
    NAMES,
    SPHERE_START,
    Recorder,
    h2,
    h2_error,
    instance,
    solve,
    sphere,
)

pytestmark = pytest.mark.parametrize("name", NAMES)


@settings(max_examples=5, deadline=None)
@given(budget=st.integers(1, 6000))
@example(budget=1)
@example(budget=2)
@example(budget=30)
def test_budget_is_kept_and_what_comes_back_is_a_point_of_its_own(name, budget):
    oracle, start = instance(name, budget)
    try:
        recommendation = solve(name, oracle, start)
    except CouldNotStart:
        assert oracle.notes == []
    else:
        assert recommendation.x.shape == start.x0.shape
        assert np.isfinite(recommendation.x).all()
        assert recommendation.message
        assert oracle.notes  # a step was made: the start itself is nobody's recommendation
    assert 0 <= oracle.spent <= budget
    shots = [spent for spent, _ in oracle.notes]
    assert shots == sorted(shots)
    assert all(spent <= oracle.spent for spent in shots)


@pytest.mark.parametrize("budget", [1, 5])
def test_a_budget_that_pays_no_step_is_said_and_not_scored(name, budget):
    if (name, budget) == ("cobyla-tutorial", 5):
        pytest.skip("five shots pay its simplex and a step in three dimensions")
    with pytest.raises(CouldNotStart, match=str(budget)):
        solve(name, *instance(name, budget))


def test_shots_and_jobs_are_what_the_oracle_counted(name):
    oracle, start = instance(name, 5000)
    recorder = Recorder(oracle._oracle)
    watched = BudgetOracle(recorder, 5000, recorder if oracle.ansatz else None)
    if name.startswith("qnspsa"):
        pytest.skip("fidelities are not evaluations: counted in their own test")
    solve(name, watched, start)
    assert watched.spent == recorder.counted == oracle._oracle.spent
    assert watched.jobs == len(recorder.points) > 0


def test_same_seed_same_answer_whatever_happened_before(name):
    recommendations = []
    for disturbance in (1, 2):
        np.random.seed(disturbance)  # noqa: NPY002
        algorithm_globals.random_seed = disturbance
        oracle, start = instance(name, 2000)
        recommendation = solve(name, oracle, start)
        recommendations.append((recommendation.x, recommendation.value, oracle.spent, oracle.jobs))
    (x, *rest), (again, *rest_again) = recommendations
    np.testing.assert_array_equal(x, again)
    assert rest == rest_again


def test_generators_of_the_process_are_left_as_they_were(name):
    algorithm_globals.random_seed = 17
    np.random.seed(17)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    solve(name, *instance(name, 2000))
    assert algorithm_globals.random_seed == 17
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_bounds_hold_for_every_point_and_for_the_answer(name):
    bounds = [(0.5, 3.0), (-3.0, -0.5), (0.8, 1.2)]  # the optimum at 0 lies outside
    recorder = Recorder(GaussianOracle(get_function("sphere", 3), tau=0.01, seed=1))
    oracle = BudgetOracle(recorder, 3000)
    if incompatibility(name, oracle) is not None:
        pytest.skip("works on circuits only, whose angles have no bounds")
    recommendation = solve(name, oracle, Start(SPHERE_START, 0.3, bounds))
    lower, upper = np.array(bounds).T
    points = np.concatenate(recorder.points)
    assert np.all((points >= lower) & (points <= upper))
    assert np.all((recommendation.x >= lower) & (recommendation.x <= upper))


def test_the_start_is_not_changed(name):
    oracle, start = instance(name, 2000)
    before = start.x0.copy()
    solve(name, oracle, start)
    np.testing.assert_array_equal(start.x0, before)


def test_the_last_note_is_the_answer(name):
    oracle, start = instance(name, 6000)
    recommendation = solve(name, oracle, start)
    assert len(oracle.notes) > 1
    np.testing.assert_array_equal(oracle.notes[-1][1], recommendation.x)


def test_a_nearly_noiseless_sphere_gets_much_smaller(name):
    # Start 7.25, noise 0.01 a shot. Seeds are fixed, so it passes always or never: on eight other
    # seeds the worst run of all solvers ended at 0.0073, a fourteenth of the limit.
    oracle, start = sphere(30_000)
    if incompatibility(name, oracle) is not None:
        pytest.skip("works on circuits only")
    assert np.sum(solve(name, oracle, start).x ** 2) < 0.1


def test_h2_gets_at_least_half_as_bad(name):
    # Seeds are fixed, so it passes always or never. On eight other seeds the worst run of all
    # solvers ended at 0.16, that of pycma-uh at 1.4: its step size may run away, which is its own.
    oracle, start = h2(100_000)
    base = name.partition(":")[0].partition("@")[0]
    recommendation = solve(H2_OPTIONS.get(base, base), oracle, start)
    assert h2_error(recommendation.x) < 0.5 * h2_error(H2_START)


def test_angles_do_not_run_away(name):
    # A flat loss of pure noise: what an uncertain strategy makes of it stays within some turns.
    recorder = Recorder(GaussianOracle(lambda points: np.zeros(len(points)), seed=2))
    recorder.angles = True
    oracle = BudgetOracle(recorder, 20_000)
    if incompatibility(name, oracle) is not None or not isinstance(solver_for(name), PackageMethod):
        pytest.skip("only our own methods promise it")
    solve(name, oracle, Start(SPHERE_START, 0.6, angles=True))
    assert np.abs(np.concatenate(recorder.points)).max() <= np.pi
