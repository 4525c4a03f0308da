"""NFT of qiskit-algorithms: one coordinate at a time, each to the minimum of its sine."""

from __future__ import annotations

from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.baselines.contract import AtFixedShots, Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.qiskit_optimizer import run_optimizer
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

_STEP = 3  # evaluations of a step, at most; one more measures the recommendation


class NFT(AtFixedShots):
    """Sequential minimisation of sines, two evaluations per step and three in every 32nd."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        loss = Loss(oracle, start, self.shots)
        most = max(loss.affordable - _STEP, 1)  # a step that begins below it can be paid
        optimizer = optimizers.NFT(maxfev=most, callback=loss.settle)
        return run_optimizer(optimizer, loss, start, seed)
