"""What a run says through logging."""

import logging

import pytest

from qiskit_arcmaes import GaussianOracle, ShotFrugal, get_function, minimize
from qiskit_arcmaes.primitives.retry import RetryPolicy


def sphere():
    return GaussianOracle(get_function("sphere", 3), seed=1)


@pytest.mark.parametrize("front", ["minimize", "class"])
def test_one_line_per_job_and_one_at_the_end(caplog, front):
    with caplog.at_level(logging.INFO, "qiskit_arcmaes"):
        if front == "minimize":
            result = minimize(sphere(), [1.0] * 3, max_shots=5000, seed=1)
        else:
            result = ShotFrugal(5000, seed=1).minimize(sphere(), [1.0] * 3)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == len(result.history) + 1
    assert lines[0].startswith("frugal, job 1 (noise calibration): ")
    assert lines[-1].startswith("frugal: The shot budget is used")
    assert {record.name for record in caplog.records} == {"qiskit_arcmaes"}


def test_silence_by_default(capsys):
    minimize(sphere(), [1.0] * 3, max_shots=2000, seed=1)
    assert capsys.readouterr() == ("", "")


def test_a_failed_try_is_a_warning(caplog):
    tries = []

    def submit():
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError("gone")
        return Job()

    class Job:
        def result(self):
            return 1

    RetryPolicy(sleep=lambda _: None).deliver(submit, lambda _: None, lambda: None)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "try 1 of a job failed with ConnectionError('gone'); 2 further tries" in caplog.text
