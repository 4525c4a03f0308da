"""Runs that stop when they are good enough: ``target`` and ``target_std``."""

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, Stop, get_function, minimize
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.targets import Targets
from qiskit_arcmaes.problems import get_problem

BUDGET = 200_000


def run(known_noise=True, start=2.0, **arguments):
    oracle = GaussianOracle(get_function("sphere", 3), seed=1, known_noise=known_noise)
    given = {"max_shots": BUDGET, "seed": 2, **arguments}
    return minimize(oracle, np.full(3, start), **given)


def history(values, std=0.01, spent=None):
    table = History()
    for job, value in enumerate(values):
        at = float(job + 1) if spent is None else spent[job]
        table.append({"spent": at, "value": value, "value_std": std})
    return table


@pytest.mark.parametrize("method", ["frugal", "ar", "cma"])
def test_a_run_ends_once_its_value_is_known_to_be_below_the_target(method):
    """From 12 to 0.5; deterministic for the seed."""
    result = run(method=method, target=0.5)
    assert result.stop is Stop.TARGET
    assert result.success
    assert result.shots < BUDGET / 2
    last = result.history[-1:]
    assert last["value"][0] + 2 * last["value_std"][0] <= 0.5
    assert result.message.startswith(f"{Stop.TARGET.value}, which the last estimate confirms; ")
    assert result.fun < 0.5


def test_a_target_that_is_out_of_reach_ends_with_the_budget():
    assert run(target=-5.0, max_shots=5000).stop is Stop.BUDGET


def test_a_target_that_the_last_estimate_does_not_confirm_is_told():
    class Lucky(GaussianOracle):
        """Low values in the run, the truth at its end."""

        def evaluate(self, points, shots):
            estimate = super().evaluate(points, shots)
            if len(points) > 1:
                estimate.values[:] -= 100.0
            return estimate

    oracle = Lucky(get_function("sphere", 3), seed=1, known_noise=True)
    result = minimize(oracle, np.ones(3), max_shots=5000, target=-50.0, method="cma", seed=1)
    assert "which the last estimate does not confirm; " in result.message


@pytest.mark.parametrize("target_std", [0.02, 0.005])
def test_fun_is_known_to_target_std(target_std):
    result = run(target_std=target_std)
    assert 0.5 * target_std < result.fun_std <= target_std
    assert result.shots < BUDGET


def test_without_variances_a_second_job_adds_what_is_missing():
    """Deterministic for the seed; 15 degrees of freedom know the standard error to a fifth."""
    result = run(False, target_std=0.02, final_shots=500)
    assert result.jobs == len(result.history) + 2
    assert 0.01 < result.fun_std <= 0.03
    assert result.shots < BUDGET


def test_tau_sizes_the_last_estimate():
    result = run(False, target_std=0.02, tau=1.0)
    assert result.fun_std == pytest.approx(0.02, rel=0.5)


def test_a_run_stops_when_it_gains_no_more():
    result = run(target_std=0.02)
    assert result.stop is Stop.TARGET_STD
    assert result.success
    assert result.shots < BUDGET / 2
    assert np.sum(result.x**2) < 0.02
    assert "fell below target_std; " in result.message


def test_on_a_circuit():
    oracle = ShotOracle(get_problem("h2"), seed=1)
    result = minimize(oracle, [0.4] * 4, max_shots=10**6, target_std=0.01, seed=1)
    assert result.fun_std <= 0.01
    assert result.shots < 10**6


def test_a_standard_error_that_the_budget_does_not_pay_takes_half_of_it():
    result = run(target_std=1e-6, max_shots=20_000)
    assert result.stop is Stop.BUDGET
    assert result.shots > 19_900
    assert result.history["spent"][-1] > 6000
    assert result.fun_std > 1e-6


def test_jobs_are_counted():
    result = run(False, target_std=0.01, max_jobs=12, method="cma")
    assert result.jobs <= 12


@pytest.mark.parametrize("arguments", [{"target": 0.5}, {"target_std": 0.02}])
@pytest.mark.parametrize("known_noise", [True, False])
def test_a_finished_run_is_resumed_as_it_ended(arguments, known_noise, tmp_path):
    path = tmp_path / "run"
    first = run(known_noise, checkpoint=path, **arguments)
    second = run(known_noise, checkpoint=path, resume=True, **arguments)
    assert (first.fun, first.fun_std, first.shots) == (second.fun, second.fun_std, second.shots)
    assert first.stop is second.stop


def test_a_falling_value_goes_on_and_a_level_one_ends():
    shots = np.arange(1.0, 97.0)
    falling = 10 / shots  # 0.1 is left at the end, and 0.16 seen between the quarters
    assert Targets(std=0.2).reached(history(falling), 100) is Stop.TARGET_STD
    assert Targets(std=0.1).reached(history(falling), 100) is None
    level = 5 + 0.05 * np.random.default_rng(1).normal(size=96)
    assert Targets(std=0.1).reached(history(level), 100) is Stop.TARGET_STD


def test_when_nothing_is_concluded():
    level = [5.0] * 96
    assert Targets(std=0.1).reached(History(), 100) is None
    assert Targets().reached(history(level), 100) is None
    assert Targets(std=0.1).reached(history(level), 2000) is None  # 5% of the budget
    assert Targets(std=0.1).reached(history(level, std=0.2), 100) is None
    assert Targets(std=0.1).reached(history(level, std=np.nan), 100) is None
    few = history([5.0, 5.0, 5.0], spent=[1.0, 2.0, 9.0])  # no job in the second quarter
    assert Targets(std=0.1).reached(few, 10) is None
    assert Targets(std=0.1).reached(history([np.nan] * 96), 100) is None
    assert Targets(value=5.1).reached(history([np.nan], std=np.nan), 100) is None
    assert Targets(value=5.1).reached(history([5.0], std=0.1), 100) is None
    assert Targets(value=5.1).reached(history([5.0], std=0.04), 100) is Stop.TARGET
