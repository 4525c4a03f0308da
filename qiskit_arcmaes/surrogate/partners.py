"""An evolution strategy and a surrogate that work on one problem: who hands over what to whom."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from qiskit_arcmaes.method import Batch, Setup
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.cma import Distribution, start_with
from qiskit_arcmaes.surrogate.assisted_plan import AssistancePlan, strategy_setup
from qiskit_arcmaes.surrogate.assisted_state import AssistedState, Lead, Turn
from qiskit_arcmaes.surrogate.design import Array, SamplingDistribution
from qiskit_arcmaes.surrogate.generation_fit import Attempt, GenerationFitter
from qiskit_arcmaes.surrogate.generations import design_of, remember, sampling_distribution
from qiskit_arcmaes.surrogate.params import SurrogateParams
from qiskit_arcmaes.surrogate.quadratic import FEWEST_DESIGNS, QuadraticSurrogate
from qiskit_arcmaes.surrogate.quasi_newton import Descent, Ending, QuasiNewton
from qiskit_arcmaes.surrogate.restarts import contains, draw_start


class Partners:
    """Both methods, and how the search passes from one to the other.

    The state that a function gets is changed in place.

    Args:
        setup: The problem, with what both may spend together as its budget.
        rng: The generator to draw from.
        params: Parameters of the surrogate and of the assistance.
        plan: Of the whole budget.

    Attributes:
        strategy: The evolution strategy.
        surrogate: The surrogate; its state is a fresh one until it has led.
    """

    def __init__(
        self,
        setup: Setup,
        rng: np.random.Generator,
        params: SurrogateParams,
        plan: AssistancePlan,
    ) -> None:
        self.setup, self.params, self.plan = setup, params, plan
        self.strategy = self._new_strategy(rng)
        self._build_surrogate(rng)
        self.quasi_newton = QuasiNewton(setup.domain, setup.sigma0, params.descent)

    def _new_strategy(
        self, rng: np.random.Generator, explorations: int = 0
    ) -> AdaptiveReevaluation:
        setup = strategy_setup(self.setup, explorations, self.params.assistance)
        return AdaptiveReevaluation(setup, rng)

    def _build_surrogate(self, rng: np.random.Generator) -> None:
        self.surrogate = QuadraticSurrogate(self.setup, rng, self.params)
        self.fitter = GenerationFitter(
            self.surrogate.searcher, self.surrogate.planner.fewest_pairs, self.params.assistance
        )

    def begin_descent(self, state: AssistedState) -> None:
        """Let the descent begin once it is known that there is no noise, or that shots are few."""
        if state.descent is not None or state.turn is not Turn.STRATEGY:
            return
        noise, few = self.strategy.state.noise, self.plan.few_shots
        known = self.setup.reports_variances or not math.isnan(noise)
        if noise == 0 or (known and few):
            state.descent = self.quasi_newton.start(self.setup.start.copy())
            state.turn, state.lead = Turn.DESCENT, Lead.DESCENT

    def ignore_rounding(self, values: Array) -> None:
        """Take noise within rounding for none: equal values may have a tiny standard deviation.

        Args:
            values: The values that the noise was last measured by.
        """
        rounding = self.params.noise.calibrated_rounding * np.abs(values[np.isfinite(values)])
        if self.strategy.state.noise <= np.max(rounding, initial=0.0) ** 2:
            self.strategy.state.noise = 0.0

    def descended(self, state: AssistedState) -> Array | None:
        """Where the descent has come to; None before it begins."""
        return None if state.descent is None else self.setup.domain.wrap(state.descent.centre)

    @property
    def descent_cost(self) -> int:
        """One-shot evaluations of an iteration of the descent."""
        return self.quasi_newton.cost(self.setup.dim) * self.plan.descent_shots

    def end_descent(self, state: AssistedState) -> None:
        """Let the strategy go on from where the descent has come to.

        A minimiser that is known to rounding stays in the lead, and the strategy looks for others.
        """
        assert state.descent is not None
        state.turn, state.lead = Turn.STRATEGY, Lead.STRATEGY
        if state.descent.ending is Ending.CONVERGED:
            state.lead, state.exploring = Lead.DESCENT, True
        else:
            self.strategy.move_to(state.descent.centre)
            if self._refines(state, state.descent):
                self._refine(state, state.descent)
        self.synchronise(state)

    def _refines(self, state: AssistedState, descent: Descent) -> bool:
        """Whether noise was negligible until it hid the slope, so that a quadratic fits here."""
        deviation = math.sqrt(self.noise(state) / self.plan.descent_shots)
        clear = descent.gained > self.params.descent.clear_gain * deviation
        return clear and descent.ending is Ending.NOISE and self._pays_surrogate(state)

    def _refine(self, state: AssistedState, descent: Descent) -> None:
        """Let the surrogate begin where the descent has ended, for a trial."""
        noise = self.noise(state) / self.plan.descent_shots
        scale = self.quasi_newton.scale(descent, noise)
        distribution = SamplingDistribution(descent.centre, scale)
        self.surrogate.begin_at(distribution, self.strategy.noise_level)
        state.surrogate = self.surrogate.state
        trial = self.plan.trial(state.spent, refuted=False)
        state.taken_over_at, state.compare_at = state.spent, state.spent + trial
        state.turn, state.lead = Turn.SURROGATE, Lead.SURROGATE

    def remember(
        self, state: AssistedState, batch: Batch, distribution: Distribution, values: Array
    ) -> None:
        """Keep a generation as a design.

        Args:
            state: The state; its designs are changed.
            batch: The generation.
            distribution: What it was drawn from.
            values: Values of its candidates.
        """
        noise = self.strategy.state.noise
        if math.isnan(noise):
            return
        design = design_of(
            *(batch.memo, distribution, values, noise, batch.shots, state.iteration),
            self.params.noise,
        )
        if len(design.offsets) == 0:  # every pair has a failed value
            return
        enough = self.surrogate.planner.enough_pairs
        state.designs = remember(state.designs, design, enough, self.plan.most_remembered)

    def try_surrogate(self, state: AssistedState, shots: int) -> None:
        """Fit a quadratic to the generations; if it may lead, the surrogate takes over.

        Args:
            state: The state.
            shots: Shots per point of the newest generation.
        """
        pairs = sum(len(each.offsets) for each in state.designs)
        if pairs < self.fitter.fewest_pairs or not self._pays_surrogate(state):
            return
        state.next_fit_at = self.plan.fit_growth * state.spent
        attempt = self.fitter.find(
            state.designs,
            sampling_distribution(self.strategy.state.distribution),
            self.strategy.noise_level,
            self.strategy.share < self.params.assistance.noise_share,
        )
        if attempt is not None:
            self._take_over(state, attempt, shots)

    def _pays_surrogate(self, state: AssistedState) -> bool:
        """Whether what is left pays as many smallest designs as a surrogate needs."""
        plan = self.surrogate.planner.first_plan()
        left = self.setup.budget - state.spent
        return left >= FEWEST_DESIGNS * plan.points * plan.shots

    def _take_over(self, state: AssistedState, attempt: Attempt, shots: int) -> None:
        """Let the surrogate go on from a fit to generations, for a trial."""
        noise = self.strategy.noise_level
        self.surrogate.take_over(attempt.search, state.designs[-1], shots, noise)
        state.surrogate = self.surrogate.state
        trial = self.plan.trial(state.spent, attempt.refuted)
        state.taken_over_at, state.compare_at = state.spent, state.spent + trial
        state.turn = Turn.SURROGATE
        if not state.exploring:  # else what is known to rounding stays in the lead
            state.lead = Lead.SURROGATE
        self.synchronise(state)

    def hand_over(self, state: AssistedState) -> None:
        """Give the lead to the strategy as it is; the surrogate's minimiser is remembered."""
        state.handed_over = self.surrogate.recommendation
        state.strategy = self.strategy.state
        state.turn, state.lead = Turn.STRATEGY, Lead.STRATEGY
        state.next_fit_at = self.plan.fit_growth * state.spent

    def hand_over_distribution(self, state: AssistedState) -> None:
        """Let the strategy begin again with the surrogate's distribution, in the lead."""
        distribution = self.surrogate.state.multistart.recommended.distribution
        self.strategy.restart_with(start_with(distribution.centre, distribution.scale))
        self.hand_over(state)

    def explore(self, state: AssistedState) -> None:
        """Begin the strategy elsewhere, the first time at x0; what is known best stays in the lead.

        Small learning rates find the better one of many minima.
        """
        setup = self.setup
        if state.lead is Lead.SURROGATE:
            state.handed_over = self.surrogate.recommendation
        noise, again = self.strategy.state.noise, state.exploring
        state.explorations += noise == 0
        self.strategy = self._new_strategy(state.rng, state.explorations)
        self.strategy.state.noise = noise
        state.strategy_began_at = state.spent
        if again:
            reach = self.params.restarts.reach * setup.sigma0
            self.strategy.move_to(draw_start(setup.domain, setup.start, reach, state.rng))
        state.strategy, state.exploring = self.strategy.state, True
        state.turn = Turn.STRATEGY
        if state.lead is not Lead.DESCENT:
            state.lead = Lead.HANDED_OVER

    def predicts(self, state: AssistedState, point: Array) -> bool:
        """Whether the surrogate's quadratic tells the loss at a point better than a comparison.

        It has resolved its minimiser, nothing refutes it, and the point is as near as its samples.

        Args:
            state: The state; the surrogate has led.
            point: Shape (d,).
        """
        assert state.surrogate is not None
        search = state.surrogate.multistart.recommended
        fits = search.converged and state.surrogate.doubts == 0
        return fits and contains(self.setup.domain, search, point)

    def has_ended(self, state: AssistedState, values: Array) -> bool:
        """Whether the strategy has nothing more to find where it is: only without noise.

        Its values are equal to rounding, its steps are below the narrowest differences, or it has
        made the generations of a search.

        Args:
            state: The state.
            values: Values of the newest generation.
        """
        if self.strategy.state.noise != 0:
            return False
        finite = values[np.isfinite(values)]
        rounding = self.params.noise.calibrated_rounding * np.max(np.abs(finite), initial=0.0)
        distribution = self.strategy.state.distribution
        narrowest = self.params.descent.narrowest * self.setup.sigma0
        used_up = state.exploring and state.strategy.spent >= self.strategy.setup.budget
        equal = len(finite) > 1 and float(np.ptp(finite)) <= rounding
        radius = float(np.max(distribution.scales)) * distribution.step_size
        return equal or used_up or radius <= narrowest

    def elsewhere(self, state: AssistedState) -> bool:
        """Whether the next job is at a random start, where the loss may fail."""
        if state.turn is Turn.SURROGATE:
            return self.surrogate.state.multistart.elsewhere
        return state.exploring

    def leave_start(self, state: AssistedState) -> None:
        """Go on after all points of a random start have failed: back to the best, or to another."""
        if state.turn is Turn.SURROGATE:
            self.surrogate.leave_start()
        else:
            self.explore(state)
        self.synchronise(state)

    def synchronise(self, state: AssistedState) -> None:
        """Tell both how much is spent."""
        state.strategy.spent = state.spent - state.strategy_began_at
        if state.surrogate is not None:
            schedule = state.surrogate.schedule
            state.surrogate.schedule = replace(schedule, spent=state.spent, last_designs=None)

    def noise(self, state: AssistedState) -> float:
        """Variance of one shot as far as it is known, else 0."""
        surrogate, noise = state.surrogate, self.strategy.state.noise
        if surrogate is not None and surrogate.noise.degrees_of_freedom > 0:
            return surrogate.noise.variance
        return 0.0 if math.isnan(noise) else noise

    def restore(self, state: AssistedState) -> None:
        """Go on from a saved state."""
        self.strategy = self._new_strategy(state.rng, state.explorations)
        self.strategy.restore(state.strategy)
        self._build_surrogate(state.rng)
        if state.surrogate is not None:
            self.surrogate.restore(state.surrogate)
