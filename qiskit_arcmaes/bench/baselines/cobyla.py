"""COBYLA of qiskit-algorithms (SciPy's)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.qiskit_optimizer import run_optimizer
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle


class _Lowest:
    """The loss; its lowest value so far is where COBYLA would stop."""

    def __init__(self, loss: Loss) -> None:
        self._loss = loss
        self._value = np.inf

    def __call__(self, x: NDArray[np.float64]) -> float:
        value = float(self._loss(x))
        if value < self._value:
            self._value = value
            self._loss.settle(x)
        return value


@dataclass(frozen=True)
class COBYLA:
    """Linear approximation in a shrinking trust region; it ends by itself when that is small.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation.
    """

    name: str
    shots: int

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        loss = Loss(oracle, start, self.shots)
        least = len(start.x0) + 2  # evaluations of its first simplex and of a step
        if loss.affordable < least:
            raise CouldNotStart(
                f"{oracle.budget} shots do not pay the {least} evaluations of a simplex and a step."
            )
        optimizer = optimizers.COBYLA(maxiter=loss.affordable)
        return run_optimizer(optimizer, loss, start, seed, _Lowest(loss))


@dataclass(frozen=True)
class COBYLATutorial:
    """COBYLA as IBM's tutorials run it: some fifty evaluations, which share the budget.

    Attributes:
        name: Name in tables.
        evaluations: How many, from the 25 to 60 of the tutorials; more where d needs them.
    """

    name: str
    evaluations: int = 50

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        count = max(self.evaluations, len(start.x0) + 2)
        shots = max(oracle.affordable(1) // count, 1)
        return COBYLA(self.name, shots).solve(oracle, start, seed)
