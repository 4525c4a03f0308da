"""CMA-ES with learning rate adaptation as its authors' package ``cmaes`` has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cmaes import CMA

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent


@dataclass(frozen=True)
class CmaesLRA:
    """``cmaes.CMA(lr_adapt=True)`` at fixed shots; the recommendation is its mean.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation.
        popsize: Population size, None for the package's own.
    """

    name: str
    shots: int
    popsize: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, self.shots)
        strategy = CMA(
            np.array(start.x0),
            start.sigma0,
            population_size=self.popsize,
            seed=seed % 2**32,
            lr_adapt=True,
        )
        try:
            while True:
                points = [strategy.ask() for _ in range(strategy.population_size)]
                values = loss(np.array(points)).tolist()
                strategy.tell(list(zip(points, values, strict=True)))
                loss.settle(strategy.mean)
        except BudgetSpent:
            return loss.spent_recommendation()
