"""A surrogate-assisted evolution strategy: whoever is shown to be better leads.

An evolution strategy makes cheap steps that nothing misleads for long: curved valleys, ruggedness,
kinks. A quadratic has an error that falls as 1/budget, but only where it fits. So AR-CMA-ES begins,
and a quadratic is fitted to its generations, which costs no shots. Once the quadratic fits and
resolves its minimiser, the surrogate takes over. After a trial the two recommendations are
compared. Where the quadratic keeps not fitting, the strategy goes on from its minimiser. At the end
the recommendation is compared with x0, and with the last minimiser that was handed over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from qiskit_arcmaes.method import Batch, Method, Progress, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.adaptive_params import DEFAULTS as STRATEGY_DEFAULTS
from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.strategies.cma import Distribution, start_with
from qiskit_arcmaes.strategies.noise import CALIBRATION
from qiskit_arcmaes.surrogate.assisted_state import AssistedState, Lead, Turn
from qiskit_arcmaes.surrogate.comparison import lowest
from qiskit_arcmaes.surrogate.design import Array
from qiskit_arcmaes.surrogate.generations import (
    GenerationFitter,
    design_of,
    remember,
    sampling_distribution,
)
from qiskit_arcmaes.surrogate.params import DEFAULTS, SurrogateParams
from qiskit_arcmaes.surrogate.quadratic import FEWEST_DESIGNS, QuadraticSurrogate
from qiskit_arcmaes.surrogate.quadratic import affordable as surrogate_affordable
from qiskit_arcmaes.surrogate.restarts import draw_start
from qiskit_arcmaes.surrogate.state import COLUMNS

COMPARISON_PHASE = "comparison of recommendations"
LAST_COMPARISON_PHASE = "comparison with x0"


def affordable(setup: Setup, params: SurrogateParams = DEFAULTS) -> bool:
    """Whether the budget pays a surrogate, and the jobs a strategy beside it.

    Args:
        setup: The problem.
        params: Parameters of the surrogate.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> setup = Setup(np.zeros(5), 1.0, 8, make_domain(5), budget=1e5)
        >>> affordable(setup), affordable(replace(setup, max_jobs=30))
        (True, False)
    """
    jobs = math.inf if setup.max_jobs is None else setup.max_jobs
    enough = jobs >= params.assistance.jobs_per_dimension * setup.dim
    return enough and surrogate_affordable(setup, params)


class SurrogateAssistedStrategy(Method):
    """AR-CMA-ES, and a quadratic surrogate that takes over where it fits.

    Args:
        setup: The problem.
        rng: The generator to draw from.
        params: Parameters of the surrogate and of the assistance.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> setup = Setup(np.full(3, 2.0), 1.0, 8, make_domain(3), budget=1e4, noise=0.0)
        >>> method = SurrogateAssistedStrategy(setup, np.random.default_rng(1))
        >>> while not method.finished:
        ...     batch = method.ask()
        ...     method.tell(batch, Estimate(np.sum(batch.points**2, axis=1)))
        >>> bool(np.abs(method.recommendation).max() < 1e-6)
        True
    """

    columns: ClassVar[Mapping[str, str]] = {**AdaptiveReevaluation.columns, **COLUMNS}
    state: AssistedState

    def __init__(
        self, setup: Setup, rng: np.random.Generator, params: SurrogateParams = DEFAULTS
    ) -> None:
        super().__init__(setup, rng)
        self.params, self.assistance = params, params.assistance
        self.strategy = self._new_strategy(rng)
        self._build_surrogate(rng)
        self.state = AssistedState(rng=rng, strategy=self.strategy.state)

    @property
    def _inner_setup(self) -> Setup:
        """The problem without what the last comparison costs."""
        return replace(self.setup, budget=self.setup.budget - self._last_cost)

    def _new_strategy(self, rng: np.random.Generator) -> AdaptiveReevaluation:
        return AdaptiveReevaluation(_strategy_setup(self._inner_setup), rng)

    def _build_surrogate(self, rng: np.random.Generator) -> None:
        self.surrogate = QuadraticSurrogate(self._inner_setup, rng, self.params)
        self.fitter = GenerationFitter(
            self.surrogate.searcher, self.surrogate.planner.fewest_pairs, self.assistance
        )

    def first_jobs(self) -> list[tuple[int, int]]:
        """Those of the evolution strategy."""
        return self.strategy.first_jobs()

    @property
    def finished(self) -> bool:
        """Whether the recommendation was compared with x0."""
        return self.state.turn is Turn.NOBODY

    @property
    def recommendation(self) -> Array:
        """The point of whoever leads."""
        return self._point(self.state.lead)

    def _point(self, lead: Lead) -> Array:
        points: dict[Lead, Array | None] = {
            Lead.STRATEGY: self.strategy.recommendation,
            Lead.SURROGATE: self.surrogate.recommendation,
            Lead.HANDED_OVER: self.state.handed_over,
            Lead.START: self.setup.domain.wrap(self.setup.start.copy()),
        }
        point = points[lead]
        assert point is not None  # nothing leads that was never there
        return point

    def ask(self) -> Batch:
        """A generation, a design, or points to compare."""
        turn = self.state.turn
        if turn in (Turn.STRATEGY, Turn.SURROGATE):
            batch = (self.strategy if turn is Turn.STRATEGY else self.surrogate).ask()
            return replace(batch, memo=batch)
        points = np.stack([self._point(each) for each in self._candidates])
        if turn is Turn.COMPARISON:
            return Batch(points, self._comparison_shots, COMPARISON_PHASE)
        return Batch(points, self._last_shots, LAST_COMPARISON_PHASE)

    @property
    def _candidates(self) -> list[Lead]:
        """Whose points are compared: first the one that stays unless another is lower."""
        state = self.state
        handed_over = [Lead.HANDED_OVER] if state.handed_over is not None else []
        if state.turn is Turn.COMPARISON:
            return [Lead.SURROGATE, Lead.STRATEGY, *handed_over]
        others = [Lead.STRATEGY, Lead.START, *handed_over]
        return [state.lead, *(each for each in others if each is not state.lead)]

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from a job, and decide whose the next one is."""
        state, turn = self.state, self.state.turn
        state.spent += len(batch.points) * batch.shots
        state.iteration += batch.phase != CALIBRATION
        if turn is Turn.STRATEGY:
            self._tell_generation(batch.memo, estimate)
        elif turn is Turn.SURROGATE:
            self._tell_design(batch.memo, estimate)
        elif turn is Turn.COMPARISON:
            self._decide(self._lowest(batch, estimate))
        else:
            state.lead = self._lowest(batch, estimate)
            state.turn = Turn.NOBODY
        self._end_in_time()

    def _tell_generation(self, batch: Batch, estimate: Estimate) -> None:
        """Let the strategy learn; fit a quadratic where it is due."""
        state, distribution = self.state, self.strategy.state.distribution
        if self.strategy.state.noise == 0 and not state.exploring:
            self.strategy.take_full_steps()  # small ones are for noise, and for many minima
        self.strategy.tell(batch, estimate)
        state.strategy = self.strategy.state
        state.strategy.spent = state.spent
        if isinstance(batch.memo, Population) and self._remembers(batch.shots):
            values = receive(batch, estimate)[0][: self.strategy.popsize]
            self._remember(batch, distribution, values)
        if state.designs and state.spent >= state.next_fit_at:
            self._try_surrogate(batch.shots)

    def _remembers(self, shots: int) -> bool:
        """Whether this generation may be among those that the next fit uses."""
        later = (self.state.next_fit_at - self.state.spent) / (2 * shots)  # pairs
        return later <= self.assistance.remembered_ahead * self._most_remembered

    @property
    def _most_remembered(self) -> float:
        """About how many pairs are remembered."""
        params, count = self.assistance, self.surrogate.searcher.basis.count
        return max(params.pairs_per_coefficient * count, params.fewest_remembered)

    def _remember(self, batch: Batch, distribution: Distribution, values: Array) -> None:
        """Keep a generation as a design."""
        state, noise = self.state, self.strategy.state.noise
        if math.isnan(noise):
            return
        design = design_of(
            *(batch.memo, distribution, values, noise, batch.shots, state.iteration),
            self.params.noise,
        )
        if len(design.offsets) == 0:  # every pair has a failed value
            return
        enough = self.surrogate.planner.enough_pairs
        state.designs = remember(state.designs, design, enough, self._most_remembered)

    def _try_surrogate(self, shots: int) -> None:
        """Fit a quadratic to the generations; if it may lead, the surrogate takes over."""
        state, params = self.state, self.assistance
        pairs = sum(len(each.offsets) for each in state.designs)
        if pairs < self.fitter.fewest_pairs or not self._pays_surrogate:
            return
        state.next_fit_at = self._fit_growth * state.spent
        noise = self.strategy.noise_level
        attempt = self.fitter.find(
            state.designs,
            sampling_distribution(self.strategy.state.distribution),
            noise,
            self.strategy.share < params.noise_share,
        )
        if attempt is None:
            return
        self.surrogate.take_over(attempt.search, state.designs[-1], shots, noise)
        state.surrogate = self.surrogate.state
        trial = max(state.spent, params.trial_share * self.setup.budget)
        if attempt.refuted:
            trial = params.short_trial * state.spent
        state.taken_over_at, state.compare_at = state.spent, state.spent + trial
        state.turn = Turn.SURROGATE
        if not state.exploring:  # else what is known to rounding stays in the lead
            state.lead = Lead.SURROGATE
        self._synchronise()

    @property
    def _pays_surrogate(self) -> bool:
        """Whether what is left pays as many smallest designs as a surrogate needs."""
        plan = self.surrogate.planner.first_plan()
        left = self._inner_setup.budget - self.state.spent
        return left >= FEWEST_DESIGNS * plan.points * plan.shots

    def _tell_design(self, batch: Batch, estimate: Estimate) -> None:
        """Let the surrogate learn; compare after its trial; later hand over if it is in doubt."""
        state = self.state
        self.surrogate.tell(batch, estimate)
        state.surrogate = self.surrogate.state
        led = state.spent - state.taken_over_at
        if state.spent >= state.compare_at:
            state.turn = Turn.COMPARISON
        elif (
            state.compare_at == math.inf
            and led >= state.taken_over_at  # as much as all before
            and state.surrogate.doubts >= self.assistance.doubtful_designs
        ):
            distribution = self.surrogate.state.multistart.recommended.distribution
            self.strategy.restart_with(start_with(distribution.centre, distribution.scale))
            self._hand_over()

    def _lowest(self, batch: Batch, estimate: Estimate) -> Lead:
        """Whose of the compared points is the best."""
        values, variances = receive(batch, estimate)
        if variances is None or not np.isfinite(variances).all():
            variances = np.full(len(values), self._noise / batch.shots)
        return self._candidates[lowest(values, variances, self.assistance.significance)]

    def _decide(self, best: Lead) -> None:
        """After the trial: the surrogate leads on, unless another point is better or doubts remain.

        Where the surrogate's minimiser is best, but its quadratic does not fit, the strategy goes
        on from there. Where it is known to rounding, the strategy looks for others.
        """
        state = self.state
        assert state.surrogate is not None
        state.compare_at = math.inf
        state.turn, state.lead = Turn.SURROGATE, best
        if best is Lead.STRATEGY:
            state.turn = Turn.STRATEGY
        elif state.surrogate.doubts > 0 and best is Lead.SURROGATE:
            self.strategy.move_to(state.surrogate.multistart.recommended.centre)
            self._hand_over()
        elif self._noise == 0 or best is Lead.HANDED_OVER:
            self._explore()
        state.next_fit_at = self._fit_growth * state.spent
        self._synchronise()

    def _explore(self) -> None:
        """Begin the strategy elsewhere, the first time at x0; what is known best stays in the lead.

        Small learning rates find the better one of many minima.
        """
        state, setup = self.state, self.setup
        if state.lead is Lead.SURROGATE:
            state.handed_over = self.surrogate.recommendation
        noise, again = self.strategy.state.noise, state.exploring
        self.strategy = self._new_strategy(state.rng)
        self.strategy.state.noise = noise
        if again:
            reach = self.params.restarts.reach * setup.sigma0
            self.strategy.move_to(draw_start(setup.domain, setup.start, reach, state.rng))
        state.strategy, state.exploring = self.strategy.state, True
        state.turn, state.lead = Turn.STRATEGY, Lead.HANDED_OVER

    def _hand_over(self) -> None:
        """Give the lead to the strategy; the surrogate's minimiser is remembered."""
        state = self.state
        state.handed_over = self.surrogate.recommendation
        state.strategy = self.strategy.state
        state.turn, state.lead = Turn.STRATEGY, Lead.STRATEGY
        state.next_fit_at = self._fit_growth * state.spent

    def _synchronise(self) -> None:
        """Tell both how much is spent."""
        state = self.state
        state.strategy.spent = state.spent
        if state.surrogate is not None:
            schedule = state.surrogate.schedule
            state.surrogate.schedule = replace(schedule, spent=state.spent, last_designs=None)

    def _end_in_time(self) -> None:
        """Compare with x0 once nothing else can be paid."""
        state, left = self.state, self.setup.budget - self._last_cost - self.state.spent
        ended = {
            Turn.STRATEGY: (self.strategy.popsize + 1) * self.strategy.state.shots > left,
            Turn.SURROGATE: self.surrogate.finished,
            Turn.COMPARISON: 3 * self._comparison_shots > left,
        }
        if ended.get(state.turn, False):
            state.turn = Turn.LAST_COMPARISON

    @property
    def _fit_growth(self) -> float:
        """Growth of the spending between fits; fewer fits where each takes long."""
        params = self.assistance
        return params.fit_growth * max(self.setup.dim / params.quick_dimension, 1.0)

    @property
    def _noise(self) -> float:
        """Variance of one shot as far as it is known."""
        surrogate, noise = self.state.surrogate, self.strategy.state.noise
        if surrogate is not None and surrogate.noise.degrees_of_freedom > 0:
            return surrogate.noise.variance
        return 0.0 if math.isnan(noise) else noise

    @property
    def _comparison_shots(self) -> int:
        share = self.assistance.comparison * self.state.spent / 3
        return max(int(share), self.setup.least_shots)

    @property
    def _last_shots(self) -> int:
        share = self.assistance.last_comparison * self.setup.budget / 4
        return max(int(share), self.setup.least_shots)

    @property
    def _last_cost(self) -> float:
        return 4.0 * self._last_shots

    def report(self) -> Progress:
        """Progress of whose turn it is, with the diagnostics of both."""
        state = self.state
        compares = state.turn not in (Turn.STRATEGY, Turn.SURROGATE)
        if state.turn is Turn.SURROGATE or (compares and state.lead is Lead.SURROGATE):
            own, other = self.surrogate.report(), self.strategy.report().diagnostics
        else:
            own, other = self.strategy.report(), self.surrogate.state.diagnostics.by_name()
        shots = {
            Turn.COMPARISON: float(self._comparison_shots),
            Turn.LAST_COMPARISON: float(self._last_shots),
        }.get(state.turn, own.next_shots)
        value, std = math.nan, math.nan
        if state.lead is Lead.SURROGATE:
            recommended = self.surrogate.state.multistart.recommended
            value, std = recommended.value, recommended.std
        diagnostics = {**other, **own.diagnostics}
        return Progress(state.iteration, own.radius, shots, value, std, diagnostics)

    def restore(self, state: AssistedState) -> None:
        """Go on from a saved state."""
        super().restore(state)
        self.strategy = self._new_strategy(state.rng)
        self.strategy.restore(state.strategy)
        self._build_surrogate(state.rng)
        if state.surrogate is not None:
            self.surrogate.restore(state.surrogate)


def _strategy_setup(setup: Setup) -> Setup:
    """The problem as the strategy gets it: an even population, no more jobs than there may be."""
    popsize = STRATEGY_DEFAULTS.popsize(setup.dim, setup.budget, setup.noise)
    popsize = max(popsize, setup.popsize)
    popsize += popsize % 2
    shots = int(setup.least_job / popsize)
    return replace(setup, popsize=popsize, min_shots=max(setup.min_shots, shots))
