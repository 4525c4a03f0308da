"""UH-CMA-ES: uncertainty handling by the rank changes of re-evaluated candidates.

N. Hansen, A. Niederberger, L. Guzzella, P. Koumoutsakos, "A method for handling uncertainty in
evolutionary optimization", IEEE TEC 13 (2009). The constants are that paper's; re-evaluations are
averaged with the mean, and sigma is raised only once the shots are at their maximum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy, StrategyState

Array = NDArray[np.float64]

_THETA = 0.2  # acceptance threshold for rank changes, in units of a random change
_SHOTS_FACTOR = 1.5  # alpha_t
_REEVALUATED = 0.1  # share of the population, but at least two
_BUDGET_SHARE = 0.01  # of the budget that one generation may take at the most


@dataclass(kw_only=True)
class UncertaintyState(StrategyState):
    """Adds the last measured uncertainty s of the ranks."""

    uncertainty: float = 0.0


class UncertaintyHandling(EvolutionStrategy):
    """Re-evaluates a tenth of the population; shots grow while the ranks change too much."""

    phase = "CMA-ES with uncertainty handling"
    columns = EvolutionStrategy.columns | {"uncertainty": "uncertainty of the ranks"}
    state: UncertaintyState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self.step_factor = 1 + 2 / (setup.dim + 10)  # alpha_sigma
        self.max_shots = max(_BUDGET_SHARE * setup.budget / self.popsize, self.state.shots)
        self.limits = np.array(
            [rank_change_limit(rank, self.popsize) for rank in range(2 * self.popsize)]
        )

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> UncertaintyState:
        return UncertaintyState(distribution=distribution, rng=rng, shots=shots)

    def first_jobs(self) -> list[tuple[int, int]]:
        """One population and its re-evaluations."""
        ((points, shots),) = super().first_jobs()
        return [(points + math.ceil(max(_REEVALUATED * self.popsize, 2)), shots)]

    def ask(self) -> Batch:
        """One population, and the first few of it a second time."""
        points, population = self._sample()
        expected = max(_REEVALUATED * self.popsize, 2.0)
        repeated = int(expected) + int(self.state.rng.random() < expected % 1)
        points = np.concatenate([points, points[:repeated]])
        return self._batch(points, replace(population, repeated=repeated))

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Rank by the average of both values, then adapt the shots to the rank changes."""
        values, _ = receive(batch, estimate)
        repeated = batch.memo.repeated
        state = self.state
        first, second = values[: self.popsize], values[self.popsize :]
        merged = first.copy()
        merged[:repeated] = (first[:repeated] + second) / 2
        steps = self._select(batch.memo, merged)
        self._move(cma.update(state.distribution, self.rates, steps, self.weights))
        state.uncertainty = self._uncertainty(first, second)
        if state.uncertainty <= 0:
            state.shots = max(state.shots / _SHOTS_FACTOR, self.setup.min_shots)
        elif state.shots < self.max_shots:
            state.shots = min(state.shots * _SHOTS_FACTOR, self.max_shots)
        else:
            state.distribution.step_size *= self.step_factor

    def _uncertainty(self, first: Array, second: Array) -> float:
        """The mean of 2|change| - limit(new rank) - limit(old rank), over the re-evaluated."""
        count = len(second)
        fresh = first.copy()
        fresh[:count] = second
        both = np.argsort(np.argsort(np.concatenate([fresh, first])))
        new, old = both[:count], both[self.popsize : self.popsize + count]
        change = new - old - np.sign(new - old)
        limits = self.limits[new - (new > old)] + self.limits[old - (old > new)]
        return float(np.mean(2 * np.abs(change) - limits))

    def _diagnostics(self) -> Mapping[str, float]:
        """The measured uncertainty s: above zero the shots grow."""
        return {"uncertainty": self.state.uncertainty}


def rank_change_limit(rank: int, popsize: int) -> float:
    """Quantile theta/2 of |r - rank|, r = 1 .. 2 lambda - 1: the change of a random rank."""
    changes = np.abs(np.arange(1, 2 * popsize) - (rank + 1))
    return float(np.percentile(changes, _THETA * 50))
