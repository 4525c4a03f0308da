"""UH-CMA-ES: uncertainty handling by the rank changes of re-evaluated candidates.

N. Hansen, A. Niederberger, L. Guzzella, P. Koumoutsakos, "A method for handling uncertainty in
evolutionary optimization", IEEE TEC 13 (2009). The constants are that paper's; re-evaluations are
averaged with the mean, and sigma is raised only once the shots are at their maximum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import Batch, EvolutionStrategy, Setup, State

Array = NDArray[np.float64]

_THETA = 0.2  # acceptance threshold for rank changes, in units of a random change
_SHOTS_FACTOR = 1.5  # alpha_t
_REEVALUATED = 0.1  # share of the population, but at least two
_BUDGET_SHARE = 0.01  # of the budget that one generation may take at the most


@dataclass(kw_only=True)
class UncertaintyState(State):
    """Adds which candidates are re-evaluated, and the last measured uncertainty s."""

    repeated: int = 0
    uncertainty: float = 0.0


class UncertaintyHandling(EvolutionStrategy):
    """Re-evaluates a tenth of the population; shots grow while the ranks change too much."""

    name = "uh"
    state: UncertaintyState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self.step_factor = 1 + 2 / (len(setup.mean) + 10)  # alpha_sigma
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
        state = self.state
        points = self._sample()
        expected = max(_REEVALUATED * self.popsize, 2.0)
        state.repeated = int(expected) + int(state.rng.random() < expected % 1)
        return self._batch(np.concatenate([points, points[: state.repeated]]))

    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """Rank by the average of both values, then adapt the shots to the rank changes."""
        values, _ = self._receive(values, variances)
        state = self.state
        first, second = values[: self.popsize], values[self.popsize :]
        merged = first.copy()
        merged[: state.repeated] = (first[: state.repeated] + second) / 2
        steps = self._select(merged)
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

    @property
    def decision(self) -> Mapping[str, float]:
        """The measured uncertainty s: above zero the shots grow."""
        return {"uncertainty": self.state.uncertainty}


def rank_change_limit(rank: int, popsize: int) -> float:
    """Quantile theta/2 of |r - rank|, r = 1 .. 2 lambda - 1: the change of a random rank."""
    changes = np.abs(np.arange(1, 2 * popsize) - (rank + 1))
    return float(np.percentile(changes, _THETA * 50))
