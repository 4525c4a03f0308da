"""Plain CMA-ES with the same number of shots per point in every generation."""

from __future__ import annotations

from qiskit_arcmaes.method import Batch, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy


class FixedShots(EvolutionStrategy):
    """CMA-ES at constant M: the baseline.

    Under noise of standard deviation s its error on the sphere ends at about
    s d / (4 mu_eff c_w): ten times the shots buy three times the accuracy.
    """

    phase = "CMA-ES with fixed shots"

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """One ordinary update."""
        values, _ = receive(batch, estimate)
        state = self.state
        steps = self._select(batch.memo, values)
        self._move(cma.update(state.distribution, self.rates, steps, self.weights))
