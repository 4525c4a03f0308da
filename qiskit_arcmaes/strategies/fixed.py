"""Plain CMA-ES with the same number of shots in every generation."""

from __future__ import annotations

from numpy.typing import ArrayLike

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy


class FixedShots(EvolutionStrategy):
    """CMA-ES at constant M: the baseline.

    Under noise of standard deviation s its error on the sphere ends at about
    s d / (4 mu_eff c_w): ten times the shots buy three times the accuracy.
    """

    name = "cma"

    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """One ordinary update."""
        values, _ = self._receive(values, variances)
        state = self.state
        steps = self._select(values)
        self._move(cma.update(state.distribution, self.rates, steps, self.weights))
