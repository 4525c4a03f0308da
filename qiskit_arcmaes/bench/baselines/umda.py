"""UMDA of qiskit-algorithms: independent normal distributions, drawn around π wherever x0 is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.qiskit_optimizer import run_optimizer
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

_FIRST, _LATER = 1.0, 1.2  # evaluations of a generation, in units of the population size


@dataclass(frozen=True)
class UMDA:
    """Univariate marginal distributions; it ends by itself when nothing better comes up.

    It begins at π in every coordinate with a width of 0.5 and never uses the start; it
    recommends the point of the lowest value that it saw.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation.
        popsize: Points of the first generation; later ones keep a fifth more.
    """

    name: str
    shots: int
    popsize: int

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, self.shots)

        def watch(nfev: int, x: NDArray[np.float64], fun: float) -> None:
            loss.settle(x)

        generations = (loss.affordable / self.popsize - _FIRST) / _LATER + 1
        optimizer = optimizers.UMDA(max(int(generations), 1), self.popsize, callback=watch)
        return run_optimizer(optimizer, loss, start, seed)
