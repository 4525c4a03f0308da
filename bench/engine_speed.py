"""How fast is a generation, and how does it grow with the dimension?

``python bench/engine_speed.py [--repeats 300] [--whole 2]``. One generation is ask + tell at
lambda = 100 on the noisy sphere, the noise level unknown. All contenders run in this process in
turns of a few generations; a turn's time is the median of its generations, and the fastest turn
counts: the machine may be busy with other things. "median of turns" is the median, over the turns,
of the ratio to the turn of ``cma`` beside it. What takes longer than a time slice of a busy machine
(pycma, cmaes, ``ar-paper``, the growth with d) is timed in CPU time, and so is ``cma`` beside it.

The loss is evaluated outside the clock. modcma's C++ has no ask and tell, only a step that calls
the loss for each point; its clock holds 100 calls of a function that returns the next of some
values drawn beforehand, and the time of as many calls from a plain loop is then subtracted. What
is left holds the hand-over of 100 points to Python, as our ask does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import _common as common
import cma as pycma
import numpy as np
from cmaes import CMA
from modcma.c_maes import ModularCMAES, Parameters, Settings

from qiskit_arcmaes import Estimate, GaussianOracle, get_function, minimize
from qiskit_arcmaes.functions import SMOOTH_FUNCTIONS

TURN = 20  # generations in a row
START, STEP = 2.0, 1.0  # every coordinate of the first mean; sigma0
BUDGET = 10**9
DIMS = (10, 20, 50, 100, 200, 300)
TARGETS = {  # least and most, in units of cma
    "pycma": (10.0, math.inf),
    "cmaes": (10.0, math.inf),
    "modcma, calls subtracted": (1.0, math.inf),
    "ar": (0.0, 2.0),
    "ar-paper": (0.0, 20.0),
}
Turn = Callable[[], float]


def noisy_sphere(dim: int) -> GaussianOracle:
    """The loss of all contenders."""
    return GaussianOracle(get_function("sphere", dim), tau=1.0, seed=1)


@dataclass
class AskTell:
    """One contender: ``ask`` gives points, ``tell`` takes their values; only these are timed."""

    oracle: GaussianOracle
    ask: Callable[[], Sequence[common.Array]]
    tell: Callable[[Sequence[common.Array], common.Array], None]
    shots: Callable[[], int] = lambda: 1
    timer: Callable[[], float] = time.process_time

    def __call__(self) -> float:
        """Seconds of ask + tell, median over one turn."""
        return float(np.median([self.generation() for _ in range(TURN)]))

    def generation(self) -> float:
        """Seconds of ask + tell."""
        start = self.timer()
        points = self.ask()
        asked = self.timer()
        values = self.oracle.evaluate(points, self.shots()).values
        resumed = self.timer()
        self.tell(points, values)
        return self.timer() - resumed + asked - start


def ours(name: str, dim: int, timer: Callable[[], float] = time.process_time) -> AskTell:
    """One of our methods, the noise level unknown; what it does once at the start is over."""
    rng = np.random.default_rng(1)
    method = common.make_method(name, np.full(dim, START), STEP, rng, budget=BUDGET)
    oracle = noisy_sphere(dim)
    while method.report().iteration == 0:
        batch = method.ask()
        method.tell(batch, oracle.evaluate(batch.points, batch.shots))
    pending = [method.ask()]

    def ask() -> common.Array:
        pending[0] = method.ask()
        return pending[0].points

    def tell(points: Sequence[common.Array], values: common.Array) -> None:
        method.tell(pending[0], Estimate(values))

    return AskTell(oracle, ask, tell, lambda: pending[0].shots, timer)


def pycma_turn(dim: int) -> AskTell:
    """Pycma with its defaults."""
    options = {"popsize": common.POPSIZE, "verbose": -9, "seed": 1}
    strategy = pycma.CMAEvolutionStrategy([START] * dim, STEP, options)
    return AskTell(noisy_sphere(dim), strategy.ask, strategy.tell)


def cmaes_turn(dim: int) -> AskTell:
    """The package cmaes, which asks for one point at a time."""
    strategy = CMA(np.full(dim, START), STEP, population_size=common.POPSIZE, seed=1)
    return AskTell(
        noisy_sphere(dim),
        lambda: [strategy.ask() for _ in range(common.POPSIZE)],
        lambda points, values: strategy.tell(list(zip(points, values, strict=True))),
    )


@dataclass
class ModcmaTurn:
    """modcma's C++ steps; the values are drawn beforehand, the loss takes the next one.

    Each turn begins anew: after long runs modcma stops and starts again, with further calls.
    """

    dim: int
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def __call__(self) -> float:
        """Seconds of a step, median over one turn."""
        start_point = np.full(self.dim, START)
        settings = Settings(self.dim, sigma0=STEP, lambda0=common.POPSIZE, x0=start_point)
        strategy = ModularCMAES(Parameters(settings))
        return float(np.median([self.generation(strategy) for _ in range(TURN)]))

    def generation(self, strategy: ModularCMAES) -> float:
        """Seconds of one step, with the calls of the loss in it."""
        supply = iter(self.rng.standard_normal(common.POPSIZE).tolist())
        start = time.perf_counter()
        strategy.step(lambda point: next(supply))
        return time.perf_counter() - start


def calls_turn() -> float:
    """Seconds of as many calls of the same loss from a plain loop."""
    supply = iter([0.0] * (TURN * common.POPSIZE))
    loss = lambda point: next(supply)  # noqa: E731
    start = time.perf_counter()
    for _ in range(TURN * common.POPSIZE):
        loss(START)
    return (time.perf_counter() - start) / TURN


def clock(turns: dict[str, Turn], repeats: int) -> dict[str, common.Array]:
    """Seconds of a generation of each, for many turns taken in rotation."""
    taken = [[turn() for turn in turns.values()] for _ in range(repeats)]
    return dict(zip(turns, np.transpose(taken), strict=True))


def compare_generations(dim: int, repeats: int) -> None:
    """Print one generation of everyone, and what was promised."""
    base, net = "cma", "modcma, calls subtracted"
    quick = {name: ours(name, dim, time.perf_counter) for name in (base, "ar")}
    quick |= {"modcma": ModcmaTurn(dim), "calls": calls_turn}
    slow = {base: ours(base, dim), "ar-paper": ours("ar-paper", dim)}
    slow |= {"pycma": pycma_turn(dim), "cmaes": cmaes_turn(dim)}
    fast_runs, slow_runs = clock(quick, repeats), clock(slow, max(repeats // 20, 3))
    seconds = {name: float(taken.min()) for name, taken in (slow_runs | fast_runs).items()}
    seconds[net] = seconds["modcma"] - seconds.pop("calls")
    typical = {
        name: float(np.median(taken / runs[base]))
        for runs in (fast_runs, slow_runs)
        for name, taken in runs.items()
    }
    rows = []
    for name, taken in seconds.items():
        units = taken / float((slow_runs if name in slow_runs else fast_runs)[base].min())
        units = 1.0 if name == base else units
        row = (name, 1e6 * taken, units, typical.get(name, math.nan))
        low, high = TARGETS.get(name, (0.0, math.inf))
        promised = "" if name not in TARGETS else f">= {low:g}" if low else f"<= {high:g}"
        met = low <= units <= high
        rows.append((*row, promised, common.verdict(met) if promised else ""))
    common.show(
        f"one generation, d = {dim}, lambda = {common.POPSIZE}; fastest of {repeats} turns",
        ("", "microseconds", "in units of cma", "median of turns", "target", "verdict"),
        rows,
    )


def whole_run(name: str, dim: int, times: int) -> float:
    """Seconds of a whole ``ar`` run at tau = 1, the fastest of some."""
    function = get_function(name, dim)
    taken = []
    for seed in range(times):
        start = common.first_point(function, np.random.default_rng(seed))
        result = minimize(
            GaussianOracle(function, seed=seed),
            start,
            max_shots=BUDGET,
            method="ar",
            popsize=common.POPSIZE,
            sigma0=common.first_step(function),
            seed=seed,
        )
        taken.append(result.seconds)
    return min(taken)


def compare_whole_runs(dim: int, times: int, limit: float = 5.0) -> None:
    """Print the time of whole runs."""
    seconds = {name: whole_run(name, dim, times) for name in SMOOTH_FUNCTIONS}
    common.show(
        f"whole run of ar, d = {dim}, B = {BUDGET:.0e}, tau = 1",
        ("function", "seconds", "target", "verdict"),
        ((n, s, f"< {limit:g}", common.verdict(s < limit)) for n, s in seconds.items()),
    )


def growth(dim: int) -> float:
    """What the cost of a generation may grow with."""
    return float(dim**3 + common.POPSIZE * dim**2)


def compare_scaling(repeats: int) -> None:
    """Print how the cost grows; exponent 1 is as fast as d^3 + lambda d^2."""
    methods = ("cma", "ar")
    seconds = {}
    for dim in DIMS:
        turns = {name: ours(name, dim) for name in methods}
        taken = clock(turns, max(repeats * DIMS[0] // dim, 10))
        seconds[dim] = {name: float(times.min()) for name, times in taken.items()}
    rows = [
        (
            str(dim),
            growth(dim) / growth(DIMS[0]),
            *(seconds[dim][n] * 1e6 for n in methods),
            *(seconds[dim][n] / seconds[DIMS[0]][n] for n in methods),
        )
        for dim in DIMS
    ]
    head = ("d", "d^3 + lambda d^2", "cma us", "ar us", "cma growth", "ar growth")
    common.show("growth with the dimension, relative to the first row", head, rows)
    grown = np.log([growth(dim) for dim in DIMS])
    for name in methods:
        times = np.log([seconds[dim][name] for dim in DIMS])
        whole = np.polyfit(grown, times, 1)[0]
        last = (times[-1] - times[-3]) / (grown[-1] - grown[-3])
        met = common.verdict(whole <= 1 and last <= 1.05)
        print(
            f"{name}: time ~ (d^3 + lambda d^2)^{whole:.2f}; from d = {DIMS[-3]} to {DIMS[-1]} "
            f"the exponent is {last:.2f} (target <= 1, 5% for the clock): {met}"
        )


def main() -> None:
    """Print all tables."""
    given = common.arguments(__doc__, repeats=400, whole=2)
    for dim in (10, 20):
        compare_generations(dim, given.repeats)
    compare_whole_runs(20, given.whole)
    compare_scaling(given.repeats)


if __name__ == "__main__":
    main()
