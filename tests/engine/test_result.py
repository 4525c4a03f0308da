"""The result: what ran in words, how it ended, how sure it is."""

import dataclasses

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, History, OracleError, Stop, get_function, minimize
from qiskit_arcmaes.engine.result import describe_algorithm


def solve(method="cma", oracle=None, **arguments):
    oracle = oracle or GaussianOracle(get_function("sphere", 3), seed=1)
    return minimize(
        oracle, np.ones(3), **{"max_shots": 2000, "method": method, "seed": 1, **arguments}
    )


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        ([], "nothing ran"),
        (["CMA-ES"], "CMA-ES"),
        (["a", "a", "b", "b"], "a, then b"),
        (["a", "b", "a", "c", "b"], "a, then b, then c"),
    ],
)
def test_the_phases_in_the_order_in_which_they_first_came(phases, words):
    history = History()
    for phase in phases:
        history.append({"phase": phase})
    assert describe_algorithm(history) == words


def test_every_reason_has_a_number_and_a_sentence_of_its_own():
    assert Stop.BUDGET.code == 0
    assert len({stop.code for stop in Stop}) == len(Stop)
    assert all(stop.value[0].isupper() and stop.value[-1] != "." for stop in Stop)
    failed = {Stop.FAILED, Stop.INTERRUPTED, Stop.ERROR}
    assert {stop for stop in Stop if not stop.success} == failed


@pytest.mark.parametrize(
    ("arguments", "stop"),
    [
        ({}, Stop.BUDGET),
        ({"maxiter": 3}, Stop.ITERATIONS),
        ({"max_jobs": 4}, Stop.JOBS),
        ({"max_seconds": 1e-9}, Stop.SECONDS),
        ({"callback": lambda *_: True}, Stop.CALLBACK),
    ],
)
def test_an_end_as_planned_is_a_success(arguments, stop):
    result = solve(**arguments)
    assert result.stop is stop
    assert result.success is True
    assert result.status == stop.code
    assert result.message.startswith(f"{stop.value}; {result.shots:,} of 2,000 shots spent, ")
    assert result.message.endswith(f"{2000 - result.shots:,} left.")


def test_an_interrupt_is_no_success():
    def callback(*_):
        raise KeyboardInterrupt

    result = solve(callback=callback)
    assert result.stop is Stop.INTERRUPTED
    assert result.success is False
    assert result.status == Stop.INTERRUPTED.code
    assert result.nit == len(result.history) == 1


def test_a_failure_is_no_success_and_its_result_rides_on_the_error():
    class Breaks(GaussianOracle):
        def evaluate(self, points, shots):
            if self.spent > 500:
                raise ConnectionError("gone")
            return super().evaluate(points, shots)

    with pytest.raises(OracleError) as caught:
        solve(oracle=Breaks(get_function("sphere", 3), seed=1))
    result = caught.value.result
    assert result.stop is Stop.FAILED
    assert result.success is False
    assert result.algorithm == "CMA-ES with fixed shots"
    assert np.isnan(result.fun)


def test_method_is_what_was_asked_and_algorithm_what_ran():
    result = solve("ar")
    assert result.method == "ar"
    assert result.algorithm == describe_algorithm(result.history)
    assert result.algorithm.startswith("noise calibration, then AR-CMA-ES")


def test_text_and_table_say_value_cost_and_algorithm():
    result = solve("lra")
    for text in (repr(result), result._repr_html_()):
        assert f"{result.fun:.6g} ± {result.fun_std:.2g}" in text
        assert f"{result.shots:,}" in text
        assert result.algorithm in text
        assert result.message in text
    assert "lra: CMA-ES with learning rate adaptation" in repr(result)


def test_the_interval_is_students_around_fun():
    """15 degrees of freedom: the two-sided 95% quantile is 2.1314."""
    result = dataclasses.replace(solve(), fun=1.0, fun_std=0.5, fun_freedom=15)
    assert result.interval() == pytest.approx((1 - 0.5 * 2.1314, 1 + 0.5 * 2.1314), abs=1e-4)
    normal = dataclasses.replace(result, fun_freedom=np.inf)
    assert normal.interval() == pytest.approx((1 - 0.98, 1 + 0.98), abs=1e-3)
    for level in (0, 1, -0.5, np.nan):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            result.interval(level)
