"""The script that compares clients at equal shots keeps budgets and scores what came back."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.problems import get_problem

BENCH = Path(__file__).parents[2] / "bench"
H2_MINIMUM = -1.8573


@pytest.fixture(scope="module")
def script():
    """bench/clients.py as a module; it sets the threads of libraries by environment variables."""
    names = ("clients", "_client_solvers", "_common")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(variable, "1")
        patch.syspath_prepend(str(BENCH))
        yield importlib.import_module("clients")
    for name in names:
        sys.modules.pop(name, None)


def test_every_optimizer_that_a_client_names_is_there(script):
    known = {*script.OURS, *script.THEIRS, "COBYLA", "SLSQP"}
    for client in script.clients(data=3).values():
        assert {client.usual, *client.others, *client.ours} <= known


@pytest.mark.parametrize("choice", ["COBYLA", "scipy_method"])
def test_scipy_within_its_budget(script, choice):
    """Scores are means of 10^5 shots: 0.02 is more than ten standard errors."""
    client = replace(script.clients(data=3)["scipy, IBM's VQE"], budget=9_000)
    value, shots = script.score(client, choice, 5)
    assert 0 < shots <= 9_000
    assert value > H2_MINIMUM - 0.02
    assert (value, shots) == script.score(client, choice, 5)


def test_a_budget_that_ends_a_run_leaves_the_best_point_seen(script):
    problem, estimator, seen = get_problem("h2"), ShotEstimator(seed=1), {}

    def loss(x):
        pub = (problem.ansatz, problem.operator, x)
        value = float(estimator.run([pub]).result()[0].data.evs)
        seen[value] = x
        return value

    run = script.usual("COBYLA", 20_000, [estimator])
    found = run(loss, np.full(problem.dim, 0.5))
    price = estimator.ledger.shots / len(seen)
    assert 20_000 - price < estimator.ledger.shots <= 20_000
    assert found.nfev == len(seen)
    assert found.fun == min(seen)
    assert (found.x == seen[found.fun]).all()


def test_an_optimizer_that_was_not_called_has_no_score(script):
    client = replace(
        script.clients(data=3)["scipy, counts"], run=lambda primitives, optimizer, rng: None
    )
    with pytest.raises(RuntimeError, match="did not call its optimizer"):
        script.score(client, "COBYLA", 1)
