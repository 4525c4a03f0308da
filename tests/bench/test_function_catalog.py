"""Which cases of the test-bed run, and with which methods."""

from qiskit_arcmaes.bench.catalog import get_experiment
from qiskit_arcmaes.bench.experiments import resolve_method
from qiskit_arcmaes.bench.function_baselines import methods_at
from qiskit_arcmaes.bench.function_cases import BUDGETS, DIMS, TAUS, drawn_cases
from qiskit_arcmaes.bench.testbed import DEVELOPMENT, REPORTING
from qiskit_arcmaes.registry import METHODS

FIRST = [
    "bbob_schaffers_conditioned/5/10/100000",
    "own_hidden_needle/2/0/1000000",
    "own_rippled_quadratic/5/1/100000",
]


def functions_of(name):
    return {
        problem.removeprefix("function:")
        for grid in get_experiment(name).grids
        for problem in grid.problems
    }


def test_each_experiment_keeps_to_its_half():
    assert functions_of("functions-dev") <= set(DEVELOPMENT)
    assert functions_of("functions-part") <= functions_of("functions-page") <= set(REPORTING)


def test_the_page_has_200_cases_of_five_runs():
    page = get_experiment("functions-page")
    assert len(set(page.grids)) == 200
    assert page.runs == 5
    assert {grid.dims for grid in page.grids} == {(dim,) for dim in DIMS}
    assert {grid.budgets for grid in page.grids} == {(budget,) for budget in BUDGETS}
    assert {grid.noise for grid in page.grids} == {(tau**2,) for tau in TAUS}


def test_the_draw_is_fixed():
    """It was made before any run, and may not change after one."""
    assert [case.key for case in drawn_cases(REPORTING, 3)] == FIRST
    assert drawn_cases(REPORTING, 200)[:60] == drawn_cases(REPORTING, 60)


def test_a_function_that_is_added_leaves_the_order_of_the_others():
    few = drawn_cases(REPORTING[:-1], 100)
    more = [case for case in drawn_cases(REPORTING, 200) if case.function != REPORTING[-1]]
    assert list(few) == more[:100]


def test_all_our_methods_run_everywhere():
    for dim in DIMS:
        for budget in BUDGETS:
            bases = {name.partition(":")[0].partition("@")[0] for name in methods_at(dim, budget)}
            assert set(METHODS) <= bases
            assert {"pycma", "pycma-uh", "cobyla", "spsa", "bobyqa", "tbpsa"} <= bases


def test_one_shot_per_evaluation_only_up_to_1e5():
    for budget in BUDGETS:
        names = [resolve_method(name, budget) for name in methods_at(10, budget)]
        fixed = [int(name.partition("@")[2]) for name in names if "@" in name]
        assert (1 in fixed) == (budget <= 10**5)
        if budget > 10**5:
            assert min(fixed) * 2 * 10**4 >= budget


def test_the_part_is_the_first_fifth_of_the_page():
    part = get_experiment("functions-part")
    assert part.grids == get_experiment("functions-page").grids[:40]
    assert part.runs == 2
