"""What all evolution strategies share: one population per generation, one update of CMA-ES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Array, Batch, Method, Progress, Setup, State
from qiskit_arcmaes.strategies import cma


@dataclass(kw_only=True)
class StrategyState(State):
    """What every evolution strategy remembers.

    Attributes:
        distribution: The CMA-ES distribution.
        shots: The re-evaluation count M, real-valued, rounded only when used.
    """

    distribution: cma.Distribution
    shots: float


@dataclass(frozen=True)
class Population:
    """The candidates of one generation, as their batch carries them.

    Attributes:
        steps: (x - mean)/sigma of each candidate, shape (lambda, d).
        normals: The same along the eigenvectors of C, in units of the distribution's width.
        repeated: How many of the first candidates are evaluated a second time.
    """

    steps: Array
    normals: Array
    repeated: int = 0


class EvolutionStrategy(Method):
    """A method that samples one population per generation around the distribution's mean.

    Attributes:
        phase: What its jobs are called in the history and in ``result.algorithm``.
    """

    phase: ClassVar[str]
    columns: ClassVar[dict[str, str]] = {
        "step_size": "step size sigma",
        "condition": "condition of C",
    }
    state: StrategyState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self._set_population(setup.popsize)
        first = setup.min_shots if setup.shots is None else max(setup.shots, setup.min_shots)
        self.state = self._start(cma.start(setup.start, setup.sigma0), rng, float(first))

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> StrategyState:
        """The first state; methods that remember more make their own kind."""
        return StrategyState(distribution=distribution, rng=rng, shots=shots)

    def _set_population(self, popsize: int) -> None:
        """Take a population size and all the constants that follow from it."""
        self.popsize = popsize
        self.weights = cma.rank_weights(popsize)
        self.rates = cma.parameters(self.setup.dim, cma.effective_parents(self.weights))

    def first_jobs(self) -> list[tuple[int, int]]:
        """One population."""
        return [(self.popsize, self._shots)]

    @property
    def recommendation(self) -> Array:
        """The mean of the distribution; of points on a bound it may lie a rounding beyond it."""
        mean, domain = self.state.distribution.mean, self.setup.domain
        return domain.wrap(domain.repair(mean) if domain.bounded else mean)

    def report(self) -> Progress:
        """Generation, width and shots; the diagnostics are those of ``_diagnostics``."""
        distribution = self.state.distribution
        return Progress(
            iteration=distribution.generation,
            radius=distribution.step_size * float(distribution.scales[-1]),
            next_shots=self.state.shots,
            diagnostics={
                "step_size": distribution.step_size,
                "condition": distribution.condition,
                **self._diagnostics(),
            },
        )

    def _diagnostics(self) -> Mapping[str, float]:
        """What M was decided from; the names are those of ``columns``."""
        return {}

    def ask(self) -> Batch:
        """One population."""
        points, population = self._sample()
        return self._batch(points, population)

    def _sample(self) -> tuple[Array, Population]:
        """Draw a population, repaired into the bounds, and its steps."""
        distribution = self.state.distribution
        normals, steps = self._draw()
        points = distribution.step_size * steps
        points += distribution.mean  # in place: populations may be large
        if self.setup.domain.bounded:  # the update learns from the points that are evaluated
            points = self.setup.domain.repair(points)
            steps = (points - distribution.mean) / distribution.step_size
            normals = steps @ distribution.basis / distribution.scales
        return points, Population(steps, normals)

    def _draw(self) -> tuple[Array, Array]:
        """Standard normal rows, shape (lambda, d), and the steps N(0, C) that they make."""
        normals = self.state.rng.standard_normal((self.popsize, self.setup.dim))
        return normals, cma.stretch(self.state.distribution, normals)

    def _batch(self, points: Array, population: Population) -> Batch:
        """Make a job of points, at the shots of the state."""
        return Batch(self.setup.domain.wrap(points), self._shots, self.phase, population)

    @property
    def _shots(self) -> int:
        """M as an integer."""
        return max(round(self.state.shots), 1)

    def _select(self, population: Population, values: Array) -> NDArray[np.float64]:
        """The steps of the best, best first; failed ones come last."""
        return population.steps[values.argsort()[: len(self.weights)]]

    def _move(self, distribution: cma.Distribution) -> None:
        """Take a new distribution; periodic coordinates limit its width to a quarter period."""
        limit = self.setup.domain.step_limit
        if distribution.step_size * distribution.scales[-1] > limit:
            distribution.step_size = limit / float(distribution.scales[-1])
        self.state.distribution = distribution
