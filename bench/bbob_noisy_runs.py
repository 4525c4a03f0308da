"""One run of ``bbob_noisy.py``: a method on a problem of COCO's noisy suite, and what came of it.

COCO returns noisy values only. The values without noise are in the files that its observer writes,
so each run has an observer in a temporary folder. One row of those files has the evaluation, the
lowest noise-free value up to it above the minimum (10 digits), and more; rows are written whenever
that value passes a target, all powers of ten among them.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _common as common
import numpy as np

from qiskit_arcmaes import minimize
from qiskit_arcmaes.engine.constant_loss import ConstantLossWarning
from qiskit_arcmaes.engine.result import Result

METHODS = ("frugal", "ar")
FUNCTIONS = range(101, 131)
DIMS = (5, 20)
PRECISIONS = (10.0, 1.0, 1e-1, 1e-3, 1e-5, 1e-7)
SIGMA0, START = 2.0, 4.0  # as COCO recommends; starts are uniform in [-START, START]
_NOISE_STEP = 1009  # values of the noise that are skipped per instance
_CAUCHY = 103  # each of its evaluations draws from both of COCO's generators


@dataclass(frozen=True)
class Task:
    """One run; ``budget`` is in evaluations per coordinate."""

    method: str
    function: int
    dim: int
    instance: int
    budget: int

    @property
    def evaluations(self) -> int:
        """The budget of the run."""
        return self.budget * self.dim


@dataclass(frozen=True)
class Outcome:
    """What came of a run; errors are noise-free values above the minimum.

    Attributes:
        start: Error at the start.
        error: Error at the returned point, NaN where the run failed.
        evaluations: As COCO counted them.
        hits: The first evaluation at each of ``PRECISIONS``, 0 where it was not reached.
        failure: The exception, empty where there was none.
        seconds: Processor time, the problem's own included; not kept.
    """

    start: float
    error: float
    evaluations: int
    hits: tuple[int, ...]
    failure: str = ""
    seconds: float = 0.0


def run(task: Task) -> Outcome:
    """Make one run; an exception of the method is part of the outcome."""
    start, seed = first_point(task)
    begin = time.process_time()
    result, failure = None, ""
    with tempfile.TemporaryDirectory() as folder:
        with observed(task, Path(folder), skip=_NOISE_STEP * task.instance) as problem:
            try:
                result = solve(task, problem, start, seed)
            except Exception as error:
                failure = f"{type(error).__name__}: {error}".splitlines()[0]
            evaluations = int(problem.evaluations)
        hits = hits_of(rows(Path(folder)))
    return Outcome(
        start=noise_free(task, start),
        error=noise_free(task, result.x) if result is not None else float("nan"),
        evaluations=evaluations,
        hits=hits,
        failure=failure,
        seconds=time.process_time() - begin,
    )


def solve(
    task: Task, problem: Callable[[common.Array], float], start: common.Array, seed: int
) -> Result:
    """Minimise a problem as any user would, with its budget."""
    with warnings.catch_warnings():
        # at the minimum, noise that multiplies is zero
        warnings.simplefilter("ignore", ConstantLossWarning)
        return minimize(
            lambda x: float(problem(x)),
            start,
            max_shots=task.evaluations,
            method=task.method,
            sigma0=SIGMA0,
            seed=seed,
            vectorized=False,
        )


def first_point(task: Task) -> tuple[common.Array, int]:
    """Start and seed of a run: the start is the same for all methods."""
    rng = np.random.default_rng([task.function, task.dim, task.instance])
    start = rng.uniform(-START, START, task.dim)
    return start, int(rng.integers(2**31))


def noise_free(task: Task, point: common.Array) -> float:
    """The value of a point without noise, above the minimum."""
    with tempfile.TemporaryDirectory() as folder:
        with observed(task, Path(folder)) as problem:
            problem(point)
        return next(rows(Path(folder)))[1]


@contextmanager
def observed(task: Task, folder: Path, skip: int = 0) -> Iterator[Any]:
    """A problem whose observer writes into ``folder``, complete once the problem is left.

    Args:
        task: Its function, dimension and instance are used.
        folder: An empty folder.
        skip: Evaluations by which COCO's generators of noise are advanced. They begin anew with
            every suite, so that a run repeats in every process; without ``skip`` all instances
            would get the same noise.
    """
    import cocoex

    cocoex.log_level("warning")
    suites = [_suite(task.function, task.dim, task.instance), _suite(_CAUCHY, 2, 1)]
    problem, noise = (suite.get_problem(0) for suite in suites)  # neither outlives its suite
    for _ in range(skip):
        noise(np.zeros(2))
    noise.free()
    observer = cocoex.Observer("bbob", f"outer_folder: {folder} result_folder: run")
    problem.observe_with(observer)
    try:
        yield problem
    finally:
        problem.free()
        del observer


def _suite(function: int, dim: int, instance: int) -> Any:
    """A suite of one problem; making a suite begins the noise anew."""
    import cocoex

    options = f"dimensions:{dim} function_indices:{function - FUNCTIONS[0] + 1}"
    return cocoex.Suite("bbob-noisy", f"instances:{instance}", options)


def rows(folder: Path) -> Iterator[tuple[int, float]]:
    """Evaluation and lowest noise-free error so far, from the file of an observer."""
    (file,) = folder.rglob("*.dat")
    for line in file.read_text().splitlines():
        if not line.startswith("%"):
            evaluation, _, error, *_ = line.split()
            yield int(evaluation), float(error)


def hits_of(trajectory: Iterable[tuple[int, float]]) -> tuple[int, ...]:
    """The first evaluation at each of ``PRECISIONS``; 0 where it is not reached."""
    found = list(trajectory)
    return tuple(
        next((evaluation for evaluation, error in found if error <= precision), 0)
        for precision in PRECISIONS
    )
