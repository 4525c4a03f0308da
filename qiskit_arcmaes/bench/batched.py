"""Tasks that run as one batch: repetitions of a method that has a form for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence

from qiskit_arcmaes.bench.baselines import CouldNotStart, solver_for
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod, conclude
from qiskit_arcmaes.bench.experiments import resolve_method
from qiskit_arcmaes.bench.lockstep.drive import RULES, advance
from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.solve import Attempt, Outcome, Stopwatch, make_attempt, undisturbed
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.engine.run import Run


def has_lockstep(task: Task) -> bool:
    """Whether a task can run in a batch with others: ``cma`` and ``lra`` on test functions.

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
        attempts = [make_attempt(task, seeds_of(task, root_seed)) for task in tasks]
        watch = Stopwatch()
        runs = [_prepare(attempt) for attempt in attempts]
        able = [
            (run, attempt.oracle)
            for run, attempt in zip(runs, attempts, strict=True)
            if isinstance(run, Run)
        ]
        if able:
            advance([run for run, _ in able], [oracle for _, oracle in able])
        outcomes = [_finish(run, attempt) for run, attempt in zip(runs, attempts, strict=True)]
        times = watch.times(share=len(tasks))
        return [
            attempt.record(outcome, times)
            for attempt, outcome in zip(attempts, outcomes, strict=True)
        ]


def _prepare(attempt: Attempt) -> Run | CouldNotStart:
    task = attempt.task
    solver = solver_for(resolve_method(task.method, task.budget))
    if not isinstance(solver, PackageMethod):
        raise TypeError(f"method {task.method!r} has no form for many runs at once.")
    try:
        return solver.prepare(attempt.oracle, attempt.instance.start, attempt.seeds.method)
    except CouldNotStart as refusal:
        return refusal


def _finish(run: Run | CouldNotStart, attempt: Attempt) -> Outcome:
    return conclude(run.finish(), attempt.oracle) if isinstance(run, Run) else run
