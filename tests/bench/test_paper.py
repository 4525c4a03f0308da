"""The paper's numbers: complete, and spot by spot those that it prints."""

from collections import Counter

import pytest

from qiskit_arcmaes.bench.baselines import SOLVERS
from qiskit_arcmaes.bench.method_names import base_name
from qiskit_arcmaes.bench.paper import ERRORS, OURS, REASONS, SHARES, TIMES
from qiskit_arcmaes.functions import FUNCTIONS


def find(rows, table, problem, method):
    (row,) = [r for r in rows if (r.table, r.problem, r.method) == (table, problem, method)]
    return row


def test_every_table_is_complete():
    counts = Counter(row.table for row in (*ERRORS, *TIMES))
    assert counts == {
        "noiseless": 10 * 2,
        "noisy": 10 * 2,
        "nonsmooth-noiseless": 4 * 2,
        "nonsmooth-noisy": 4 * 6,
        "times": 10 * 6,
    }
    assert set(REASONS) == {*counts, "shares"}


def test_all_functions_and_methods_are_known_here():
    assert {row.problem for row in (*ERRORS, *TIMES)} == set(FUNCTIONS)
    ours = {method for methods in OURS.values() for method in methods}
    assert ours <= set(SOLVERS)
    assert all(base_name(method) == method for method in ours)


@pytest.mark.parametrize(
    ("rows", "table", "problem", "method", "mean", "spread", "budget"),
    [
        (ERRORS, "noiseless", "trid", "CMA-ES", 1.46e-11, 1.77e-11, 10**5),
        (ERRORS, "noiseless", "schwefel02", "AR-CMA-ES", 3.96e-3, 2.95e-3, 10**4),
        (ERRORS, "noisy", "rastrigin", "AR-CMA-ES", 1.24, 0.85, 10**9),
        (ERRORS, "noisy", "cosine_mixture", "CMA-ES", 1.98e-5, 5.82e-5, 10**9),
        (ERRORS, "nonsmooth-noiseless", "griewank_nonsmooth", "CMA-ES", 3.62e-7, 1.33e-7, 10**9),
        (ERRORS, "nonsmooth-noisy", "nesterov_f1", "LRA-CMA-ES", 6.12e-2, 1.12e-2, 10**9),
        (ERRORS, "nonsmooth-noisy", "sum_absolute", "PSA-CMA-ES", 1.66e-3, 7.11e-4, 10**9),
        (TIMES, "times", "bohachevsky", "LRA-CMA-ES", 52.8, 3.35, 10**7),
        (TIMES, "times", "trid", "UH-CMA-ES", 23.2, 1.07, 10**7),
    ],
)
def test_spot_checks(rows, table, problem, method, mean, spread, budget):
    row = find(rows, table, problem, method)
    assert (row.mean, row.spread, row.budget) == (mean, spread, budget)


def test_shares_of_the_text():
    told = {(share.budget, share.target, share.method): share.share for share in SHARES}
    assert told[10**7, 4e-5, "AR-CMA-ES"] == 0.27
    assert told[10**7, 4e-5, "LRA-CMA-ES"] == 0.14
    assert told[10**9, 4e-7, "UH-CMA-ES"] == 0.10
    assert told[10**9, 1e-5, "UH-CMA-ES"] == 0.60
    assert len(told) == len(SHARES) == 14
