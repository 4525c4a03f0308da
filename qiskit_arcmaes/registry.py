"""The names of the methods: one entry for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.frugal import frugal
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.strategies.adaptive_paper import LiteralReevaluation, PaperReevaluation
from qiskit_arcmaes.strategies.adaptive_params import STANDALONE
from qiskit_arcmaes.strategies.cma import default_popsize
from qiskit_arcmaes.strategies.fixed import FixedShots
from qiskit_arcmaes.strategies.learning_rate import LearningRateAdaptation
from qiskit_arcmaes.strategies.population import PopulationSizeAdaptation
from qiskit_arcmaes.strategies.restarts import adaptive_reevaluation
from qiskit_arcmaes.strategies.three_stage import ThreeStage
from qiskit_arcmaes.strategies.uncertainty import UncertaintyHandling


@dataclass(frozen=True)
class Entry:
    """A method as ``minimize`` knows it.

    Attributes:
        build: Makes the method from its setup and its generator.
        label: What tables and pictures call it.
        plans_jobs: Whether it chooses the number of its jobs from the budget by itself.
        restarts: Whether it can start again from random points.
        mean_shots: Shots of its jobs over a whole run, on average, in units of the first M; more
            than 1 where they rise on a fixed schedule.
        popsize: Its default population size, from dimension, budget in one-shot evaluations, and
            standard deviation of one shot, where it is known.
    """

    build: Callable[[Setup, np.random.Generator], Method]
    label: str
    plans_jobs: bool = False
    restarts: bool = False
    mean_shots: float = 1.0
    popsize: Callable[[int, float, float | None], int] = lambda dim, budget, noise: default_popsize(
        dim
    )


METHODS: dict[str, Entry] = {
    "frugal": Entry(frugal, "ShotFrugal", plans_jobs=True, restarts=True),
    "ar": Entry(adaptive_reevaluation, "AR-CMA-ES", restarts=True, popsize=STANDALONE.popsize),
    "ar-paper": Entry(PaperReevaluation, "AR-CMA-ES (paper)"),
    "ar-literal": Entry(LiteralReevaluation, "AR-CMA-ES (algorithm box)"),
    "cma": Entry(FixedShots, "CMA-ES"),
    "three-stage": Entry(ThreeStage, "three-stage CMA-ES", mean_shots=10.0),
    "uh": Entry(UncertaintyHandling, "UH-CMA-ES"),
    "lra": Entry(LearningRateAdaptation, "LRA-CMA-ES"),
    "psa": Entry(PopulationSizeAdaptation, "PSA-CMA-ES"),
}
"""All methods by name."""
