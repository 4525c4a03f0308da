"""TBPSA of nevergrad: an evolution strategy that tests whether its population must grow.

References:
    M. Hellwig, H.-G. Beyer, "Evolution under strong noise: a self-adaptive evolution strategy
    reaches the lower performance bound - the pcCMSA-ES", PPSN XIV (2016).
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.bench.baselines.contract import AtFixedShots, Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent


class TBPSA(AtFixedShots):
    """``nevergrad.optimizers.TBPSA`` at fixed shots; the recommendation is its centre."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        import nevergrad  # optional: documentation and tests read this module without it

        loss = Loss(oracle, start, self.shots)
        space = nevergrad.p.Array(init=np.array(start.x0)).set_mutation(sigma=start.sigma0)
        space.random_state = np.random.RandomState(seed % 2**32)
        strategy = nevergrad.optimizers.TBPSA(space, budget=max(loss.affordable, 1))
        centre = strategy.current_center
        try:
            while True:
                candidate = strategy.ask()
                strategy.tell(candidate, float(loss(candidate.value)))
                if strategy.current_center is not centre:
                    centre = strategy.current_center
                    loss.settle(strategy.provide_recommendation().value)
        except BudgetSpent:
            return loss.spent_recommendation()
