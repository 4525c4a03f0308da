from qiskit_arcmaes.bench.catalog import get_experiment
from qiskit_arcmaes.bench.experiments import Changes
from qiskit_arcmaes.bench.work_units import work_units_of


def test_every_task_is_in_one_unit_and_only_like_ones_share_a_unit():
    tasks = get_experiment("ecdf").changed(Changes(budgets=(10**7,))).tasks()
    units = work_units_of(tasks)
    assert sorted((task for unit in units for task in unit.tasks), key=lambda t: t.rank) == tasks
    assert len({unit.key for unit in units}) == len(units)
    for unit in units:
        kinds = {(task.problem, task.dim, task.budget, task.method) for task in unit.tasks}
        assert len(kinds) == 1
        assert unit.batched == (unit.tasks[0].method[:3] in ("cma", "lra"))
        assert len(unit.tasks) == (15 if unit.batched else 1)  # 3 levels of 20 runs, in fours


def test_timed_runs_go_alone():
    experiment = get_experiment("wall-clock")
    units = work_units_of(experiment.tasks(), experiment.timed)
    assert [unit.tasks for unit in units] == [(task,) for task in experiment.tasks()]
    assert not any(unit.batched for unit in units)
