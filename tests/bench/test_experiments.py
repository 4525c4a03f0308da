import pytest

from qiskit_arcmaes.bench.catalog import EXPERIMENTS, get_experiment
from qiskit_arcmaes.bench.experiments import Changes, Experiment, Grid, resolve_method


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_can_run_whole_and_quick(name):
    experiment = get_experiment(name)
    for settled in (experiment, experiment.quickened()):
        settled.check()
        assert settled.tasks()
    assert len(experiment.quickened().tasks()) <= len(experiment.tasks())


def test_the_papers_grid_is_whole():
    tasks = get_experiment("ecdf").tasks()
    groups = {(task.problem, task.dim, task.noise, task.budget) for task in tasks}
    assert len(groups) == 10 * 2 * 3 * 3
    assert {task.run for task in tasks} == set(range(20))
    shown = {task.method.partition("@")[0] for task in tasks}
    assert shown == {"frugal", "ar", "ar-paper", "cma", "three-stage", "uh", "lra", "psa"}


def test_overlapping_grids_give_each_task_once():
    grid = Grid(("function:sphere",), (10, 100), ("frugal",), (2,), (1.0,))
    part = Grid(("function:sphere",), (100,), ("frugal",), (2,), (1.0,))
    tasks = Experiment("demo", "", (), (grid, part), runs=2).tasks()
    assert len(tasks) == len(set(tasks)) == 4


def test_quantum_problems_have_their_own_dimension_and_no_noise():
    grid = Grid(("h2", "function:sphere"), (10,), ("frugal",), (2,), (1.0,))
    tasks = Experiment("demo", "", (), (grid,), runs=1).tasks()
    assert {(task.problem, task.dim, task.noise) for task in tasks} == {
        ("h2", 4, None),
        ("function:sphere", 2, 1.0),
    }


def test_changes_replace_settings_in_all_grids():
    changed = get_experiment("noiseless").changed(
        Changes(runs=3, budgets=(50,), problems=("trid", "function:sphere"), methods=("uh",))
    )
    assert {(task.problem, task.budget, task.method) for task in changed.tasks()} == {
        ("function:trid", 50, "uh"),
        ("function:sphere", 50, "uh"),
    }
    assert {task.run for task in changed.tasks()} == {0, 1, 2}


@pytest.mark.parametrize(
    ("name", "budget", "resolved"),
    [
        ("frugal", 10**7, "frugal"),
        ("lra@B/1e7", 10**4, "lra@1"),
        ("lra@B/1e7", 10**7, "lra@1"),
        ("psa@B/1e7", 10**9, "psa@100"),
        ("cma:auto@B/1e5", 10**7, "cma:auto@100"),
    ],
)
def test_methods_with_shots_by_budget(name, budget, resolved):
    assert resolve_method(name, budget) == resolved


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"methods": ("nobody",)}, "nobody"),
        ({"methods": ("lra@B/x",)}, "B/"),
        ({"budgets": (0,)}, "budgets must be at least 1"),
        ({"dims": (0,)}, "dims must be at least 1"),
        ({"noise": (-1.0,)}, "noise must be finite"),
        ({"problems": ("moon",)}, "'moon' is unknown"),
        ({"runs": 0}, "runs must be at least 1"),
    ],
)
def test_bad_settings_are_named_before_anything_runs(change, said):
    with pytest.raises(ValueError, match=said):
        get_experiment("trid").changed(Changes(**change)).check()


def test_an_unknown_experiment():
    with pytest.raises(ValueError, match=r"'dust' is unknown; take one of noiseless"):
        get_experiment("dust")
