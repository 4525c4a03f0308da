import numpy as np
import pytest

from qiskit_arcmaes.bench.report.cells import Cell, Place
from qiskit_arcmaes.bench.report.tables import methods_of, ranking, scaled_error, slopes


def cell(problem, method, errors, budget=1000, noise=1.0):
    runs = tuple(range(len(errors)))
    return Cell(Place(problem, 3, noise, budget), method, runs, np.array(errors), None, None, None)


CELLS = [
    cell("function:sphere", "uh", [1.0, 4.0, 9.0]),
    cell("function:sphere", "ar", [0.5, 1.0, 2.0]),
    cell("function:trid", "ar", [16.0, 16.0, 1.0]),
    cell("function:trid", "uh", [1.0, 1.0, np.nan]),
]


def test_methods_are_compared_by_the_geometric_mean_of_their_medians():
    first, second = ranking(CELLS)
    assert (first.method, first.mean, first.wins) == ("uh", pytest.approx(2.0), 1)
    assert (second.method, second.mean, second.wins) == ("ar", pytest.approx(4.0), 1)
    assert first.places == 2


def test_only_places_where_all_methods_ran_count():
    rows = ranking([*CELLS, cell("function:ellipsoid", "ar", [1e-9])])
    assert {row.places for row in rows} == {2}
    assert ranking([CELLS[0], CELLS[2]]) == []


def test_a_run_that_failed_counts_as_infinitely_bad():
    assert cell("function:sphere", "ar", [1.0, np.nan, np.nan]).median == np.inf


def test_our_own_methods_stand_first():
    names = ["spsa@1000", "spsa@100", "uh", "cma@B/1e5", "ar"]
    assert methods_of([cell("h2", name, [1.0]) for name in names]) == [
        "ar",
        "cma@B/1e5",
        "uh",
        "spsa@100",
        "spsa@1000",
    ]


def test_laws_are_fitted_across_budgets_of_one_place():
    cells = [cell("function:sphere", "ar", [100 / b], budget=b) for b in (10**3, 10**4, 10**5)]
    (key, law), *rest = slopes([*cells, *CELLS]).items()
    assert key == ("function:sphere", 3, 1.0, "ar")
    assert law.slope < 0
    assert not rest


def test_error_times_budget_needs_a_noise_level():
    assert scaled_error(CELLS[1]) == 1000.0
    assert scaled_error(cell("h2", "ar", [1.0], noise=None)) is None
    assert scaled_error(cell("function:sphere", "ar", [1.0], noise=0.0)) is None
