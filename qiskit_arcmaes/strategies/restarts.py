"""Several starts of ``ar`` on periodic coordinates, of which the best one is continued.

The loss of a circuit has many minima, and a strategy of full steps ends in one of them. Half of
the budget pays short runs, the first from the user's start, the others from random angles. Their
recommendations are measured side by side, by values that none of them was chosen by, and the best
run goes on with the rest. The price is bounded: the last run has about half of the shots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Method, Progress, Setup, State, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation, AdaptiveState
from qiskit_arcmaes.strategies.adaptive_params import (
    RESTARTS,
    STANDALONE,
    AdaptiveParams,
    RestartParams,
)
from qiskit_arcmaes.strategies.phases import periods

Array = NDArray[np.float64]

COMPARISON = "comparison of starts"


@dataclass
class End:
    """Where a start has ended.

    Attributes:
        point: Its recommendation, shape (d,).
        state: Its state, to go on from.
    """

    point: Array
    state: AdaptiveState


@dataclass(kw_only=True)
class RestartState(State):
    """What the starts have come to.

    Attributes:
        current: State of the run that is going on; its generator is that of the whole.
        ends: Of the starts that have ended, until they are compared.
        chosen: Whether they were compared.
    """

    current: AdaptiveState
    ends: list[End] = field(default_factory=list)
    chosen: bool = False


def count_starts(
    setup: Setup, params: AdaptiveParams = STANDALONE, restarts: RestartParams = RESTARTS
) -> int:
    """How many starts the budget pays: each has the generations that a strategy plans for.

    One where the user says how far to search and asks for no restarts, or where a coordinate is not
    periodic, so that there is no range to draw other starts from.
    """
    near = setup.trust_radius is not None and setup.restarts is None
    if near or not np.all(periods(setup) > 0):
        return 1
    generation = setup.popsize * (setup.min_shots + setup.overhead)
    least = restarts.fewest_generations * params.generations_per_dimension * setup.dim * generation
    most = restarts.most_starts if setup.restarts is None else setup.restarts + 1
    return max(min(most, int(restarts.explored * setup.budget / least)), 1)


def draw_start(setup: Setup, rng: np.random.Generator) -> Array:
    """A point with uniformly distributed phases."""
    lower, widths = setup.domain.lower, periods(setup)
    origin = np.where(np.isfinite(lower), lower, -widths / 2)
    return np.asarray(origin + widths * rng.random(setup.dim))


class RestartedReevaluation(Method):
    """``ar`` from several starts.

    Args:
        setup: The problem.
        rng: The generator to draw from.
        starts: How many, >= 2.
        params: Constants of the strategy.
        restarts: Constants of the starts.
    """

    columns: ClassVar[Mapping[str, str]] = AdaptiveReevaluation.columns
    state: RestartState

    def __init__(
        self,
        setup: Setup,
        rng: np.random.Generator,
        starts: int,
        params: AdaptiveParams = STANDALONE,
        restarts: RestartParams = RESTARTS,
    ) -> None:
        super().__init__(setup, rng)
        self.starts, budget = starts, setup.budget
        each = restarts.explored * budget / starts
        rest = (1 - restarts.explored - restarts.compared) * budget
        self.comparison_shots = max(round(restarts.compared * budget / starts), setup.min_shots)
        self.explorer = AdaptiveReevaluation(replace(setup, budget=each), rng, params)
        self.finisher = AdaptiveReevaluation(replace(setup, budget=each + rest), rng, params)
        self.state = RestartState(rng=rng, current=self.explorer.state)

    @property
    def strategy(self) -> AdaptiveReevaluation:
        """Of the run that is going on."""
        return self.finisher if self.state.chosen else self.explorer

    def first_jobs(self) -> list[tuple[int, int]]:
        """Those of the first start."""
        return self.explorer.first_jobs()

    @property
    def recommendation(self) -> Array:
        """That of the first start until the starts are compared, then of the best one."""
        ends = self.state.ends
        return ends[0].point if ends else self.strategy.recommendation

    def report(self) -> Progress:
        """Of the run that is going on."""
        return self.strategy.report()

    def ask(self) -> Batch:
        """A generation of a run, or all recommendations side by side."""
        ends = self.state.ends
        if len(ends) == self.starts:
            return Batch(np.stack([end.point for end in ends]), self.comparison_shots, COMPARISON)
        return self.strategy.ask()

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from a generation, and end the start that has used its share; or choose."""
        if batch.phase == COMPARISON:
            values, _ = receive(batch, estimate)
            self._choose(values)
            return
        self.strategy.tell(batch, estimate)
        self.state.current = self.strategy.state
        if not self.state.chosen and self.explorer.state.spent >= self._last_begin:
            self._end_start()

    @property
    def _last_begin(self) -> float:
        """What a start may have spent when another generation begins."""
        return self.explorer.setup.budget - self.explorer.popsize * self.explorer.state.shots

    def _end_start(self) -> None:
        """Keep the end of a start, and begin the next one with what is known of the noise."""
        state, explorer = self.state, self.explorer
        state.ends.append(End(explorer.recommendation, explorer.state))
        if len(state.ends) < self.starts:
            point = draw_start(self.setup, explorer.state.rng)
            explorer.restart_with(cma.start(point, self.setup.sigma0))
            explorer.forget_progress()
            state.current = explorer.state

    def _choose(self, values: Array) -> None:
        """Go on from the end with the lowest value; from the first where none is known."""
        state = self.state
        best = 0 if np.isnan(values).all() else int(np.nanargmin(values))
        chosen = replace(state.ends[best].state, rng=state.rng)
        self.finisher.restore(chosen)
        state.current, state.chosen, state.ends = chosen, True, []

    def restore(self, state: RestartState) -> None:
        """Go on from a saved state; all runs draw from one generator."""
        super().restore(state)
        state.rng = state.current.rng
        self.strategy.restore(state.current)


def adaptive_reevaluation(
    setup: Setup,
    rng: np.random.Generator,
    params: AdaptiveParams = STANDALONE,
    restarts: RestartParams = RESTARTS,
) -> Method:
    """Build ``ar``: from several starts where the budget pays them.

    Args:
        setup: The problem.
        rng: The generator to draw from.
        params: Constants of the strategy.
        restarts: Constants of the starts.
    """
    starts = count_starts(setup, params, restarts)
    if starts > 1:
        return RestartedReevaluation(setup, rng, starts, params, restarts)
    return AdaptiveReevaluation(setup, rng, params)
