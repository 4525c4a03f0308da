"""What is reported in each phase."""

import math

import numpy as np

from qiskit_arcmaes.shift.diagnostics import COLUMNS

from .losses import method, several_gates, steps

KNOWN = {
    "parameter-shift Adam": {"order": 1.0},
    "gradient surrogate": {"order": 2.0},
    "comparison of starts": {},
}


def test_each_phase_reports_what_it_knows():
    """The report after a job speaks of the next one."""
    run = method(1e5, seed=1, x0=0.1)
    before, seen = run.report(), set()
    for batch in steps(run, several_gates, 1.0):
        assert set(before.diagnostics) == set(COLUMNS)
        for name, value in KNOWN[batch.phase].items():
            assert before.diagnostics[name] == value
        second = batch.phase == "gradient surrogate"
        assert math.isfinite(before.diagnostics["gain"]) == second
        assert before.diagnostics["start"] in range(1, 10)
        assert round(before.next_shots) == batch.shots
        seen.add(batch.phase)
        before = run.report()
    assert seen == set(KNOWN)


def test_the_value_is_that_of_the_last_centre_and_its_error_follows_from_the_noise():
    run = method(1e5)
    for batch in steps(run, lambda points: np.full(len(points), 3.0), 1.0, reported=True):
        report = run.report()
        assert abs(report.value - 3.0) < 6 * report.std  # 6 standard errors, some 400 jobs: 1e-6
        assert report.std <= 1 / math.sqrt(batch.shots) * 1.5
