"""The quadratic surrogate: a local quadratic of all that was measured guides the search.

Evolution strategies under noise shrink their distribution until the noise hides the signal, and end
with an error that falls as 1/sqrt(budget). Here the sampling distribution stays as large as a
quadratic fits, the quadratic is fitted to all designs near it, its minimiser is the next centre and
the recommendation, and its own errors tell what a further design is worth: the error falls as
1/budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Method, Progress, Setup, receive
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import (
    Design,
    SamplingDistribution,
    draw_points,
    make_design,
)
from qiskit_arcmaes.surrogate.local_search import LocalSearch, LocalSearcher
from qiskit_arcmaes.surrogate.noise import measure_noise, rounding_variance
from qiskit_arcmaes.surrogate.params import DEFAULTS, SurrogateParams
from qiskit_arcmaes.surrogate.planning import DesignPlanner
from qiskit_arcmaes.surrogate.restarts import RestartedSearch
from qiskit_arcmaes.surrogate.state import COLUMNS, DesignMemo, Diagnostics, SurrogateState

Array = NDArray[np.float64]

FEWEST_DESIGNS = 3
"""Smallest designs that a budget must pay; with fewer no surrogate helps."""

_PHASE, _OTHER_START = "quadratic surrogate", "quadratic surrogate from another start"


def affordable(setup: Setup, params: SurrogateParams = DEFAULTS) -> bool:
    """Whether the budget pays three of the smallest designs.

    Args:
        setup: The problem.
        params: Parameters of the surrogate.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> setup = Setup(np.zeros(5), 1.0, 8, make_domain(5), budget=1e5)
        >>> affordable(setup), affordable(replace(setup, budget=100.0))
        (True, False)
    """
    basis = QuadraticBasis(setup.dim, params.regression.full_dimension)
    any_number = replace(setup, max_jobs=None)
    plan = DesignPlanner(any_number, basis, params.design).first_plan()
    return setup.budget >= FEWEST_DESIGNS * plan.points * plan.shots


class QuadraticSurrogate(Method):
    """Designs of mirrored samples around the minimiser of a local quadratic.

    Args:
        setup: The problem.
        rng: The generator to draw from.
        params: Parameters of the parts.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> setup = Setup(np.full(3, 2.0), 1.0, 8, make_domain(3), budget=1e4)
        >>> method = QuadraticSurrogate(setup, np.random.default_rng(1))
        >>> while not method.finished:
        ...     batch = method.ask()
        ...     method.tell(batch, Estimate(np.sum(batch.points**2, axis=1)))
        >>> bool(np.abs(method.recommendation).max() < 1e-6)
        True
    """

    columns: ClassVar[Mapping[str, str]] = COLUMNS
    state: SurrogateState

    def __init__(
        self, setup: Setup, rng: np.random.Generator, params: SurrogateParams = DEFAULTS
    ) -> None:
        super().__init__(setup, rng)
        self.params = params
        basis = QuadraticBasis(setup.dim, params.regression.full_dimension)
        self.planner = DesignPlanner(setup, basis, params.design)
        self.searcher = LocalSearcher(setup, basis, params)
        most_pairs = params.design.most_enough * self.planner.enough_pairs
        self.restarts = RestartedSearch(
            setup, self.searcher, self.planner.fewest_pairs, most_pairs, params.restarts
        )
        self.state = SurrogateState(rng=rng, multistart=self.restarts.start())

    def first_jobs(self) -> list[tuple[int, int]]:
        """The first design."""
        plan = self.planner.first_plan()
        return [(plan.points, plan.shots)]

    @property
    def finished(self) -> bool:
        """Whether the last design was told."""
        return self.state.schedule.finished

    @property
    def recommendation(self) -> Array:
        """The minimiser of the best search."""
        return self.setup.domain.wrap(self.state.multistart.recommended.centre)

    def take_over(self, search: LocalSearch, newest: Design, shots: int, noise: NoiseLevel) -> None:
        """Go on from a search that others have paid for.

        Args:
            search: Where a quadratic fits, with all designs but the newest.
            newest: The newest design.
            shots: Shots per point of it.
            noise: The noise level.
        """
        state = SurrogateState(rng=self.state.rng, multistart=self.restarts.start())
        state.iteration = newest.number  # numbers of designs stay unique
        self.restore(state)
        cost = 2 * len(newest.offsets) * shots
        search, _ = self.searcher.advance(search, newest, noise, shots, cost)
        state.multistart = replace(state.multistart, search=search)
        state.noise = noise

    def begin_at(self, distribution: SamplingDistribution, noise: NoiseLevel) -> None:
        """Begin with another distribution than that around x0.

        Args:
            distribution: Where the first design is drawn.
            noise: The noise level.
        """
        state = SurrogateState(rng=self.state.rng, multistart=self.restarts.start())
        search = replace(state.multistart.search, distribution=distribution)
        state.multistart = replace(state.multistart, search=search)
        state.noise = noise
        self.restore(state)

    def leave_start(self) -> None:
        """Return from another start to the best search; no further start is made."""
        state = self.state
        best = state.multistart.recommended
        state.multistart = replace(state.multistart, search=best, best=None, exploring=False)

    def ask(self) -> Batch:
        """One design, some of its pairs twice where the noise is unknown."""
        state, search = self.state, self.state.multistart.search
        plan = self.planner.plan(search.demand, state.schedule)
        drawn = draw_points(state.rng, search.distribution, plan.pairs, plan.repeats)
        points = self.setup.domain.repair(drawn)
        phase = _OTHER_START if state.multistart.elsewhere else _PHASE
        memo = DesignMemo(points, plan.repeats)
        return Batch(self.setup.domain.wrap(points), plan.shots, phase, memo)

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from a design: noise, minimiser, next search, end of the run."""
        values, variances = receive(batch, estimate)
        state, memo, shots = self.state, batch.memo, batch.shots
        spent = state.schedule.spent + len(values) * shots
        state.schedule = replace(state.schedule, spent=spent)
        state.iteration += 1
        params, search = self.params.noise, state.multistart.search
        state.noise, measured = measure_noise(
            state.noise, values, variances, shots, memo.repeats, self.setup.noise, params
        )
        search = self.searcher.follow_noise(search, memo.points, measured)
        state.multistart = replace(state.multistart, search=search)
        noise = max(state.noise.variance, shots * rounding_variance(values, params))
        scale = search.distribution.scale
        design = make_design(memo.points, values, noise, shots, scale, state.iteration)
        if len(design.offsets) > 0:  # else every pair has a failed value
            self._advance(design, shots, len(values) * shots)
        demand = state.multistart.search.demand
        state.schedule = self.planner.counted_down(state.schedule, demand)

    def _advance(self, design: Design, shots: int, cost: float) -> None:
        state = self.state
        starts = state.multistart.starts
        state.multistart, finding = self.restarts.advance(
            state.multistart, design, state.noise, shots, (cost, state.schedule.spent), state.rng
        )
        significant = finding.lack.significant(self.params.trust_region)
        state.doubts = state.doubts + 1 if significant else 0
        state.diagnostics = Diagnostics.of_design(
            finding, state.noise.variance, shots, self.setup.overhead, starts
        )

    def report(self) -> Progress:
        """Progress of the local search."""
        state, search = self.state, self.state.multistart.search
        radius, recommended = search.distribution.radius, state.multistart.recommended
        shots = float(self.planner.plan(search.demand, state.schedule).shots)
        shown = state.diagnostics.by_name()
        return Progress(state.iteration, radius, shots, recommended.value, recommended.std, shown)

    def restore(self, state: SurrogateState) -> None:
        """Go on from a saved state."""
        super().restore(state)
        self.searcher.cache.keep_only([])
