"""Three-stage CMA-ES: shots rise tenfold twice, on a schedule fixed beforehand.

Cade et al., Phys. Rev. B 102, 235122 (2020); Bonet-Monroig et al. (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.method import Batch, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy, StrategyState

_STAGES = ((10, 1), (3, 10), (1, 100))  # candidates in units of n, shots in units of M1
_UNIT = sum(candidates * shots for candidates, shots in _STAGES)  # 140: the budget is 140 n M1


@dataclass(kw_only=True)
class ThreeStageState(StrategyState):
    """Adds the candidates evaluated so far."""

    candidates: int = 0


class ThreeStage(EvolutionStrategy):
    """10n, 3n and n candidates at M1, 10 M1 and 100 M1 shots, n = B/(140 M1).

    M1 = B/10⁵ unless ``shots`` says otherwise, which gives the paper's 100, 1000 and 10000 at
    B = 10⁷; small budgets get the largest M1 that leaves every stage two generations. The
    distribution is kept between the stages.
    """

    phase = "three-stage CMA-ES"
    columns = EvolutionStrategy.columns | {"stage": "stage"}
    state: ThreeStageState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self.first_shots = self.state.shots
        self.unit = setup.budget / (_UNIT * self.first_shots)

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> ThreeStageState:
        if self.setup.shots is None:
            affordable = self.setup.budget / (_UNIT * 2 * self.popsize)
            shots = max(min(self.setup.budget / 1e5, affordable), shots)
        return ThreeStageState(distribution=distribution, rng=rng, shots=shots)

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """One ordinary update, then on to the next stage when this one's candidates are used."""
        values, _ = receive(batch, estimate)
        state = self.state
        steps = self._select(batch.memo, values)
        self._move(cma.update(state.distribution, self.rates, steps, self.weights))
        state.candidates += self.popsize
        state.shots = self.first_shots * _STAGES[self._stage()][1]

    def _stage(self) -> int:
        """Which stage the next whole generation belongs to."""
        ends = self.unit * np.cumsum([candidates for candidates, _ in _STAGES])
        next_end = self.state.candidates + self.popsize / 2
        return min(int(np.searchsorted(ends, next_end)), len(_STAGES) - 1)

    def _diagnostics(self) -> Mapping[str, float]:
        """The stage, from 1 to 3."""
        return {"stage": self._stage() + 1.0}
