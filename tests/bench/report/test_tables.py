import numpy as np
import pytest

from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.tables import (
    fit_slope,
    main_methods,
    methods_of,
    ranking,
    scaled_error,
    slopes,
)


def group(problem, method, errors, budget=1000, noise=1.0):
    runs = tuple(range(len(errors)))
    return Group(Condition(problem, 3, noise, budget), method, runs, np.array(errors))


GROUPS = [
    group("function:sphere", "uh", [1.0, 4.0, 9.0]),
    group("function:sphere", "frugal", [0.5, 1.0, 2.0]),
    group("function:trid", "frugal", [16.0, 16.0, 1.0]),
    group("function:trid", "uh", [1.0, 1.0, np.nan]),
]


def test_methods_are_compared_by_the_geometric_mean_of_their_medians():
    found = ranking(GROUPS)
    assert list(found.index) == ["uh", "frugal"]
    assert list(found["mean"]) == pytest.approx([2.0, 4.0])
    assert list(found.wins) == [1, 1]
    assert list(found.conditions) == [2, 2]


def test_only_conditions_that_all_methods_ran_count():
    rows = ranking([*GROUPS, group("function:ellipsoid", "frugal", [1e-9])])
    assert list(rows.conditions) == [2, 2]
    assert ranking([GROUPS[0], GROUPS[2]]).empty


def test_ranks_are_taken_run_by_run_and_tested_against_the_first():
    """Twelve runs of three methods: the second differs in all of them, the third in none."""
    rng = np.random.default_rng(5)
    errors = rng.lognormal(size=12)
    methods = {"frugal": errors, "uh": 2 * errors, "cma": errors}
    groups = [group("h2", name, found.tolist()) for name, found in methods.items()]
    found = ranking(groups)
    assert list(found["rank"][list(methods)]) == [1.5, 3.0, 1.5]
    assert np.isnan(found.chance["cma"])
    assert found.chance["frugal"] == 1.0
    assert found.chance["uh"] == pytest.approx(
        2 * 2 / 2**12
    )  # twice for Holm, twice for both tails


def test_one_run_has_ranks_and_no_test():
    rows = ranking([group("h2", "frugal", [1.0]), group("h2", "uh", [2.0])])
    assert list(rows["rank"]) == [1.0, 2.0]
    assert rows.chance.isna().all()


def test_of_many_methods_frugal_and_the_best_are_drawn():
    errors = {"frugal": 9.0, "uh": 1.0, "cma": 2.0, "spsa@10": 3.0}
    groups = [group("h2", name, [error]) for name, error in errors.items()]
    assert main_methods(groups, 4) == set(errors)
    assert main_methods(groups, 2) == {"frugal", "uh"}


def test_a_run_that_failed_counts_as_infinitely_bad():
    assert group("function:sphere", "frugal", [1.0, np.nan, np.nan]).median == np.inf


def test_our_own_methods_stand_first():
    names = ["spsa@1000", "spsa@100", "uh", "cma@B/1e5", "frugal"]
    assert methods_of([group("h2", name, [1.0]) for name in names]) == [
        "frugal",
        "cma@B/1e5",
        "uh",
        "spsa@100",
        "spsa@1000",
    ]


def test_laws_are_fitted_across_budgets_of_one_place():
    groups = [
        group("function:sphere", "frugal", [100 / b], budget=b) for b in (10**3, 10**4, 10**5)
    ]
    assert list(slopes([*groups, *GROUPS])) == [("function:sphere", 3, 1.0)]
    ((method, law),) = slopes([*groups, *GROUPS])["function:sphere", 3, 1.0].items()
    assert method == "frugal"
    assert law.slope < 0


def test_error_times_budget_needs_a_noise_level():
    assert scaled_error(GROUPS[1]) == 1000.0
    assert scaled_error(group("h2", "frugal", [1.0], noise=None)) is None
    assert scaled_error(group("function:sphere", "frugal", [1.0], noise=0.0)) is None


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
