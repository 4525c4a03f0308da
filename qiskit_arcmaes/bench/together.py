"""Tasks that run together: repetitions of a method that has a form for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qiskit_arcmaes.api import BudgetTooSmallError
from qiskit_arcmaes.bench.experiments import resolve_method
from qiskit_arcmaes.bench.lockstep.drive import RULES, advance
from qiskit_arcmaes.bench.oracles import BudgetOracle
from qiskit_arcmaes.bench.rivals import Answer, solver_for
from qiskit_arcmaes.bench.rivals.own import Own, conclude, refusal
from qiskit_arcmaes.bench.seeds import Seeds, seeds_of
from qiskit_arcmaes.bench.solve import Arena, Stopwatch, make_arena, make_record, undisturbed
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.engine.run import Run


@dataclass(eq=False)
class _Entrant:
    """One task on its way: a run, or the answer where the budget does not pay a generation."""

    task: Task
    seeds: Seeds
    arena: Arena
    oracle: BudgetOracle
    run: Run | Answer


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
    return isinstance(solver, Own) and solver.method in RULES


def run_together(tasks: Sequence[Task], root_seed: int) -> list[Record]:
    """Run tasks as arrays. Each outcome depends on its task and the seed alone, times excepted.

    Args:
        tasks: Tasks that have a lockstep form, equal in all but noise and run.
        root_seed: The sweep's root seed.

    Returns:
        The outcomes, in the order of the tasks: those of ``run_task`` up to rounding (see
        ``lockstep.drive.advance``). Their seconds are equal shares of the time of all.
    """
    with undisturbed():
        entrants = [_enter(task, seeds_of(task, root_seed)) for task in tasks]
        watch = Stopwatch()
        able = [(each.run, each.oracle) for each in entrants if isinstance(each.run, Run)]
        if able:
            advance([run for run, _ in able], [oracle for _, oracle in able])
        answers = [_conclude(each) for each in entrants]
        times = watch.times(share=len(tasks))
        return [
            make_record(each.task, each.seeds, each.arena, each.oracle, answer, times)
            for each, answer in zip(entrants, answers, strict=True)
        ]


def _enter(task: Task, seeds: Seeds) -> _Entrant:
    solver = solver_for(resolve_method(task.method, task.budget))
    if not isinstance(solver, Own):
        raise TypeError(f"method {task.method!r} has no form for many runs at once.")
    arena = make_arena(task, seeds)
    oracle = BudgetOracle(arena.oracle, task.budget)
    try:
        run: Run | Answer = solver.prepare(oracle, arena.start, seeds.method)
    except BudgetTooSmallError as error:
        run = refusal(arena.start, error)
    return _Entrant(task, seeds, arena, oracle, run)


def _conclude(entrant: _Entrant) -> Answer:
    if isinstance(entrant.run, Answer):
        return entrant.run
    return conclude(entrant.run.finish(), entrant.oracle)
