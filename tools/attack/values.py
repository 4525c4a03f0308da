"""Attacks with values: regions without a loss, overflow, and oracles that break their contract."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes import GaussianOracle, OracleError
from qiskit_arcmaes.oracles import Estimate

from .cases import Case, draw, expect_same
from .harness import expect, promise

Holes = Any


def _ring(points: Any) -> Any:
    return np.sum(points**2, axis=1) < 0.3


def _half(points: Any) -> Any:
    return points[:, 0] > 0.4


def _strips(points: Any) -> Any:
    return np.abs(np.sin(5 * points[:, 0])) < 0.25


def _sector(points: Any) -> Any:
    return np.sin(points[:, -1]) > 0.5


HOLES = (_ring, _half, _strips, _sector)


@promise("nan", "A recommendation lies where the loss is finite, and fun is finite", 18)
def recommend_finite(rng: np.random.Generator, folder: Path) -> None:
    """A region without a loss, also around the minimum; the start lies outside of it."""
    case, holes = draw(rng, 1000), HOLES[int(rng.integers(len(HOLES)))]
    case = replace(case, start=_outside(rng, holes, len(case.start)))
    loss = case.loss

    def spoiled(points: Any) -> Any:
        return np.where(holes(points), np.nan, loss(points))

    case = replace(case, loss=spoiled)
    oracle = case.oracle()
    try:
        result = case.solve(oracle)
        expect(bool(np.isfinite(result.fun)), f"fun is {result.fun}: {result.message}")
    except OracleError as error:  # many jobs without a value
        expect("values" in str(error), str(error))
        result = error.result
        if len(result.history) == 0:  # not one value: nothing is known
            return
    expect(result.shots == oracle.spent <= case.options["max_shots"], "the shots are wrong")
    expect(bool(np.isfinite(spoiled(result.x[None]))[0]), f"the loss is NaN at x = {result.x}")


def _outside(rng: np.random.Generator, holes: Holes, dim: int) -> Any:
    while True:
        start = rng.uniform(-1.5, 2, dim)
        if not holes(start[None])[0]:
            return start


class Overflowing(GaussianOracle):
    """Plants a number into some jobs, in place of a value or of a variance."""

    planted = np.nan
    rate = 0.3
    into_variances = False

    def evaluate(self, points: Any, shots: int) -> Any:
        """As a Gaussian oracle does, but for what is planted."""
        estimate = super().evaluate(points, shots)
        places = np.random.default_rng(self.spent).random(len(points)) < self.rate
        values = np.array(estimate.values)
        variances = None if estimate.variances is None else np.array(estimate.variances)
        if self.into_variances and variances is not None:
            variances[places] = self.planted
        elif not places.all():
            values[places] = self.planted
        return Estimate(values, variances)


@promise("overflow", "Numbers that overflow are failed values, as NaN is, bit for bit", 10)
def fail_overflow(rng: np.random.Generator, folder: Path) -> None:
    """Infinite or huge values and variances, and negative variances, in some jobs."""
    case = replace(draw(rng, 400), tau=1.0)
    into = bool(case.known and rng.random() < 0.5)
    bad = [np.inf, 1e201, 1e300] + ([-1.0] if into else [-np.inf, -1e160, 1e101])
    rate = float(rng.choice([0.02, 0.2, 0.6]))
    runs = []
    for planted in (float(rng.choice(bad)), np.nan):
        oracle = case.oracle(Overflowing)
        oracle.planted, oracle.rate, oracle.into_variances = planted, rate, into
        try:
            runs.append(case.solve(oracle))
        except OracleError as error:
            runs.append(error.result)
        expect(runs[-1].shots == oracle.spent <= case.options["max_shots"], "the shots are wrong")
        expect(bool(np.isfinite(runs[-1].x).all()), f"x is {runs[-1].x}")
    expect_same(*runs)


class Breaching(GaussianOracle):
    """Breaks its contract in one job, after its shots."""

    breach = ""
    job = 1
    calls = 0

    def evaluate(self, points: Any, shots: int) -> Any:
        """As a Gaussian oracle does, but for one job."""
        self.calls += 1
        estimate = super().evaluate(points, shots)
        if self.calls != self.job:
            return estimate
        if self.breach == "raise":
            raise MemoryError("no memory")
        if self.breach == "exit":
            raise SystemExit(2)
        if self.breach == "overcharge":
            self.charge(10**9)
        if self.breach == "edit":
            points[...] = np.nan
        values = np.asarray(estimate.values)
        kinds: dict[str, Any] = {
            "none": None,
            "shape": Estimate(values[:-1]),
            "text": Estimate(np.array(["a"] * len(values))),
            "complex": Estimate(values * 1j),
            "object": Estimate(np.array([None] * len(values))),
            "array": values,
            "all nan": Estimate(np.full(len(values), np.nan), estimate.variances),
        }
        return kinds.get(self.breach, estimate)


BREACHES = (
    "raise", "exit", "overcharge", "edit", "none", "shape", "text", "complex", "object", "array",
    "all nan",
)  # fmt: skip


@promise("paid", "Whatever fails after a shot was spent, the exception carries the result", 14)
def carry_result(rng: np.random.Generator, folder: Path) -> None:
    """An oracle that breaks its contract, a callback or a save that fails: nothing is lost."""
    case, oracle = _breached(rng)
    saved = rng.random() < 0.5
    more: dict[str, Any] = {"checkpoint": folder / "run"} if saved else {}
    if rng.random() < 0.2:
        more["callback"] = _failing
    try:
        result = case.solve(oracle, **more)
    except BaseException as error:
        result = getattr(error, "result", None)
        expect(result is not None, f"{error!r} carries no result")
        expect(not result.success, "a failed run is a success")
        expect(not saved or (folder / "run").exists(), "nothing was saved")
    told = result.shots
    expect(told == oracle.spent, f"{told} shots told, {oracle.spent} taken")
    expect(bool(np.isfinite(result.x).all()), f"x is {result.x}")


def _breached(rng: np.random.Generator) -> tuple[Case, Breaching]:
    case = draw(rng, 400)
    oracle = case.oracle(Breaching)
    assert isinstance(oracle, Breaching)
    oracle.breach = str(rng.choice(BREACHES))
    oracle.job = int(rng.integers(1, case.solve().jobs + 1))
    return case, oracle


def _failing(nfev: int, *_: Any) -> None:
    if nfev > 10:
        raise ArithmeticError("the callback fails")
