"""One run of ``evolution.py``: a method, a function or a circuit, and the error at its end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import _common as common
import numpy as np

from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.functions import get_function
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies.adaptive_params import (
    RESTARTS,
    STANDALONE,
    AdaptiveParams,
    RestartParams,
)
from qiskit_arcmaes.strategies.restarts import adaptive_reevaluation

VARIANTS: dict[str, AdaptiveParams] = {
    "ar": STANDALONE,
    "no mirrored samples": replace(STANDALONE, mirrored=False),
    "ranks of values only": replace(STANDALONE, differences=False),
    "no average of the means": replace(STANDALONE, averaged=0.0),
    "weights of the best half": replace(STANDALONE, expected_weights=False),
    "full steps": replace(STANDALONE, learning_rates=False),
    "M = 1": replace(STANDALONE, most_shots=0.0),
    "population of CMA-ES": replace(STANDALONE, points_per_dimension=0.0),
    "no contraction of sigma": replace(STANDALONE, contraction=0.0),
    "sigma may exceed sigma0": replace(STANDALONE, widest=1e9),
    "no least rate": replace(STANDALONE, full_generations=0.0),
    "sigma does not follow the noise": replace(STANDALONE, loud=math.inf),
}
CIRCUIT_VARIANTS: dict[str, tuple[AdaptiveParams, RestartParams]] = {
    "ar": (STANDALONE, RESTARTS),
    "one start": (STANDALONE, replace(RESTARTS, most_starts=1)),
    "adapted rate of the mean": (replace(STANDALONE, periodic_rate=0.0), RESTARTS),
    "no average of the means on circles": (replace(STANDALONE, periodic_tail=0.0), RESTARTS),
    "phases not limited": (
        replace(STANDALONE, first_phase=math.inf, last_phase=math.inf),
        RESTARTS,
    ),
    "phases limited to one throughout": (replace(STANDALONE, first_phase=1.0), RESTARTS),
    "M at most half of o": (replace(STANDALONE, periodic_most_shots=0.5), RESTARTS),
    "sigma falls in noise too": (replace(STANDALONE, periodic_hold=False), RESTARTS),
}
CONSTANTS = {name: (params, RESTARTS) for name, params in VARIANTS.items()} | CIRCUIT_VARIANTS


@dataclass(frozen=True)
class Task:
    """One run; ``variance`` is tau², ``popsize`` 0 the default, ``shots`` 0 the method's own M."""

    part: str
    method: str
    popsize: int
    shots: int
    problem: str
    dim: int
    variance: int
    budget: int
    price: float
    seed: int


def error(task: Task) -> float:
    """Exact loss at the recommendation above the lowest possible one."""
    rng = np.random.default_rng([task.seed, task.dim, task.variance, len(task.problem)])
    if task.variance:
        function = get_function(task.problem, task.dim)
        start, step = common.first_point(function, rng), common.first_step(function)
        method = build(task, start, step, task.budget, rng.spawn(1)[0])
        deviation = np.sqrt(task.variance)

        def measure(points: common.Array, shots: int) -> Estimate:
            noise = deviation / np.sqrt(shots) * rng.standard_normal(len(points))
            return Estimate(function(points) + noise)

        drive(method, measure, task.budget, task.price)
        return max(float(function(method.recommendation)) - function.minimum, 1e-12)
    problem = get_problem(task.problem)
    start, oracle = problem.start(rng), ShotOracle(problem, rng.spawn(1)[0])
    evaluations = task.budget / problem.groups
    method = build(task, start, 0.2 * np.pi, evaluations, rng, periodic=True, variances=True)
    drive(method, oracle.evaluate, evaluations, task.price)
    return float(problem.energy(method.recommendation[None])[0]) - problem.best_energy


def build(
    task: Task,
    start: common.Array,
    step: float,
    evaluations: float,
    rng: np.random.Generator,
    periodic: bool = False,
    variances: bool = False,
) -> Method:
    """The method of a task, as ``minimize`` would make it."""
    constants = CONSTANTS.get(task.method)
    rule = constants[0].popsize if constants else METHODS[task.method].popsize
    popsize = task.popsize or rule(task.dim, evaluations, None)
    setup = Setup(
        start=start,
        sigma0=step,
        popsize=popsize,
        domain=make_domain(task.dim, None, periodic or None),
        budget=0.99 * evaluations,
        shots=task.shots or None,
        overhead=task.price,
        reports_variances=variances,
        angles=periodic,
    )
    if constants:
        return adaptive_reevaluation(setup, rng, *constants)
    return METHODS[task.method].build(setup, rng)


def drive(method: Method, measure: Any, budget: float, price: float) -> None:
    """Job by job until shots + price · points would exceed the budget."""
    spent = 0.0
    while True:
        batch = method.ask()
        spent += len(batch.points) * (batch.shots + price)
        if spent > 0.99 * budget:  # the rest is for the last estimate of the recommendation
            return
        method.tell(batch, measure(batch.points, batch.shots))


def generation_time(name: str) -> float:
    """Processor time of ask + tell, d = 20, lambda = 100: the fastest of 40 turns of 20."""
    function = get_function("sphere", 20)
    rng = np.random.default_rng(1)
    method = common.make_method(name, np.full(20, 2.0), 1.0, rng, budget=1e9, noise=1.0)

    def turn() -> Iterator[float]:
        for _ in range(20):
            begin = time.process_time()
            batch = method.ask()
            asked = time.process_time()
            noise = rng.standard_normal(len(batch.points)) / np.sqrt(batch.shots)
            estimate = Estimate(function(batch.points) + noise)
            resumed = time.process_time()
            method.tell(batch, estimate)
            yield time.process_time() - resumed + asked - begin

    return min(float(np.median(list(turn()))) for _ in range(40))
