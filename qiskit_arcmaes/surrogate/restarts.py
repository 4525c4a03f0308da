"""Restarts: local searches from other starts, of which the best one is continued."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.design import Design
from qiskit_arcmaes.surrogate.local_search import Finding, LocalSearch, LocalSearcher
from qiskit_arcmaes.surrogate.params import RestartParams

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Multistart:
    """State of local searches from several starts.

    Attributes:
        search: The present search.
        best: The best search so far that has converged, while other starts are tried.
        starts: Starts made so far.
        returns: Starts that ended at the minimum of the best one.
        exploring: Whether further starts may be made.
    """

    search: LocalSearch
    best: LocalSearch | None = None
    starts: int = 1
    returns: int = 0
    exploring: bool = True

    @property
    def recommended(self) -> LocalSearch:
        """The search whose minimiser is recommended."""
        return self.best or self.search

    @property
    def elsewhere(self) -> bool:
        """Whether the present search is one from another start that is only tried."""
        return self.exploring and self.starts > 1


class RestartedSearch:
    """Local searches from several starts.

    Once a search has converged, the next one begins elsewhere, as long as a share of the budget
    pays for it and until enough of them have ended at the best minimum known.

    Args:
        setup: The problem.
        searcher: Advances each search.
        fewest_pairs: Pairs of the smallest design of the first search.
        most_pairs: The most pairs of the smallest design of any search.
        params: Parameters of the restarts.
    """

    def __init__(
        self,
        setup: Setup,
        searcher: LocalSearcher,
        fewest_pairs: int,
        most_pairs: int,
        params: RestartParams,
    ) -> None:
        self.setup, self.searcher, self.params = setup, searcher, params
        self.fewest_pairs, self.most_pairs = fewest_pairs, most_pairs
        self._most_restarts = math.inf if setup.restarts is None else setup.restarts

    def start(self) -> Multistart:
        """The first search."""
        return Multistart(self.searcher.start(self.setup.start.copy(), self.fewest_pairs, 0.0))

    def advance(
        self,
        state: Multistart,
        design: Design,
        noise: NoiseLevel,
        shots: int,
        spent: tuple[float, float],
        rng: np.random.Generator,
    ) -> tuple[Multistart, Finding]:
        """Advance the present search; then continue it, begin another one, or return to the best.

        Args:
            state: The present state.
            design: The newest design of the present search.
            noise: The noise level.
            shots: Shots per point of the design.
            spent: One-shot evaluations of the design, and of the whole run.
            rng: The generator to draw a start from.
        """
        search, finding = self.searcher.advance(state.search, design, noise, shots, spent[0])
        return self.next_search(replace(state, search=search), spent[1], rng), finding

    def next_search(self, state: Multistart, spent: float, rng: np.random.Generator) -> Multistart:
        """Decide which search is advanced next.

        Args:
            state: The state after a design.
            spent: One-shot evaluations of the whole run.
            rng: The generator to draw a start from.
        """
        search, share = state.search, self.params.share * self.setup.budget
        too_long = state.best is not None and spent > share
        if not state.exploring or not (search.converged or too_long):
            return state
        if search.converged:
            state = self._compared(state)
        next_ends_at = 3 * spent - 2 * search.started_at  # it will cost twice as much as this one
        affordable = next_ends_at <= share and state.returns < self.params.returns
        if search.converged and affordable and state.starts <= self._most_restarts:
            return self._elsewhere(state, spent, rng)
        return replace(state, search=state.recommended, best=None, exploring=False)

    def end_exploration(self, state: Multistart) -> Multistart:
        """Continue the present search if it is lower than the best one, else that."""
        search, best = state.search, state.best
        if best is not None and not is_lower(search, best, self.params.significance):
            search = best
        return replace(state, search=search, best=None, exploring=False)

    def _compared(self, state: Multistart) -> Multistart:
        """Compare a converged search with the best one so far."""
        search, best = state.search, state.best
        if best is None:
            return replace(state, best=search)
        if same_minimum(self.setup.domain, search, best):
            state = replace(state, returns=state.returns + 1)
        lower = is_lower(search, best, self.params.significance)
        return replace(state, best=search) if lower else state

    def _elsewhere(self, state: Multistart, spent: float, rng: np.random.Generator) -> Multistart:
        """Begin a search from another start, with larger designs."""
        setup, params = self.setup, self.params
        pairs = min(params.growth * state.search.demand.fewest_pairs, self.most_pairs)
        point = draw_start(setup.domain, setup.start, params.reach * setup.sigma0, rng)
        search = self.searcher.start(point, pairs, spent)
        return replace(state, search=search, starts=state.starts + 1)


def draw_start(domain: Domain, first: Array, deviation: float, rng: np.random.Generator) -> Array:
    """Draw another start: uniform between bounds and over periods, else normal.

    Args:
        domain: Bounds and periods.
        first: The first start, shape (d,).
        deviation: Standard deviation around it along coordinates without two bounds.
        rng: The generator to draw from.
    """
    width = np.where(domain.periodic, domain.periods, domain.upper - domain.lower)
    bounded = np.isfinite(width)
    origin = np.where(np.isfinite(domain.lower), domain.lower, first - width / 2)
    around = first + deviation * rng.standard_normal(len(first))
    within = np.where(bounded, origin, 0.0) + np.where(bounded, width, 0.0) * rng.random(len(first))
    return domain.repair(np.where(bounded, within, around))


def same_minimum(domain: Domain, one: LocalSearch, other: LocalSearch) -> bool:
    """Whether two searches have come to one minimum: either distribution contains both centres."""
    return contains(domain, one, other.centre) or contains(domain, other, one.centre)


def contains(domain: Domain, search: LocalSearch, point: Array) -> bool:
    """Whether a point is as near to the centre of a search as its samples are.

    Args:
        domain: Its periods.
        search: Whose distribution.
        point: Shape (d,); periodic coordinates may be wrapped.
    """
    apart = point - search.centre
    periods = np.where(domain.periodic, domain.periods, 1.0)
    apart = np.where(domain.periodic, apart - periods * np.round(apart / periods), apart)
    distance = float(np.linalg.norm(np.linalg.solve(search.distribution.scale, apart)))
    return distance < math.sqrt(len(apart))


def is_lower(one: LocalSearch, other: LocalSearch, significance: float) -> bool:
    """Whether the minimum of one search is lower by a number of errors of the difference."""
    return one.value + significance * math.hypot(one.std, other.std) < other.value
