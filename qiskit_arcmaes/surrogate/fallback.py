"""The fallback: an evolution strategy that is tried where no quadratic fits.

Around a point where a loss is not smooth a quadratic fits as badly in a small trust region as in a
large one, while for a smooth loss the share of the symmetric lack of fit falls with the fourth
power of the radius. Where the radius shrank several times because of it, AR-CMA-ES with a large
population begins at the first start, with a share of the budget. Then its recommendation and the
surrogate's are evaluated in one job. The strategy continues to the end of the run if it is
significantly better there; else the surrogate does.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Progress, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation, AdaptiveState
from qiskit_arcmaes.surrogate.params import FallbackParams

Array = NDArray[np.float64]

STRATEGY_PHASE = "evolution strategy as fallback"
COMPARISON_PHASE = "comparison of fallback and surrogate"


class FallbackStage(enum.Enum):
    """How far the fallback is."""

    UNUSED = "not tried"
    TRIAL = "tried with a share of the budget"
    COMPARISON = "to be compared with the surrogate"
    CHOSEN = "continued to the end of the run"
    REJECTED = "not better than the surrogate"


@dataclass(frozen=True)
class Fallback:
    """State of the fallback.

    Attributes:
        stage: How far it is.
        strategy: State of the evolution strategy, once it was tried.
        trial_ends_at: One-shot evaluations of the run at the end of the trial.
    """

    stage: FallbackStage = FallbackStage.UNUSED
    strategy: AdaptiveState | None = None
    trial_ends_at: float = math.inf

    @property
    def active(self) -> bool:
        """Whether the next job is the fallback's."""
        return self.stage not in (FallbackStage.UNUSED, FallbackStage.REJECTED)


class EvolutionStrategyFallback:
    """Runs the evolution strategy and its comparison with the surrogate.

    Args:
        setup: The problem, as the surrogate has it.
        params: Parameters of the fallback.
    """

    def __init__(self, setup: Setup, params: FallbackParams) -> None:
        popsize = max(params.popsize_per_dimension * setup.dim, setup.popsize)
        shots = max(setup.min_shots, int(setup.least_job / popsize))
        self.setup, self.params = replace(setup, popsize=popsize, min_shots=shots), params
        self._strategy: AdaptiveReevaluation | None = None

    @property
    def strategy(self) -> AdaptiveReevaluation:
        """The evolution strategy, which must have begun."""
        assert self._strategy is not None
        return self._strategy

    def is_due(self, state: Fallback, nonsmooth_shrinks: int, spent: float) -> bool:
        """Whether the fallback should be tried now.

        Args:
            state: The present state.
            nonsmooth_shrinks: Shrinkings of the radius for a symmetric lack of fit.
            spent: One-shot evaluations of the run.
        """
        early = spent <= self.params.latest * self.setup.budget
        unused = state.stage is FallbackStage.UNUSED
        return unused and early and nonsmooth_shrinks >= self.params.shrinks

    def begin(self, rng: np.random.Generator, noise: float, spent: float) -> Fallback:
        """Begin the trial.

        Args:
            rng: The generator of the run.
            noise: Variance of one shot.
            spent: One-shot evaluations of the run.
        """
        self._strategy = AdaptiveReevaluation(self.setup, rng)
        self._strategy.state.noise = noise
        ends_at = spent + self.params.share * self.setup.budget
        return Fallback(FallbackStage.TRIAL, self._strategy.state, ends_at)

    def restore(self, state: Fallback) -> None:
        """Go on from a saved state."""
        self._strategy = None
        if state.strategy is not None:
            self._strategy = AdaptiveReevaluation(self.setup, state.strategy.rng)
            self._strategy.restore(state.strategy)

    def ask(self, state: Fallback, minimiser: Array, spent: float) -> Batch:
        """One generation; or both recommendations, to be compared.

        Args:
            state: The present state.
            minimiser: The surrogate's minimiser, shape (d,).
            spent: One-shot evaluations of the run.
        """
        if state.stage is not FallbackStage.COMPARISON:
            batch = self.strategy.ask()
            return Batch(batch.points, batch.shots, STRATEGY_PHASE, memo=batch)
        shots = self._comparison_shots(spent)
        points = np.stack([self.strategy.recommendation, minimiser])
        return Batch(self.setup.domain.wrap(points), shots, COMPARISON_PHASE)

    def tell(self, state: Fallback, batch: Batch, estimate: Estimate, spent: float) -> Fallback:
        """Learn from a generation or from the comparison.

        Args:
            state: The state when the batch was asked.
            batch: The batch.
            estimate: Its estimate.
            spent: One-shot evaluations of the run, with this batch.
        """
        if state.stage is FallbackStage.COMPARISON:
            better = self._is_better(batch, estimate)
            return replace(state, stage=FallbackStage.CHOSEN if better else FallbackStage.REJECTED)
        self.strategy.tell(batch.memo, estimate)
        state = replace(state, strategy=self.strategy.state)
        if state.stage is FallbackStage.TRIAL and spent >= state.trial_ends_at:
            return replace(state, stage=FallbackStage.COMPARISON)
        return state

    def report(self, state: Fallback, spent: float) -> Progress:
        """How far the evolution strategy is.

        Args:
            state: The present state.
            spent: One-shot evaluations of the run.
        """
        progress = self.strategy.report()
        if state.stage is FallbackStage.COMPARISON:
            return replace(progress, next_shots=float(self._comparison_shots(spent)))
        return progress

    def _comparison_shots(self, spent: float) -> int:
        return max(int(self.params.comparison * spent / 2), self.setup.least_shots)

    def _is_better(self, batch: Batch, estimate: Estimate) -> bool:
        """Whether the strategy's recommendation is significantly better."""
        values, _ = receive(batch, estimate)
        error = math.sqrt(2 * self.strategy.state.noise / batch.shots)
        return bool(values[0] - values[1] < -self.params.significance * error)
