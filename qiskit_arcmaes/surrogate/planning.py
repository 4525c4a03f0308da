"""Designs within the budget: pairs and shots of the next one, and the last ones of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.params import DesignParams
from qiskit_arcmaes.surrogate.shots import Demand

_TINY = 1e-300  # replaces zero in denominators


@dataclass(frozen=True)
class Schedule:
    """How far the budget is used.

    Attributes:
        spent: One-shot evaluations so far.
        last_designs: Designs still to come, once the end is in sight; None before.
        finished: Whether the last design was told.
    """

    spent: float = 0.0
    last_designs: int | None = None
    finished: bool = False


@dataclass(frozen=True)
class DesignPlan:
    """Size of a design: different pairs, repeated pairs, shots per point."""

    pairs: int
    repeats: int
    shots: int

    @property
    def points(self) -> int:
        """Number of points."""
        return 2 * (self.pairs + self.repeats)


class DesignPlanner:
    """Plans designs within a budget.

    Args:
        setup: The problem.
        basis: The quadratic's basis.
        params: Parameters of the designs.

    Attributes:
        fewest_pairs: Pairs of the smallest design.
        enough_pairs: Pairs that resolve all coefficients.
        most_pairs: Pairs of the largest design.
        most_designs: About how many designs a run has at the most: fits take time.
    """

    def __init__(self, setup: Setup, basis: QuadraticBasis, params: DesignParams) -> None:
        self.setup, self.params = setup, params
        self._noise_known = setup.noise is not None or setup.reports_variances
        self.fewest_pairs = params.diagonal_pairs_per_dimension * basis.dim
        if basis.full:
            pairs = max(params.pairs_per_dimension * basis.dim, params.fewest_pairs)
            self.fewest_pairs = math.ceil(pairs)
        self.enough_pairs = max(basis.products // 2, self.fewest_pairs)
        affordable = int(min(params.most_pairs, params.most_operations / basis.count**2))
        self.most_pairs = max(self.enough_pairs, affordable)
        fits = params.most_fit_operations / basis.count**3
        self.most_designs = min(params.most_designs, fits)

    def first_plan(self) -> DesignPlan:
        """Size of the first design of a run."""
        return self.plan(Demand(self.fewest_pairs), Schedule())

    def plan(self, demand: Demand, schedule: Schedule) -> DesignPlan:
        """Size of the next design, from the cost that it should have."""
        cost = self._affordable_cost(demand, schedule)
        pairs = self._pairs(demand, cost)
        shots = max(int(cost / self._points(pairs)), self.setup.least_shots)
        while self._points(pairs + 1) * shots <= cost and pairs < self.most_pairs:
            pairs += 1  # what rounding the shots down has left
        return DesignPlan(pairs, self._repeats(pairs), shots)

    def counted_down(self, schedule: Schedule, demand: Demand) -> Schedule:
        """The schedule after a design: a few equal designs at the end, unless smaller ones do."""
        least, left = self._least_cost(demand), self.setup.budget - schedule.spent
        wanted = max(demand.cost, least)  # NaN before the first design: no end is in sight
        last = schedule.last_designs
        if last:
            last -= 1
            if self.params.cost_change * wanted * last < left:
                last = None
        elif wanted > left / self.params.last_designs:
            last = self.params.last_designs
        return replace(schedule, last_designs=last, finished=left < least or last == 0)

    def _affordable_cost(self, demand: Demand, schedule: Schedule) -> float:
        """The wanted cost, fitted to what is left of the budget."""
        least, left = self._least_cost(demand), self.setup.budget - schedule.spent
        cost = float(least) if math.isnan(demand.cost) else max(demand.cost, least)
        if schedule.last_designs:
            cost = max(left / schedule.last_designs, least)
        if left - cost < max(least, self.params.remainder * cost):
            cost = left  # no small design at the end
        return cost

    def _least_cost(self, demand: Demand) -> int:
        smallest = self._points(demand.fewest_pairs) * self.setup.least_shots
        least = max(self.setup.budget / self.most_designs, self.setup.least_job)
        return max(smallest, int(least))

    def _pairs(self, demand: Demand, cost: float) -> int:
        """More points while lack of fit dominates, more shots while noise (or overhead) does.

        Single shots show outliers, means of many hide them.
        """
        params, enough = self.params, self.enough_pairs
        pairs = cost / 2 / (1.0 if self._noise_known else 1 + params.repeated_share)
        useful = pairs / self._useful_shots(demand)
        pairs = useful if useful > enough else min(pairs, enough)
        most = self.most_pairs
        even = demand.antisymmetric <= demand.symmetric / params.symmetric_excess
        if even and not demand.outliers:
            most = min(params.most_enough * enough, most)
        chosen = int(min(max(pairs, demand.fewest_pairs), most))
        while self._points(chosen) * self.setup.least_shots > cost and chosen > demand.fewest_pairs:
            chosen -= 1
        return chosen

    def _useful_shots(self, demand: Demand) -> float:
        """Shots per point beyond which further points are better than further shots."""
        shots = float(self.setup.least_shots)
        if math.isnan(demand.noise) or demand.outliers:
            return shots
        noise, lack = demand.noise, max(demand.antisymmetric, demand.symmetric, _TINY)
        return max(shots, noise / lack, math.sqrt(self.setup.overhead * noise / lack))

    def _repeats(self, pairs: int) -> int:
        if self._noise_known:
            return 0
        return max(self.params.fewest_repeats, int(self.params.repeated_share * pairs))

    def _points(self, pairs: int) -> int:
        return 2 * (pairs + self._repeats(pairs))
