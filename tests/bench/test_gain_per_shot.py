import numpy as np
import pytest

from qiskit_arcmaes.bench.gain_per_shot import SHOWN, TABLE
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.tasks import EFFICIENCY, Task

TASK = Task("efficiency", "function:sphere", 10, 1.0, 10**7, EFFICIENCY, 0)


@pytest.fixture(scope="module")
def rows():
    return run_task(TASK, 1).tables[TABLE]


def curve(rows, kind, number=-1):
    chosen = [row for row in rows if row["kind"] == kind and row["simulation"] == number]
    return np.array([row["shots"] for row in chosen]), np.array(
        [row["efficiency"] for row in chosen]
    )


def test_the_bound_bounds_and_its_best_m_is_the_larger(rows):
    """The paper's two claims about its figure 1."""
    shots, bound = curve(rows, "bound")
    same, mean = curve(rows, "mean")
    assert np.array_equal(shots, same)
    assert np.all(bound <= mean)
    assert shots[bound.argmax()] >= shots[mean.argmax()] > 1


def test_each_curve_has_one_mark_and_it_is_the_maximum(rows):
    for kind, number in (("bound", -1), ("mean", -1), ("simulation", SHOWN - 1)):
        marked = [
            row["shots"]
            for row in rows
            if row["kind"] == kind and row["simulation"] == number and row["best"]
        ]
        shots, gains = curve(rows, kind, number)
        assert marked == [shots[gains.argmax()]]


def test_it_is_no_run_and_depends_on_the_seed_alone(rows):
    again = run_task(TASK, 1)
    assert again.scores is None
    assert again.tables[TABLE] == rows
    assert run_task(TASK, 2).tables[TABLE] != rows


def test_only_the_sphere_has_its_curvature_known():
    with pytest.raises(ValueError, match="measured on the sphere, not on function:trid"):
        run_task(Task("efficiency", "function:trid", 10, 1.0, 10, EFFICIENCY, 0), 1)
