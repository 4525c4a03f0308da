"""Gain per shot over M: the paper's lower bound and simulations of the step that it bounds.

As in the paper's figure 1: sphere, lambda = 20, at iteration 100. The step is z' of its Eq. (7),
the bound its Eq. (15) with the true gradient and curvature. For every M the offset A is one
constant, as in the derivation: the mean of what the paper takes, -min improvement. All M meet the
same draws.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.landscapes import landscape
from qiskit_arcmaes.bench.seeds import Seeds
from qiskit_arcmaes.bench.store import Record
from qiskit_arcmaes.bench.tasks import EFFICIENCY, FUNCTION, Task
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.functions import TestFunction
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import GaussianOracle
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import ProportionalStep
from qiskit_arcmaes.strategies.fixed import FixedShots

Array = NDArray[np.float64]

TABLE = "efficiency"
"""The further table of the store that the curves are in."""

POPSIZE, ITERATION, SHOWN = 20, 100, 50  # the paper's; it shows 50 simulations
SIMULATIONS = 5000  # whose mean is told, so that its maximum is no accident
_WAY_SHOTS = 10  # M on the way to that iteration, so that the run still converges there
_LADDER = np.unique(np.geomspace(1, 10_000, 41).round().astype(int))  # the M that are tried


def measure_efficiency(task: Task, seeds: Seeds) -> Record:
    """Simulate one generation many times for every M.

    Args:
        task: A test function with a known Lipschitz constant of its gradient (the sphere).
        seeds: Of the run that leads there, and of the simulations.

    Returns:
        A record whose table ``efficiency`` has a row for each point of a curve.
    """
    wall, processor = time.perf_counter(), time.process_time()
    function = landscape(task.problem.removeprefix(FUNCTION), task.dim, seeds.start)
    if task.noise is None or function.name != "sphere":
        raise ValueError(
            f"problems: {EFFICIENCY} is measured on the sphere, not on {task.problem}."
        )
    there = _walk(function, task.noise, seeds)
    curves = _curves(function, there, task.noise, np.random.default_rng(seeds.method))
    return Record(
        task,
        scores=None,
        tables={TABLE: list(_rows(task, *curves))},
        seconds=time.perf_counter() - wall,
        cpu_seconds=time.process_time() - processor,
    )


def _walk(function: TestFunction, noise: float, seeds: Seeds) -> cma.Distribution:
    """The distribution of plain CMA-ES at the iteration."""
    setup = Setup(
        start=np.random.default_rng(seeds.start).uniform(
            function.lower, function.upper, function.dim
        ),
        sigma0=function.sigma0,
        popsize=POPSIZE,
        domain=make_domain(function.dim),
        budget=float(10 * POPSIZE * ITERATION * _WAY_SHOTS),
        shots=_WAY_SHOTS,
    )
    method = FixedShots(setup, np.random.default_rng(seeds.method))
    oracle = GaussianOracle(function, tau=float(np.sqrt(noise)), seed=seeds.noise)
    for _ in range(ITERATION):
        batch = method.ask()
        method.tell(batch, oracle.evaluate(batch.points, batch.shots))
    return method.state.distribution


def _curves(
    function: TestFunction, there: cma.Distribution, noise: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Gain per shot: the bound for every M, and (simulation, M)."""
    root = there.basis * there.scales @ there.basis.T
    gradient = root @ function.gradient(there.mean)
    mutations = there.step_size * rng.standard_normal((SIMULATIONS, POPSIZE, function.dim)) @ root
    noises = rng.standard_normal((SIMULATIONS, POPSIZE + 1))  # the same for every M
    exact = function(there.mean) - function(there.mean + mutations)
    bound = np.empty(len(_LADDER))
    simulated = np.empty((SIMULATIONS, len(_LADDER)))
    for column, shots in enumerate(_LADDER):
        measured = exact + np.sqrt(noise / shots) * (noises[:, -1:] - noises[:, :-1])
        offset = float(-measured.min(axis=1).mean())
        weights = (measured + offset) / (2 * POPSIZE * offset)
        ends = there.mean + np.einsum("sp,spd->sd", weights, mutations)  # m + z', Eq. (7)
        simulated[:, column] = (function(there.mean) - function(ends)) / shots
        step = ProportionalStep(
            dim=function.dim,
            popsize=POPSIZE,
            step_size=there.step_size,
            gradient_square=float(gradient @ gradient),
            offset=offset,
            curvature=2.0 * float(there.scales[-1]) ** 2,  # the sphere's Hessian is 2 I
            noise=noise,
        )
        bound[column] = step.improvement(float(shots)) / shots
    return bound, simulated


def _rows(task: Task, bound: Array, simulated: Array) -> Iterator[dict[str, Any]]:
    curves = [("bound", -1, bound), ("mean", -1, simulated.mean(axis=0))]
    curves += [("simulation", number, gains) for number, gains in enumerate(simulated[:SHOWN])]
    for kind, number, gains in curves:
        for shots, gain in zip(_LADDER, gains, strict=True):
            yield {
                "experiment": task.experiment,
                "problem": task.problem,
                "dim": task.dim,
                "noise": task.noise,
                "kind": kind,
                "simulation": number,
                "shots": int(shots),
                "efficiency": float(gain),
                "best": bool(gain == gains.max()),
            }
