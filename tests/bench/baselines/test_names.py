"""Solvers are found by name, and refuse what they cannot do."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function
from qiskit_arcmaes.bench.baselines import (
    SOLVERS,
    CouldNotStart,
    Start,
    incompatibility,
    solver_for,
)
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.problems import get_problem

from .instances import sphere


@pytest.mark.parametrize("name", SOLVERS)
def test_every_name_makes_a_solver_that_keeps_its_name(name):
    assert solver_for(name).name == name


def test_options_are_read():
    solver = solver_for("cma:20@300")
    assert (solver.popsize, solver.shots) == (20, 300)
    assert solver_for("uh").popsize == 100
    assert solver_for("uh:auto").popsize is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("simplex", "no solver 'simplex'"),
        ("spsa@", "no solver"),
        ("spsa@-1", "no solver"),
        ("spsa@0", "shots must be at least 1"),
        ("icans@100", "'icans' has no shots"),
        ("spsa:20@100", "'spsa' has no popsize"),
        ("nft@10%jobs=3", "'nft' cannot limit its jobs"),
        ("nft@10%jobs", "must end in %weighted or %jobs=N"),
        ("nft@10%heavy", "must end in %weighted or %jobs=N"),
    ],
)
def test_wrong_names_are_refused(name, words):
    with pytest.raises(ValueError, match=words):
        solver_for(name)


@pytest.mark.parametrize(
    ("problem", "excluded"),
    [
        ("h2", {"excitation-solve"}),
        ("maxcut8", {"nft", "icans", "gcans", "excitation-solve"}),
        (
            None,
            {
                *("nft", "icans", "gcans", "adam-pairs", "adam-pairs-starts", "qnspsa"),
                *("adam-60", "adam-250", "adam-1000", "adam-starts", "rosalin", "rosalin-gcans"),
                *("sequential", "excitation-solve", "santaqlaus"),
            },
        ),
    ],
)
def test_what_does_not_apply_says_so(problem, excluded):
    oracle = BudgetOracle(GaussianOracle(get_function("sphere", 2)), 100)
    if problem is not None:
        oracle = budgeted(get_problem(problem), 100)
    found = {name for name in SOLVERS if incompatibility(name, oracle) is not None}
    assert found == excluded


def test_cans_refuse_a_black_box():
    oracle, start = sphere(1000)
    with pytest.raises(TypeError, match="needs an observable"):
        solver_for("icans").solve(oracle, start, 1)


def test_population_sizes_reach_the_packages():
    oracle, start = sphere(1000)
    solver_for("pycma:40@1").solve(oracle, start, 1)
    assert oracle.jobs == 25
    assert oracle.spent == 1000
    assert np.isfinite(start.x0).all()


def test_a_package_that_is_not_installed_is_named_and_nothing_runs(monkeypatch):
    family = replace(SOLVERS["bobyqa"], package=("no-such-package", "no_such_package"))
    monkeypatch.setitem(SOLVERS, "bobyqa", family)
    oracle = BudgetOracle(GaussianOracle(get_function("sphere", 2)), 1000)
    with pytest.raises(CouldNotStart, match="pip install no-such-package"):
        solver_for("bobyqa@10").solve(oracle, Start(np.ones(2), 0.1), 1)
    assert oracle.spent == 0
