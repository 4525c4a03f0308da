import numpy as np
import pytest

from qiskit_arcmaes.bench.report.slopes import fit_slope

BUDGETS = (10**3, 10**4, 10**5, 10**6)


def errors_of(slope, runs, spread, seed):
    rng = np.random.default_rng(seed)
    return {
        budget: {run: 5.0 * budget**slope * np.exp(spread * rng.normal()) for run in range(runs)}
        for budget in BUDGETS
    }


def test_a_power_law_without_scatter_is_found_exactly():
    law = fit_slope(errors_of(-0.5, 3, 0.0, seed=1))
    assert law.slope == pytest.approx(-0.5, abs=1e-12)
    assert law.deviation == pytest.approx(0.0, abs=1e-12)


def test_the_error_bar_covers_the_truth_as_often_as_it_should():
    """200 laws of 20 runs: |slope - truth| < 2.093 errors (t, 19) in 95 %.

    Fewer than 178 of 200 have it with a probability of 2e-4, all with 4e-5 (binomial).
    """
    laws = [fit_slope(errors_of(-1.0, 20, 0.5, seed)) for seed in range(200)]
    inside = sum(abs(law.slope + 1.0) < 2.093 * law.deviation for law in laws)
    assert 178 <= inside <= 199


def test_runs_that_are_missing_or_exact_at_a_budget_are_left_out():
    errors = errors_of(-1.0, 4, 0.0, seed=1)
    del errors[10**4][0]
    errors[10**5][1] = 0.0
    errors[10**6][2] = float("nan")
    law = fit_slope(errors)
    assert law.runs == 1
    assert np.isnan(law.deviation)


def test_one_budget_makes_no_law():
    assert fit_slope({100: {0: 1.0}}) is None
    assert fit_slope({}) is None
    assert fit_slope({100: {0: 1.0}, 1000: {1: 0.1}}) is None
