"""Tasks that run together: repetitions of a method that has a form for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qiskit_arcmaes.api import BudgetTooSmallError
from qiskit_arcmaes.bench.baselines import Recommendation, solver_for
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod, conclude, refusal
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.experiments import resolve_method
from qiskit_arcmaes.bench.lockstep.drive import RULES, advance
from qiskit_arcmaes.bench.seeds import Seeds, seeds_of
from qiskit_arcmaes.bench.solve import (
    ProblemInstance,
    Stopwatch,
    make_instance,
    make_record,
    undisturbed,
)
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.engine.run import Run


@dataclass(eq=False)
class _Prepared:
    """One task with its run, or with its refusal where the budget pays no generation."""

    task: Task
    seeds: Seeds
    instance: ProblemInstance
    oracle: BudgetOracle
    run: Run | Recommendation


def has_lockstep(task: Task) -> bool:
    """Whether a task can run together with others: ``cma`` and ``lra`` on test functions.

    Example:
        >>> [
        ...     has_lockstep(Task("demo", problem, 4, 1.0, 1000, method, 0))
        ...     for problem, method in (("function:trid", "lra@B/1e7"), ("h2", "lra@10"))
        ... ]
        [True, False]
    """
    if task.method == EFFICIENCY or not task.problem.startswith(FUNCTION):
        return False
    solver = solver_for(resolve_method(task.method, task.budget))
    return isinstance(solver, PackageMethod) and solver.method in RULES


def run_batched(tasks: Sequence[Task], root_seed: int) -> list[Record]:
    """Run tasks as arrays. Each outcome depends on its task and the seed alone, times excepted.

    Args:
        tasks: Tasks that have a lockstep form, equal in all but noise and run.
        root_seed: The sweep's root seed.

    Returns:
        The outcomes, in the order of the tasks: those of ``run_task`` up to rounding (see
        ``lockstep.drive.advance``). Their seconds are equal shares of the time of all.
    """
    with undisturbed():
        prepared = [_prepare(task, seeds_of(task, root_seed)) for task in tasks]
        watch = Stopwatch()
        able = [(each.run, each.oracle) for each in prepared if isinstance(each.run, Run)]
        if able:
            advance([run for run, _ in able], [oracle for _, oracle in able])
        recommendations = [_conclude(each) for each in prepared]
        times = watch.times(share=len(tasks))
        return [
            make_record(each.task, each.seeds, each.instance, each.oracle, recommendation, times)
            for each, recommendation in zip(prepared, recommendations, strict=True)
        ]


def _prepare(task: Task, seeds: Seeds) -> _Prepared:
    solver = solver_for(resolve_method(task.method, task.budget))
    if not isinstance(solver, PackageMethod):
        raise TypeError(f"method {task.method!r} has no form for many runs at once.")
    instance = make_instance(task, seeds)
    oracle = BudgetOracle(instance.oracle, task.budget)
    try:
        run: Run | Recommendation = solver.prepare(oracle, instance.start, seeds.method)
    except BudgetTooSmallError as error:
        run = refusal(instance.start, error)
    return _Prepared(task, seeds, instance, oracle, run)


def _conclude(member: _Prepared) -> Recommendation:
    if isinstance(member.run, Recommendation):
        return member.run
    return conclude(member.run.finish(), member.oracle)
