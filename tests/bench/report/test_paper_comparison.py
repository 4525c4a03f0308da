"""Ours beside the paper's, from a real sweep without noise at the paper's budget."""

import numpy as np
import pytest

from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.paper import REASONS
from qiskit_arcmaes.bench.report.groups import Condition, Group, groups_of
from qiskit_arcmaes.bench.report.numbers import short
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.runner import run_sweep


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    grid = Grid(("function:sphere",), (10**4,), ("ar-paper", "cma"), dims=(20,), noise=(0.0,))
    demo = Experiment("noiseless", "Without noise", ("errors", "paper"), (grid,), runs=2)
    return groups_of(run_sweep(demo, tmp_path_factory.mktemp("beside") / "sweep"))


def test_the_table_has_the_papers_numbers_and_ours(groups):
    (table,) = compare_with_paper(groups)
    assert table.above[2].startswith(REASONS["noiseless"])
    assert table.head == ["function", "AR-CMA-ES (paper)", "ar-paper", "CMA-ES (paper)", "cma"]
    ((name, theirs, ours, theirs_plain, _),) = table.rows
    assert (name, theirs) == ("sphere", "1.2·10⁻⁵ ± 6.9·10⁻⁶")
    assert theirs_plain == "1.8·10⁻⁶ ± 1.3·10⁻⁶"
    errors = next(group.errors for group in groups if group.method == "ar-paper")
    assert ours == f"{short(np.mean(errors))} ± {short(np.std(errors, ddof=1))}"


def condition(problem="function:sphere", dim=20, noise=1.0, budget=10**7):
    return Condition(problem, dim, noise, budget)


def made(method, where, errors, seconds=None):
    return Group(where, method, tuple(range(len(errors))), np.array(errors), seconds=seconds)


def test_another_dimension_or_noise_or_problem_is_not_set_against_it():
    for where in (condition(dim=10), condition(noise=10.0), condition("function:rosenbrock")):
        assert not [
            t for t in compare_with_paper([made("ar", where, [1.0])]) if t.head[0] == "function"
        ]


def test_another_budget_is_said_in_the_title():
    titles = [
        table.above[0] for table in compare_with_paper([made("cma@B/1e5", condition(), [1.0], 2.0)])
    ]
    assert "### Errors under noise, τ² = 1: the paper at 10⁹, ours at 10⁷ shots" in titles
    assert "### Seconds for a run: the paper at 10⁷, ours at 10⁷ shots" in titles


def test_shares_are_counted_over_all_functions_and_noise_levels():
    groups = [
        made("uh", condition(), [1e-5, 1.0]),
        made("uh", condition(noise=100.0), [1e-5, 1.0, 1.0]),
    ]
    table = compare_with_paper(groups)[-1]
    assert table.rows == [["10⁷ shots, error ≤ 4·10⁻⁵", "UH-CMA-ES: 9%", "uh: 40% of 5 runs"]]
