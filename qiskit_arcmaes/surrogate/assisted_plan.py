"""What an evolution strategy with a surrogate spends on what."""

from __future__ import annotations

import math
from dataclasses import replace

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.strategies.adaptive_params import DEFAULTS as STRATEGY_DEFAULTS
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.params import DEFAULTS, AssistanceParams, SurrogateParams
from qiskit_arcmaes.surrogate.quadratic import affordable as surrogate_affordable

MOST_COMPARED = 5
"""Points of the last comparison at the most."""


def affordable(setup: Setup, params: SurrogateParams = DEFAULTS) -> bool:
    """Whether the budget pays a surrogate or a descent, and the jobs a strategy beside it.

    Args:
        setup: The problem.
        params: Parameters of the surrogate.

    Example:
        >>> import numpy as np
        >>> from qiskit_arcmaes.domain import make_domain
        >>> setup = Setup(np.zeros(5), 1.0, 8, make_domain(5), budget=1e5)
        >>> affordable(setup), affordable(replace(setup, max_jobs=30))
        (True, False)
    """
    jobs = math.inf if setup.max_jobs is None else setup.max_jobs
    enough = jobs >= params.assistance.jobs_per_dimension * setup.dim
    points = 2 * setup.dim + 1 + len(params.descent.fractions)
    descent = params.descent.fewest_iterations * points * setup.least_shots
    return enough and (setup.budget >= descent or surrogate_affordable(setup, params))


def strategy_setup(
    setup: Setup, explorations: int = 0, params: AssistanceParams = DEFAULTS.assistance
) -> Setup:
    """The problem as the strategy gets it: an even population, no more jobs than there may be.

    Args:
        setup: The problem.
        explorations: How often it has begun elsewhere: each time with twice the population (IPOP,
            Auger and Hansen 2005), and with the evaluations of a run of its own as its budget.
        params: Parameters of the assistance.
    """
    popsize = STRATEGY_DEFAULTS.popsize(setup.dim, setup.budget, setup.noise)
    popsize = max(popsize, setup.popsize)
    popsize += popsize % 2
    if explorations:
        most = setup.budget / (params.fewest_exploring * setup.least_shots)
        popsize = max(min(popsize * 2 ** (explorations - 1), 2 * int(most / 2)), popsize)
        generations = params.exploring_per_dimension * setup.dim
        setup = replace(setup, budget=float(popsize * generations * setup.least_shots))
    shots = int(setup.least_job / popsize)
    return replace(setup, popsize=popsize, min_shots=max(setup.min_shots, shots))


class AssistancePlan:
    """Divides the budget between searching, comparing and fitting.

    Args:
        setup: The problem.
        params: Parameters of the surrogate and of the assistance.

    Attributes:
        search_budget: What the last comparison leaves for everything else.
        descent_shots: Fewest shots per point of the quasi-Newton descent.
        few_shots: Whether the budget is too small for a strategy to look for the best minimum.
        fit_growth: Growth of the spending between fits; fewer fits where each takes long.
        most_remembered: About how many pairs of generations are remembered.
    """

    def __init__(self, setup: Setup, params: SurrogateParams) -> None:
        fewest_points = len(params.descent.fractions)
        least = math.ceil(setup.least_job / fewest_points)
        self.descent_shots = max(setup.least_shots, int(setup.overhead), least)
        self._least_shots, self._budget = setup.least_shots, setup.budget
        self._params: AssistanceParams = params.assistance
        share = self._params.last_comparison * setup.budget
        self._last = max(share, float(MOST_COMPARED * setup.least_shots))
        self.search_budget = setup.budget - self._last
        self.few_shots = setup.budget < params.descent.strategy_evaluations * setup.dim
        slower = max(setup.dim / self._params.quick_dimension, 1.0)
        self.fit_growth = self._params.fit_growth * slower
        count = QuadraticBasis(setup.dim, params.regression.full_dimension).count
        most = self._params.pairs_per_coefficient * count
        self.most_remembered = max(most, self._params.fewest_remembered)

    def last_shots(self, count: int) -> int:
        """Shots per point of the last comparison.

        Args:
            count: Points that are compared, at most ``MOST_COMPARED``.
        """
        return int(self._last / count)

    def comparison_shots(self, spent: float, noise: float) -> int:
        """Shots per point of a comparison.

        Args:
            spent: One-shot evaluations so far.
            noise: Variance of one shot; without noise one value is enough.
        """
        if noise == 0:
            return self._least_shots
        return max(int(self._params.comparison * spent / 3), self._least_shots)

    def trial(self, spent: float, refuted: bool) -> float:
        """What a surrogate that has taken over may spend before it is compared.

        Args:
            spent: One-shot evaluations so far.
            refuted: Whether its quadratic is known not to fit exactly.
        """
        if refuted:
            return self._params.short_trial * spent
        return max(spent, self._params.trial_share * self._budget)

    def remembers(self, spent: float, next_fit_at: float, shots: int) -> bool:
        """Whether a generation may be among those that the next fit uses.

        Args:
            spent: One-shot evaluations so far.
            next_fit_at: At how many the next fit is.
            shots: Shots per point now.
        """
        pairs = (next_fit_at - spent) / (2 * shots)
        return pairs <= self._params.remembered_ahead * self.most_remembered
