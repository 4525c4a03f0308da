"""What a method is told before the start, made from the oracle and the settings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Oracle
from qiskit_arcmaes.registry import METHODS, Entry
from qiskit_arcmaes.settings import Settings

Array = NDArray[np.float64]

# Evaluations per parameter that are worth more than less bias: with fewer, counts of a QAOA circuit
# of four parameters whose mean is the loss ended a tenth higher at 4 shots per point than at 1.
_ENOUGH_EVALUATIONS = 300
_MOST_GENERATIONS = 1000  # at the first M, where jobs cost time whatever their shots


def make_setup(
    oracle: Oracle, start: Array, domain: Domain, reserve: int, settings: Settings
) -> Setup:
    """Describe the problem to the method.

    Args:
        oracle: What is minimised.
        start: The first point, shape (d,).
        domain: Bounds and periods.
        reserve: Shots kept for the last estimate of the recommendation.
        settings: Everything else.
    """
    per_point = oracle.price(2).at(1) - oracle.price(1).at(1)
    if per_point <= 0:
        raise ValueError("a point of this loss costs no shots: there is nothing to estimate.")
    budget = (settings.max_shots - reserve) / per_point
    popsize = settings.popsize or METHODS[settings.method].popsize(len(start), budget, settings.tau)
    setup = Setup(
        start=start,
        sigma0=settings.sigma0 or _default_sigma0(domain),
        popsize=popsize,
        domain=domain,
        budget=budget,
        shots=settings.shots,
        min_shots=max(
            _min_shots(oracle, popsize, settings),
            _advised_shots(oracle, budget / (len(start) + 1), settings),
        ),
        overhead=oracle.overhead if settings.overhead is None else settings.overhead,
        noise=settings.tau,
        reports_variances=oracle.reports_variances,
        angles=oracle.angles or bool(domain.periodic.all()),
        spectra=oracle.spectra,
        mean_loss=oracle.mean_loss,
        circuit_frequencies=oracle.circuit_frequencies,
        evaluation_shots=per_point,
        max_jobs=None if settings.max_jobs is None else settings.max_jobs - 1,
        trust_radius=settings.sigma0,
        restarts=settings.restarts,
    )
    entry, chosen = METHODS[settings.method], settings.shots or settings.min_shots
    if setup.max_jobs is None or chosen is not None or entry.plans_jobs:
        return setup
    return _with_enough_shots(setup, entry, oracle, settings.max_shots - reserve)


def _default_sigma0(domain: Domain) -> float:
    widest = domain.widest()
    return 0.1 * (2 * math.pi if widest is None else widest)


def _min_shots(oracle: Oracle, popsize: int, settings: Settings) -> int:
    """The least M: what the user says, else few large jobs where jobs are expensive."""
    if settings.min_shots is not None:
        return max(settings.min_shots, oracle.min_shots)
    if not oracle.few_jobs:
        return oracle.min_shots
    if settings.shots is not None:
        return max(settings.shots, oracle.min_shots)
    if METHODS[settings.method].plans_jobs:
        return oracle.min_shots
    few = settings.max_shots // (_MOST_GENERATIONS * oracle.price(popsize).per_shot)
    return max(few, oracle.min_shots)


def _advised_shots(oracle: Oracle, evaluations: float, settings: Settings) -> int:
    """What the oracle advises, where that leaves enough evaluations per parameter."""
    if settings.min_shots is not None or settings.shots is not None:
        return 1
    return max(min(oracle.advised_shots, int(evaluations / _ENOUGH_EVALUATIONS)), 1)


def _with_enough_shots(setup: Setup, entry: Entry, oracle: Oracle, budget: int) -> Setup:
    """Raise the least M until the jobs that there may be use up the budget, by bisection."""
    least, most = setup.min_shots, max(budget, setup.min_shots)
    while least < most:
        middle = (least + most + 1) // 2
        if _price_of_jobs(replace(setup, min_shots=middle), entry, oracle) <= budget:
            least = middle
        else:
            most = middle - 1
    return replace(setup, min_shots=least)


def _price_of_jobs(setup: Setup, entry: Entry, oracle: Oracle) -> float:
    """What the most jobs take: those of the first iteration, and then more like its last one."""
    assert setup.max_jobs is not None
    jobs = entry.build(setup, np.random.default_rng(0)).first_jobs()
    prices = [oracle.price(points).at(shots) for points, shots in jobs]
    later = max(setup.max_jobs - len(prices), 0)
    return sum(prices) + prices[-1] * (entry.mean_shots * (later + 1) - 1)
