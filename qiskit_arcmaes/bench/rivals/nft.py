"""NFT of qiskit-algorithms: one coordinate at a time, each to the minimum of its sine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.oracles import BudgetOracle, BudgetSpent
from qiskit_arcmaes.bench.rivals.contract import Answer, Start
from qiskit_arcmaes.bench.rivals.loss import Loss

_STEP = 3  # evaluations of a step, at the most; the last evaluation of the answer comes on top


@dataclass(frozen=True)
class NFT:
    """Sequential minimisation of sines, two evaluations a step and three in every 32nd.

    Attributes:
        name: What it is called in tables.
        shots: Shots per evaluation.
    """

    name: str
    shots: int

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Answer:
        """See ``Solver``; it draws nothing at random."""
        loss = Loss(oracle, start, self.shots)
        most = max(loss.affordable - _STEP, 1)  # a step that begins below it can be paid
        optimizer = optimizers.NFT(maxfev=most, callback=loss.settle)
        try:
            result = optimizer.minimize(loss, np.array(start.x0))
        except BudgetSpent:
            return loss.spent_answer()
        loss.settle(result.x)
        return Answer(loss.answer, float(result.fun), message=f"All {result.nit} steps were made.")
