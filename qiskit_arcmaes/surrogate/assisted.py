"""A surrogate-assisted evolution strategy: whoever is shown to be better leads.

An evolution strategy makes cheap steps that nothing misleads for long: curved valleys, ruggedness,
kinks. A quadratic has an error that falls as 1/budget, but only where it fits. So AR-CMA-ES begins,
and a quadratic is fitted to its generations, which costs no shots. Once the quadratic fits and
resolves its minimiser, the surrogate takes over. After a trial the two recommendations are
compared. Where the quadratic keeps not fitting, the strategy goes on from its minimiser. At the end
the recommendation is compared with x0, and with the last minimiser that was handed over. Without
noise, or with few shots, a quasi-Newton descent begins.
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
from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.strategies.noise import CALIBRATION, reported_noise
from qiskit_arcmaes.surrogate.assisted_plan import MOST_COMPARED, AssistancePlan
from qiskit_arcmaes.surrogate.assisted_state import AssistedState, Lead, Turn, candidates
from qiskit_arcmaes.surrogate.comparison import lowest
from qiskit_arcmaes.surrogate.design import Array
from qiskit_arcmaes.surrogate.params import DEFAULTS, SurrogateParams
from qiskit_arcmaes.surrogate.partners import Partners
from qiskit_arcmaes.surrogate.quadratic import QuadraticSurrogate
from qiskit_arcmaes.surrogate.state import COLUMNS

DESCENT_PHASE = "quasi-Newton descent"
COMPARISON_PHASE = "comparison of recommendations"
LAST_COMPARISON_PHASE = "comparison with x0"


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
        self.assistance, self.plan = params.assistance, AssistancePlan(setup, params)
        inner = replace(setup, budget=self.plan.search_budget)
        self.partners = Partners(inner, rng, params, self.plan)
        self.state = AssistedState(rng=rng, strategy=self.strategy.state)
        self.partners.begin_descent(self.state)

    @property
    def strategy(self) -> AdaptiveReevaluation:
        """The evolution strategy."""
        return self.partners.strategy

    @property
    def surrogate(self) -> QuadraticSurrogate:
        """The surrogate."""
        return self.partners.surrogate

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
            Lead.DESCENT: self.partners.descended(self.state),
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
            return replace(batch, points=self._anchored(batch.points), memo=batch)
        if turn is Turn.DESCENT:
            return self._ask_descent()
        points = np.stack([self._point(each) for each in self._compared()])
        if turn in (Turn.COMPARISON, Turn.REVIEW):
            return Batch(points, self._comparison_shots, COMPARISON_PHASE)
        return Batch(points, self.plan.last_shots(len(points)), LAST_COMPARISON_PHASE)

    @property
    def _comparison_shots(self) -> int:
        noise = self.partners.noise(self.state)
        return self.plan.comparison_shots(self.state.spent, noise)

    def _compared(self) -> list[Lead]:
        """Whose points are compared: those whose loss the surrogate's quadratic does not tell.

        Near its minimiser a quadratic that fits has a far smaller error than a few per cent of the
        budget could measure: among such points a comparison would choose by chance.
        """
        first, *others = candidates(self.state)
        if first is not Lead.SURROGATE:
            return [first, *others]
        unknown = [e for e in others if not self.partners.predicts(self.state, self._point(e))]
        return [first, *unknown]

    def _ask_descent(self) -> Batch:
        """Differences or trial points; the noise of a value follows from the shots."""
        descent = self.state.descent
        assert descent is not None
        noise = self.partners.noise(self.state)
        shots = self.plan.descent_shots
        points = self.partners.quasi_newton.points(descent, noise / shots)
        return Batch(self.setup.domain.wrap(points), shots, DESCENT_PHASE, points)

    def _anchored(self, points: Array) -> Array:
        """Points of a random start, and the recommendation, so that never a whole job fails.

        A run ends with an error when all values of many jobs in a row fail.
        """
        if not self.partners.elsewhere(self.state):
            return points
        return np.concatenate([points, self.recommendation[None]])

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from a job, and decide whose the next one is."""
        state, turn = self.state, self.state.turn
        receive(batch, estimate)  # checks it
        state.spent += len(batch.points) * batch.shots
        state.iteration += batch.phase != CALIBRATION
        if turn in (Turn.STRATEGY, Turn.SURROGATE):
            estimate = first_of(estimate, len(batch.memo.points))
        if turn is Turn.DESCENT:
            self._tell_descent(batch, estimate)
        elif not np.isfinite(estimate.values).any():
            self.partners.leave_start(state)
        elif turn is Turn.STRATEGY:
            self._tell_generation(batch.memo, estimate)
        elif turn is Turn.SURROGATE:
            self._tell_design(batch.memo, estimate)
        elif turn is Turn.COMPARISON:
            self._decide(self._lowest(batch, estimate))
        elif turn is Turn.REVIEW:
            self._look_elsewhere(self._lowest(batch, estimate))
        else:
            state.lead = self._lowest(batch, estimate)
            state.turn = Turn.NOBODY
        self._end_in_time()

    def _tell_descent(self, batch: Batch, estimate: Estimate) -> None:
        """Let the descent learn; the strategy goes on when it has ended."""
        state, strategy = self.state, self.strategy.state
        assert state.descent is not None
        values, variances = receive(batch, estimate)
        if variances is not None:
            strategy.noise = reported_noise(variances, batch.shots, strategy.noise)
        noise = self.partners.noise(state) / batch.shots
        state.descent = self.partners.quasi_newton.advance(state.descent, batch.memo, values, noise)
        if state.descent.ending is not None:
            self.partners.end_descent(state)

    def _tell_generation(self, batch: Batch, estimate: Estimate) -> None:
        """Let the strategy learn; fit a quadratic where it is due."""
        state, distribution = self.state, self.strategy.state.distribution
        if self.strategy.state.noise == 0 and not state.exploring:
            self.strategy.take_full_steps()  # small ones are for noise, and for many minima
        self.strategy.tell(batch, estimate)
        if batch.phase == CALIBRATION:
            self.partners.ignore_rounding(estimate.values)
        state.strategy = self.strategy.state
        self.partners.synchronise(state)
        needed = self.plan.remembers(state.spent, state.next_fit_at, batch.shots)
        if isinstance(batch.memo, Population) and needed:
            values = receive(batch, estimate)[0][: self.strategy.popsize]
            self.partners.remember(state, batch, distribution, values)
        if batch.phase != CALIBRATION and self.partners.has_ended(state, estimate.values):
            state.turn = Turn.REVIEW
        elif state.designs and state.spent >= state.next_fit_at:
            self.partners.try_surrogate(state, batch.shots)

    def _tell_design(self, batch: Batch, estimate: Estimate) -> None:
        """Let the surrogate learn; compare after its trial; later hand over if it is in doubt."""
        state = self.state
        self.surrogate.tell(batch, estimate)
        state.surrogate = self.surrogate.state
        state.surrogate.schedule = replace(state.surrogate.schedule, spent=state.spent)
        led = state.spent - state.taken_over_at
        if state.spent >= state.compare_at:
            state.turn = Turn.COMPARISON
            if len(self._compared()) == 1:
                self._decide(Lead.SURROGATE)
        elif (
            state.compare_at == math.inf
            and led >= state.taken_over_at  # as much as all before
            and state.surrogate.doubts >= self.assistance.doubtful_designs
        ):
            self.partners.hand_over_distribution(state)

    def _lowest(self, batch: Batch, estimate: Estimate) -> Lead:
        """Whose of the compared points is the best."""
        values, variances = receive(batch, estimate)
        if variances is None or not np.isfinite(variances).all():
            variances = np.full(len(values), self.partners.noise(self.state) / batch.shots)
        params, leads = self.assistance, self._compared()
        from_x0 = np.array([each is Lead.START for each in leads])
        proof = np.where(from_x0, params.start_significance, params.significance)
        return leads[lowest(values, variances, proof)]

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
            self.partners.hand_over(state)
        elif self.partners.noise(state) == 0 or best in (Lead.HANDED_OVER, Lead.DESCENT):
            self.partners.explore(state)
        state.next_fit_at = self.plan.fit_growth * state.spent
        self.partners.synchronise(state)

    def _look_elsewhere(self, best: Lead) -> None:
        """The strategy has ended: keep the best point, and begin at another one."""
        state = self.state
        if best is Lead.STRATEGY:
            state.handed_over, best = self.strategy.recommendation, Lead.HANDED_OVER
        state.lead = best
        self.partners.explore(state)
        state.next_fit_at = self.plan.fit_growth * state.spent
        self.partners.synchronise(state)

    def _end_in_time(self) -> None:
        """Compare with x0 once nothing else can be paid."""
        self.partners.begin_descent(self.state)
        state, left = self.state, self.plan.search_budget - self.state.spent
        if state.turn is Turn.DESCENT and self.partners.descent_cost > left:
            self.partners.end_descent(state)
        ended = {
            Turn.STRATEGY: (self.strategy.popsize + 2) * self.strategy.state.shots > left,
            Turn.SURROGATE: self.surrogate.finished,
            Turn.COMPARISON: MOST_COMPARED * self._comparison_shots > left,
            Turn.REVIEW: MOST_COMPARED * self._comparison_shots > left,
        }
        if ended.get(state.turn, False):
            state.turn = Turn.LAST_COMPARISON
            if len(self._compared()) == 1:
                state.turn = Turn.NOBODY

    def report(self) -> Progress:
        """Progress of whose turn it is, with the diagnostics of both."""
        state = self.state
        compares = state.turn not in (Turn.STRATEGY, Turn.SURROGATE)
        if state.turn is Turn.SURROGATE or (compares and state.lead is Lead.SURROGATE):
            own, other = self.surrogate.report(), self.strategy.report().diagnostics
        else:
            own, other = self.strategy.report(), self.surrogate.state.diagnostics.by_name()
        if state.turn is Turn.DESCENT and state.descent is not None:
            own = replace(own, radius=state.descent.radius)
        shots = {
            Turn.DESCENT: float(self.plan.descent_shots),
            Turn.COMPARISON: float(self._comparison_shots),
            Turn.REVIEW: float(self._comparison_shots),
        }.get(state.turn, own.next_shots)
        if state.turn is Turn.LAST_COMPARISON:
            shots = float(self.plan.last_shots(len(self._compared())))
        value, std = math.nan, math.nan
        if state.lead is Lead.SURROGATE:
            recommended = self.surrogate.state.multistart.recommended
            value, std = recommended.value, recommended.std
        diagnostics = {**other, **own.diagnostics}
        return Progress(state.iteration, own.radius, shots, value, std, diagnostics)

    def restore(self, state: AssistedState) -> None:
        """Go on from a saved state."""
        super().restore(state)
        self.partners.restore(state)


def first_of(estimate: Estimate, count: int) -> Estimate:
    """The estimate of the first points of a job.

    Example:
        >>> first_of(Estimate(np.array([1.0, 2.0, 3.0])), 2).values
        array([1., 2.])
    """
    variances = None if estimate.variances is None else estimate.variances[:count]
    return replace(estimate, values=estimate.values[:count], variances=variances)
