"""The experiments on the test-bed: one half to develop on, one for the results page."""

from __future__ import annotations

from qiskit_arcmaes.bench.experiments import Changes, Experiment, Grid
from qiskit_arcmaes.bench.function_baselines import methods_at
from qiskit_arcmaes.bench.function_cases import BUDGETS, Case, drawn_cases
from qiskit_arcmaes.bench.function_goals import function_goals
from qiskit_arcmaes.bench.tasks import FUNCTION
from qiskit_arcmaes.bench.testbed import DEVELOPMENT, REPORTING

_RULES = (
    "Functions are split into two halves, and cases are drawn from the grid of function, dimension "
    "(2 to 40), noise (standard deviation of one shot 0, 0.01, 1, 10) and budget (10^3 to 10^7), "
    "by the SHA-256 of their names. Every run draws the function's minimiser and rotations, and "
    "the start, anew.",
    "Methods that do not choose their shots average as many as give a run at most 2·10^4 "
    "evaluations, SPSA and TBPSA 5000, COBYLA 1000, Py-BOBYQA 200 (d = 40) to 1000, because "
    "their runs take minutes otherwise. One shot per evaluation is tried up to 10^5 shots.",
)


def _grid(case: Case) -> Grid:
    return Grid(
        (FUNCTION + case.function,),
        (case.budget,),
        methods_at(case.dim, case.budget),
        (case.dim,),
        (case.tau**2,),
    )


def _experiment(
    name: str, title: str, functions: tuple[str, ...], count: int, runs: int = 5
) -> Experiment:
    problems = tuple(FUNCTION + function for function in functions)
    return Experiment(
        name=name,
        title=title,
        shows=("errors",),
        grids=tuple(map(_grid, drawn_cases(functions, count))),
        runs=runs,
        quick=Changes(runs=1, dims=(5,), budgets=(10**3,), noise=(1.0,), problems=problems[::6]),
        notes=_RULES,
        goals=function_goals(problems, BUDGETS),
    )


FUNCTION_EXPERIMENTS = (
    _experiment(
        "functions-dev", "Functions to develop on: 60 cases of the test-bed", DEVELOPMENT, 60
    ),
    _experiment(
        "functions-page", "Functions never seen before: 200 cases of the test-bed", REPORTING, 200
    ),
    _experiment(
        "functions-part", "Functions never seen before: the first 40 of 200 cases", REPORTING, 40, 2
    ),
)
"""All of them; ``functions-page`` and its part run for the results page only."""
