"""Several starts of ``ar``: how many, what each may spend, and which one is continued."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import minimize
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.engine import checkpoint
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.restarts import (
    COMPARISON,
    RestartedReevaluation,
    RestartState,
    count_starts,
    draw_start,
)

SETUP = Setup(np.full(2, 3.0), 0.5, 12, make_domain(2, None, True), 48_000.0, noise=0.1)


def waves(points):
    """Minimum -1.6 d at zero; local minima near pi."""
    return -np.sum(np.cos(points) + 0.6 * np.cos(2 * points), axis=1)


def told(method, rng):
    batch = method.ask()
    noise = 0.1 / np.sqrt(batch.shots) * rng.standard_normal(len(batch.points))
    method.tell(batch, Estimate(waves(batch.points) + noise))
    return batch


@pytest.mark.parametrize(
    ("changes", "starts"),
    [
        ({}, 4),
        ({"budget": 24_000.0}, 2),  # half of it are 2 times 5 G generations of 12 points, G = 100
        ({"budget": 12_000.0}, 1),
        ({"budget": 24_000.0, "overhead": 1.0}, 1),
        ({"restarts": 0}, 1),
        ({"restarts": 2}, 3),
        ({"trust_radius": 0.5}, 1),
        ({"trust_radius": 0.5, "restarts": 1}, 2),
        ({"domain": make_domain(2)}, 1),
        ({"domain": make_domain(2), "angles": True}, 4),
        ({"domain": make_domain(2, [(0, 1), (0, 4)]), "angles": True}, 1),
        ({"domain": make_domain(2, None, [True, False])}, 1),
    ],
)
def test_as_many_starts_as_the_budget_pays_and_the_user_wants(changes, starts):
    setup = replace(SETUP, **changes)
    assert count_starts(setup) == starts
    method = METHODS["ar"].build(setup, np.random.default_rng(1))
    assert isinstance(method, RestartedReevaluation if starts > 1 else AdaptiveReevaluation)


def test_starts_are_drawn_from_one_period():
    setup = replace(SETUP, domain=make_domain(2, [(1.0, 4.0), (None, None)], [3.0, 2.0]))
    drawn = np.array([draw_start(setup, np.random.default_rng(seed)) for seed in range(200)])
    assert np.all(drawn >= [1.0, -1.0])
    assert np.all(drawn <= [4.0, 1.0])
    np.testing.assert_allclose(drawn.mean(axis=0), [2.5, 0.0], atol=0.3)


def test_half_of_the_budget_explores_and_the_best_end_goes_on():
    method = RestartedReevaluation(SETUP, np.random.default_rng(1), 4)
    rng, spent = np.random.default_rng(2), 0
    while (batch := told(method, rng)).phase != COMPARISON:
        spent += len(batch.points) * batch.shots
        best = method.state.ends and min(waves(np.stack([e.point for e in method.state.ends])))
    assert 0.47 * SETUP.budget < spent <= 0.5 * SETUP.budget
    assert batch.points.shape == (4, 2)
    assert batch.shots == 600  # 5% of the budget for four points
    np.testing.assert_allclose(waves(method.recommendation[None])[0], best, atol=0.02)
    assert method.state.ends == []
    for _ in range(20):
        assert told(method, rng).phase == AdaptiveReevaluation.phase


def test_where_no_end_has_a_value_the_first_goes_on():
    method = RestartedReevaluation(SETUP, np.random.default_rng(1), 2)
    rng = np.random.default_rng(2)
    while (batch := method.ask()).phase != COMPARISON:
        told(method, rng)
    method.tell(batch, Estimate(np.full(2, np.nan)))
    np.testing.assert_array_equal(method.recommendation, batch.points[0])


@pytest.mark.parametrize("jobs", [3, 400, 1200])
def test_a_restored_run_goes_on_bit_for_bit(tmp_path, jobs):
    """In the first start, in a later one, after the choice."""
    method, rng = (
        RestartedReevaluation(SETUP, np.random.default_rng(1), 4),
        np.random.default_rng(2),
    )
    for _ in range(jobs):
        told(method, rng)
    checkpoint.save(tmp_path / "run", {"method": method.state})
    data = checkpoint.load(tmp_path / "run")["method"]
    other = RestartedReevaluation(SETUP, np.random.default_rng(9), 4)
    other.restore(checkpoint.rebuild(RestartState, data))
    same = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(600):
        left, right = told(method, same[0]), told(other, same[1])
        np.testing.assert_array_equal(left.points, right.points)
        assert left.shots == right.shots
    np.testing.assert_array_equal(method.recommendation, other.recommendation)


def test_a_local_minimum_is_left_and_the_result_says_how():
    """From the local minimum (pi, pi); one start stays there on fixed seeds."""
    rng = np.random.default_rng(3)

    def noisy(points, shots):
        return waves(points) + 0.1 / np.sqrt(shots) * rng.standard_normal(len(points))

    found = {
        restarts: minimize(
            noisy,
            np.full(2, np.pi),
            max_shots=60_000,
            method="ar",
            periodic=True,
            restarts=restarts,
            vectorized=True,
            seed=1,
        )
        for restarts in (0, 3)
    }
    assert waves(found[3].x[None])[0] < -3.15
    assert "comparison of starts" in found[3].algorithm
    assert "comparison of starts" not in found[0].algorithm
