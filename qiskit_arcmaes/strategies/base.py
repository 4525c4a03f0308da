"""The ask/tell contract that every method keeps, and the CMA-ES round they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Setup:
    """What a method is told before the start.

    Attributes:
        mean: The start.
        step_size: The first step size, sigma0.
        popsize: Population size lambda, >= 2.
        domain: Walls and circles.
        budget: How many evaluations with one shot the whole run can pay.
        shots: The first M (for ``cma``, ``lra`` and ``psa`` the fixed one); None leaves it to the
            method.
        min_shots: The least M.
        overhead: What a new circuit costs, in shots.
        noise: Standard deviation tau of one shot, where the user knows it.
        reports_variances: Whether the oracle's estimates come with variances.
        angles: Whether the coordinates are angles of a circuit's gates, in radians.
    """

    mean: Array
    step_size: float
    popsize: int
    domain: Domain
    budget: float
    shots: int | None = None
    min_shots: int = 1
    overhead: float = 0.0
    noise: float | None = None
    reports_variances: bool = False
    angles: bool = False


@dataclass(frozen=True)
class Batch:
    """One job: points to evaluate, shape (n, d), all with the same shot count."""

    points: Array
    shots: int


@dataclass(kw_only=True)
class State:
    """What a method remembers: plain data, so that it can be saved, resumed and compared.

    Attributes:
        distribution: The CMA-ES distribution.
        rng: The only source of randomness.
        shots: The re-evaluation count M, real-valued, rounded only when used.
        steps: The steps of the batch that was asked and not yet told, in units of sigma.
        normals: The same steps along the eigenvectors of C, in units of the distribution's width.
        waiting: Rows of that batch; 0 when nothing is waiting.
    """

    distribution: cma.Distribution
    rng: np.random.Generator
    shots: float
    steps: Array = field(default_factory=lambda: np.empty((0, 0)))
    normals: Array = field(default_factory=lambda: np.empty((0, 0)))
    waiting: int = 0


class Method(ABC):
    """A way to turn noisy estimates into the next points and shots.

    Args:
        setup: The problem as the method sees it.
        rng: The generator to draw from; it becomes part of the state.
    """

    name: ClassVar[str]
    state: State

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        self.setup = setup

    @abstractmethod
    def ask(self) -> Batch:
        """The next job."""

    @abstractmethod
    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """Learn from the estimates of the batch asked last; NaN or infinite values rank last."""

    def restore(self, state: State) -> None:
        """Go on from a saved state; what follows from it is computed anew."""
        self.state = state

    @abstractmethod
    def first_jobs(self) -> list[tuple[int, int]]:
        """(points, shots) of every job up to the end of the first generation, at the most."""

    @property
    def finished(self) -> bool:
        """Whether the method has planned its last job; most leave that to the budget."""
        return False

    @property
    def answer(self) -> Array:
        """The point to recommend now: the distribution's mean or better, never a sample."""
        return self.setup.domain.wrap(self.state.distribution.mean)

    @property
    def belief_of_value(self) -> tuple[float, float] | None:
        """The loss at the present answer and its standard error, where the method knows them."""
        return None

    @property
    def decision(self) -> Mapping[str, float]:
        """What M was decided from, for the history; the same keys in every generation."""
        return {}

    def _receive(
        self, values: ArrayLike, variances: ArrayLike | None
    ) -> tuple[Array, Array | None]:
        """Check what was told, and mark every failed value as NaN."""
        array = np.array(values, dtype=float)
        if self.state.waiting == 0:
            raise RuntimeError("tell was called without a batch waiting: call ask first.")
        if array.shape != (self.state.waiting,):
            raise ValueError(
                f"values must have shape ({self.state.waiting},), one for each point asked, "
                f"not {array.shape}."
            )
        spread = None
        if variances is not None:
            spread = np.asarray(variances, dtype=float)
            if spread.shape != array.shape:
                raise ValueError(f"variances must have shape {array.shape}, not {spread.shape}.")
        array[~np.isfinite(array)] = np.nan
        self.state.waiting = 0
        return array, spread


class EvolutionStrategy(Method):
    """A method that samples one population a generation around the distribution's mean."""

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self._set_population(setup.popsize)
        first = setup.min_shots if setup.shots is None else max(setup.shots, setup.min_shots)
        self.state = self._start(cma.start(setup.mean, setup.step_size), rng, float(first))

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> State:
        """The first state; methods that remember more make their own kind."""
        return State(distribution=distribution, rng=rng, shots=shots)

    def _set_population(self, popsize: int) -> None:
        """Take a population size and all the constants that follow from it."""
        self.popsize = popsize
        self.weights = cma.rank_weights(popsize)
        self.rates = cma.parameters(len(self.setup.mean), cma.effective_parents(self.weights))

    def first_jobs(self) -> list[tuple[int, int]]:
        """One population."""
        return [(self.popsize, max(round(self.state.shots), 1))]

    def ask(self) -> Batch:
        """One population."""
        return self._batch(self._sample())

    def _sample(self) -> Array:
        """Draw a population, repaired into the bounds; its steps wait in the state."""
        state = self.state
        distribution = state.distribution
        state.normals = state.rng.standard_normal((self.popsize, len(distribution.mean)))
        state.steps = cma.stretch(distribution, state.normals)
        points = distribution.step_size * state.steps
        points += distribution.mean  # in place: populations may be large
        if self.setup.domain.walled:  # repaired points are what is told
            points = self.setup.domain.repair(points)
            state.steps = (points - distribution.mean) / distribution.step_size
            state.normals = state.steps @ distribution.basis / distribution.scales
        return points

    def _batch(self, points: Array) -> Batch:
        """Make a job of points, at the shots of the state."""
        self.state.waiting = len(points)
        return Batch(self.setup.domain.wrap(points), max(round(self.state.shots), 1))

    def _select(self, values: Array) -> Array:
        """The steps of the best, best first; failed ones come last."""
        return self.state.steps[values.argsort()[: len(self.weights)]]

    def _move(self, distribution: cma.Distribution) -> None:
        """Take a new distribution; on circles its width stays within a quarter period."""
        limit = self.setup.domain.step_limit
        if distribution.step_size * distribution.scales[-1] > limit:
            distribution.step_size = limit / float(distribution.scales[-1])
        self.state.distribution = distribution
