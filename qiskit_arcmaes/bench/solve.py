"""One task: draw the start, run the method, score its recommendation exactly."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qiskit_arcmaes.bench.baselines import CouldNotStart, Recommendation, Start, solver_for
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, Circuit
from qiskit_arcmaes.bench.device import DeviceAnsatz, DeviceProblem
from qiskit_arcmaes.bench.experiments import resolve_method
from qiskit_arcmaes.bench.gain_per_shot import measure_efficiency
from qiskit_arcmaes.bench.landscapes import landscape, noisy
from qiskit_arcmaes.bench.method_names import split_conditions
from qiskit_arcmaes.bench.seeds import Seeds, seeds_of
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.bench.store import Record, Scores, Status
from qiskit_arcmaes.bench.tasks import DEVICE, EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.engine.constant_loss import ConstantLossWarning
from qiskit_arcmaes.oracles import Oracle
from qiskit_arcmaes.problems import Problem, get_problem

Array = NDArray[np.float64]
Outcome = Recommendation | CouldNotStart

_STEP_SHARE = 0.1  # sigma0 of circuits in units of a turn, as the paper's of test functions
_ON_THE_DEFAULT_ESTIMATOR = ("frugal",)  # the built-in one deals shots by scatter by default


@dataclass(frozen=True)
class ProblemInstance:
    """A problem as all methods meet it: with its noise and its start.

    Attributes:
        oracle: What they measure.
        start: Where they begin.
        error: The exact error at a point of shape (d,); no method sees it.
        circuit: The circuit of a quantum problem.
    """

    oracle: Oracle
    start: Start
    error: Callable[[Array], float]
    circuit: Circuit | None = None

    def budgeted(self, budget: int) -> BudgetOracle:
        """The oracle as a solver sees it, with a budget in shots."""
        return BudgetOracle(self.oracle, budget, self.circuit)


def run_task(task: Task, root_seed: int) -> Record:
    """Run one task by itself. The outcome depends on the arguments alone, times excepted.

    Args:
        task: What to run.
        root_seed: The sweep's root seed.

    Returns:
        The outcome, with the thinned trajectory of the method's recommendations.
    """
    with _undisturbed():
        seeds = seeds_of(task, root_seed)
        if task.method == EFFICIENCY:
            return measure_efficiency(task, seeds)
        return _solve(task, seeds)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """One thread, for sums of many differ in their last bits; no alarm where noise is zero."""
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConstantLossWarning)
        yield


def _solve(task: Task, seeds: Seeds) -> Record:
    attempt = _make_attempt(task, seeds)
    solver = solver_for(resolve_method(task.method, task.budget))
    watch = _Stopwatch()
    try:
        outcome: Outcome = solver.solve(attempt.oracle, attempt.instance.start, seeds.method)
    except CouldNotStart as refusal:
        outcome = refusal
    return attempt.record(outcome, watch.times())


class _Stopwatch:
    """Takes the time from when it is made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def times(self) -> tuple[float, float]:
        """Wall-clock and processor seconds since then."""
        return time.perf_counter() - self._wall, time.process_time() - self._processor


@dataclass(frozen=True, eq=False)
class _Attempt:
    """One task with everything that its run needs and its score is made of.

    Attributes:
        task: Which.
        seeds: Its seeds.
        instance: The problem.
        oracle: Counts its shots and notes its recommendations.
    """

    task: Task
    seeds: Seeds
    instance: ProblemInstance
    oracle: BudgetOracle

    def record(self, outcome: Outcome, times: tuple[float, float]) -> Record:
        """Score what the method returned; a method that could not start gets no score.

        Args:
            outcome: The recommendation, or why there is none.
            times: Wall-clock and processor seconds.
        """
        shots, jobs = self.oracle.spent, self.oracle.jobs
        if isinstance(outcome, CouldNotStart):
            scores = Scores(
                *(self.seeds.method, None, None, None, shots, jobs, str(outcome)),
                status=Status.COULD_NOT_START,
            )
            return Record(self.task, scores, seconds=times[0], cpu_seconds=times[1])
        scores = Scores(
            seed=self.seeds.method,
            error=self.instance.error(outcome.x),
            value=outcome.value,
            value_std=outcome.std,
            shots=shots,
            jobs=jobs,
            message=outcome.message,
        )
        trajectory = [(spent, self.instance.error(point)) for spent, point in self.oracle.notes]
        return Record(self.task, scores, trajectory, seconds=times[0], cpu_seconds=times[1])


def _make_attempt(task: Task, seeds: Seeds) -> _Attempt:
    """A task with its problem, before anything is measured."""
    instance = make_instance(task, seeds)
    return _Attempt(task, seeds, instance, instance.budgeted(task.budget))


def make_instance(task: Task, seeds: Seeds) -> ProblemInstance:
    """The problem of a task, with its noise and the start point drawn from the seeds."""
    if task.problem.startswith(FUNCTION):
        return _function_instance(task, seeds)
    if task.problem.startswith(DEVICE):
        return _device_instance(task, seeds)
    problem = get_problem(task.problem)
    point = problem.start(np.random.default_rng(seeds.start))
    method, conditions = split_conditions(task.method)
    weighted = conditions.weighted or method in _ON_THE_DEFAULT_ESTIMATOR
    oracle = ShotOracle(problem, seeds.noise, "weighted" if weighted else "equal")
    bounds = None if problem.limits is None else [problem.limits] * problem.dim
    return ProblemInstance(
        oracle,
        Start(point, _STEP_SHARE * 2 * np.pi, bounds, angles=True, periods=_periods(problem)),
        lambda x: _above(float(problem.energy(x)[0]), problem.best_energy),
        circuit=oracle,
    )


def _device_instance(task: Task, seeds: Seeds) -> ProblemInstance:
    device = DeviceProblem(task.problem.removeprefix(DEVICE))
    point = device.problem.start(np.random.default_rng(seeds.start))
    oracle = device.oracle(point, seeds.noise)
    return ProblemInstance(
        oracle,
        Start(point, _STEP_SHARE * 2 * np.pi, angles=True, periods=_periods(device.problem)),
        lambda x: _above(float(device.energy(x)[0]), device.lowest_energy),
        circuit=DeviceAnsatz(device.problem, oracle),
    )


def _function_instance(task: Task, seeds: Seeds) -> ProblemInstance:
    if task.noise is None:
        raise ValueError(f"noise must be given for the test function {task.problem!r}.")
    name = task.problem.removeprefix(FUNCTION)
    function = landscape(name.partition("~")[0], task.dim, instance=seeds.start)
    point = np.random.default_rng(seeds.start).uniform(function.lower, function.upper, task.dim)
    return ProblemInstance(
        noisy(name, task.dim, float(np.sqrt(task.noise)), seeds.start, seeds.noise),
        Start(point, function.sigma0, bounds=None, angles=False),
        lambda x: _above(float(function(x)), function.minimum),
    )


def _periods(problem: Problem) -> tuple[float, ...] | None:
    """What coordinates may be wrapped by: a turn where it is a period, else the period itself."""
    turns = 2 * np.pi / problem.periods
    if np.allclose(turns, np.rint(turns)) and np.all(turns > 0.5):
        return None
    known = np.where(np.isfinite(problem.periods), problem.periods, 0.0)
    whole = (turns > 0.5) & np.isclose(turns, np.rint(turns))
    return tuple(np.where(whole, 2 * np.pi, known).tolist())


def _above(value: float, least: float) -> float:
    """How far above the minimum; rounding may leave a hair below it."""
    return max(value - least, 0.0)
