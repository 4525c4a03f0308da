import warnings

import numpy as np
import pytest

from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import make_instance, run_task
from qiskit_arcmaes.bench.tasks import Task
from qiskit_arcmaes.functions import get_function
from qiskit_arcmaes.problems import get_problem


def task(problem="function:sphere", dim=4, noise=1.0, budget=3000, method="frugal", run=0):
    return Task("demo", problem, dim, noise, budget, method, run)


def test_the_same_task_gives_the_same_record_up_to_times():
    one, two = run_task(task(), 1), run_task(task(), 1)
    assert one.scores == two.scores
    assert one.trajectory == two.trajectory
    assert run_task(task(), 2).scores != one.scores


@pytest.mark.parametrize("method", ["frugal", "cma@B/1000", "uh", "spsa@10"])
@pytest.mark.parametrize("place", [{}, {"problem": "h2", "noise": None}])
def test_the_budget_is_kept_and_the_error_is_the_exact_one(method, place):
    record = run_task(task(method=method, **place), 1)
    assert 0 < record.scores.shots <= 3000
    assert record.trajectory[-1] == (record.scores.shots, record.scores.error)
    assert [shots for shots, _ in record.trajectory] == sorted(s for s, _ in record.trajectory)
    assert len(record.trajectory) <= 200
    assert record.scores.error >= 0


def test_methods_and_budgets_meet_the_same_start_and_noise():
    instances = [
        make_instance(each, seeds_of(each, 5)) for each in (task(), task(method="uh", budget=9))
    ]
    points = instances[0].start.x0[None]
    assert np.array_equal(points[0], instances[1].start.x0)
    first, second = (instance.oracle.evaluate(points, 3).values for instance in instances)
    assert first == second


def test_errors_are_measured_from_the_truth():
    place = task(problem="function:trid")
    instance = make_instance(place, seeds_of(place, 1))
    function = get_function("trid", 4)
    assert instance.error(function.optimum) == 0
    assert instance.error(np.zeros(4)) == pytest.approx(4 - function.minimum)
    place = task(problem="h2", noise=None)
    instance = make_instance(place, seeds_of(place, 1))
    assert instance.error(get_problem("h2").best_parameters) == pytest.approx(0, abs=1e-9)


def test_a_loss_without_noise_raises_no_alarm():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record = run_task(task(noise=0.0, method="ar", budget=5000), 1)
    assert record.scores.error < 1


def test_a_function_needs_a_noise_level():
    with pytest.raises(ValueError, match="noise must be given"):
        run_task(task(noise=None), 1)
