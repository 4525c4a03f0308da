"""Attacks on runs of ``minimize``: budget, resume, and that no paid result is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes import GaussianOracle, OracleError, Stop

from .cases import Case, draw, expect_same
from .harness import expect, promise
from .processes import kill_after


@promise("budget", "No run spends more than max_shots or makes more than max_jobs", 24)
def keep_budget(rng: np.random.Generator, folder: Path) -> None:
    """Any settings: what the oracle has counted is what the result says, and within the budget."""
    case = draw(rng, 1500)
    oracle = case.oracle()
    result = case.solve(oracle)
    expect(result.shots == oracle.spent, f"{result.shots} shots told, {oracle.spent} taken")
    expect(result.shots <= case.options["max_shots"], f"{result.shots} shots were spent")
    expect(result.jobs <= case.options.get("max_jobs", result.jobs), f"{result.jobs} jobs")
    expect(bool(np.isfinite(result.x).all()), f"x is {result.x}")


def _expect_resumed(case: Case, path: Path, whole: Any) -> None:
    resumed = case.solve(checkpoint=path, resume=True)
    expect_same(resumed, whole)
    names = [each.name for each in path.parent.iterdir()]
    expect(names == [path.name], f"the folder holds {names}")


@promise("kill", "A run ended by SIGKILL and resumed is the uninterrupted run, bit for bit", 6)
def survive_kill(rng: np.random.Generator, folder: Path) -> int:
    """A child that saves after every job is killed at a random moment, also while it writes."""
    case, path = draw(rng), folder / "run"
    began = time.monotonic()
    whole = case.solve()
    seconds = (time.monotonic() - began) * rng.uniform(0.2, 5.0)
    every = float(rng.choice([0.0, 0.0, 1e-3, 30.0]))
    killed = kill_after(lambda: case.solve(checkpoint=path, checkpoint_seconds=every), seconds)
    _expect_resumed(case, path, whole)
    return killed


@promise("interrupt", "A run ended by Ctrl-C returns its result, and resumes bit for bit", 12)
def survive_interrupt(rng: np.random.Generator, folder: Path) -> None:
    """A real SIGINT at a random moment of the run, wherever it falls."""
    case, path = draw(rng), folder / "run"
    began = time.monotonic()
    whole = case.solve()
    seconds = max((time.monotonic() - began) * rng.uniform(0.0, 1.5), 1e-4)
    mode = str(rng.choice(["return", "raise"]))
    oracle, result, raised = case.oracle(), None, False

    def solve() -> None:
        nonlocal result, raised
        try:
            result = case.solve(oracle, checkpoint=path, on_interrupt=mode)
        except KeyboardInterrupt as interrupt:
            result, raised = getattr(interrupt, "result", None), True

    _interrupt_after(seconds, solve)
    if result is not None:
        expect(result.shots == oracle.spent, "the result does not tell the shots that were taken")
        if result.stop is Stop.INTERRUPTED:
            expect(raised == (mode == "raise"), f"on_interrupt = {mode!r} was not heeded")
            expect("no last estimate was measured" in result.message, result.message)
    if oracle.spent and result is not None:
        expect(path.exists(), "shots were spent, and there is no checkpoint")
    if path.exists():
        _expect_resumed(case, path, whole)


def _interrupt_after(seconds: float, task: Callable[[], None]) -> None:
    """Do a task, and send SIGINT to this process after a while, if it is still in here."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    alarm = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            task()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:  # it fell before or after the run
        pass
    finally:
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, handler)


class Unreliable(GaussianOracle):
    """Fails in one job, before its first shot, but after it has drawn random numbers."""

    fails_at = 0
    calls = 0

    def evaluate(self, points: Any, shots: int) -> Any:
        """As a Gaussian oracle does, but for one job."""
        self.calls += 1
        if self.calls == self.fails_at:
            self._rng.standard_normal(3)
            raise ConnectionError("the service is away")
        return super().evaluate(points, shots)


@promise(
    "stop", "After max_seconds, a failed job or a raised callback a run resumes bit for bit", 18
)
def survive_stop(rng: np.random.Generator, folder: Path) -> None:
    """One of the three, in a random job; the exception carries the result."""
    case, path = draw(rng), folder / "run"
    whole = case.solve()
    job = int(rng.integers(1, max(whole.jobs, 1) + 1))
    kind = str(rng.choice(["seconds", "job", "callback"]))
    oracle = case.oracle(Unreliable)
    more: dict[str, Any] = {"checkpoint": path}
    if kind == "seconds":
        more["max_seconds"] = max(whole.seconds * rng.uniform(0, 1), 1e-9)
    elif kind == "job":
        oracle.fails_at = job
    else:
        more["callback"] = _raising(job)
    try:
        result = case.solve(oracle, **more)
    except (OracleError, LookupError) as error:
        expect(kind != "seconds", f"max_seconds raised {error!r}")
        result = error.result  # type: ignore[union-attr]
        expect(result is not None and not result.success, "the error carries no failed result")
    expect(result.shots == oracle.spent, "the result does not tell the shots that were taken")
    if result.stop is Stop.SECONDS:
        expect("no last estimate was measured" in result.message, result.message)
    _expect_resumed(case, path, whole)


def _raising(job: int) -> Any:
    seen = []

    def callback(*_: Any) -> None:
        seen.append(1)
        if len(seen) == job:
            raise LookupError("the callback fails")

    return callback
