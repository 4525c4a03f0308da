"""Who leads, and what an evolution strategy and its surrogate remember together."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from qiskit_arcmaes.method import State
from qiskit_arcmaes.strategies.adaptive import AdaptiveState
from qiskit_arcmaes.surrogate.design import Array, Design
from qiskit_arcmaes.surrogate.quasi_newton import Descent
from qiskit_arcmaes.surrogate.state import SurrogateState


class Turn(enum.Enum):
    """Whose job is next."""

    DESCENT = "the quasi-Newton descent's"
    STRATEGY = "the evolution strategy's"
    SURROGATE = "the surrogate's"
    COMPARISON = "a comparison of the recommendations"
    REVIEW = "a comparison of where the evolution strategy has ended with what leads"
    LAST_COMPARISON = "the comparison of the recommendation with earlier ones and x0"
    NOBODY = "nobody's: the run has ended"


class Lead(enum.Enum):
    """Whose point is recommended."""

    STRATEGY = "the mean of the evolution strategy"
    SURROGATE = "the minimiser of the quadratic"
    HANDED_OVER = "what the surrogate recommended before the strategy took over"
    DESCENT = "where the quasi-Newton descent has come to"
    START = "x0: nothing better was found"


@dataclass(kw_only=True)
class AssistedState(State):
    """State of an evolution strategy with a surrogate.

    Attributes:
        strategy: State of the evolution strategy.
        surrogate: State of the surrogate; None before it first led.
        descent: State of the quasi-Newton descent; None before it begins.
        designs: Generations that a quadratic may be fitted to, oldest first.
        turn: Whose job is next.
        lead: Whose point is recommended.
        iteration: Jobs told so far, without those that measure the noise.
        spent: One-shot evaluations so far.
        next_fit_at: Spending at which a quadratic is fitted next.
        compare_at: Spending at which both recommendations are compared.
        taken_over_at: Spending at which the surrogate last took over.
        handed_over: The surrogate's minimiser when it last gave the lead away; None before.
        exploring: Whether a minimiser is known to rounding and others are looked for.
        explorations: How often the strategy has begun elsewhere.
        strategy_began_at: One-shot evaluations of the run when it last did.
    """

    strategy: AdaptiveState
    surrogate: SurrogateState | None = None
    descent: Descent | None = None
    designs: tuple[Design, ...] = ()
    turn: Turn = Turn.STRATEGY
    lead: Lead = Lead.STRATEGY
    iteration: int = 0
    spent: float = 0.0
    next_fit_at: float = 0.0
    compare_at: float = math.inf
    taken_over_at: float = 0.0
    handed_over: Array | None = None
    exploring: bool = False
    explorations: int = 0
    strategy_began_at: float = 0.0


def candidates(state: AssistedState) -> list[Lead]:
    """Whose points are compared: first the one that stays unless another is lower."""
    earlier = [Lead.HANDED_OVER] if state.handed_over is not None else []
    if state.descent is not None and state.descent.gained > 0:
        earlier.append(Lead.DESCENT)
    if state.turn is Turn.COMPARISON:
        assert state.surrogate is not None
        both = [Lead.SURROGATE, Lead.STRATEGY]
        return [*(reversed(both) if state.surrogate.doubts > 0 else both), *earlier]
    start = [] if state.turn is Turn.REVIEW else [Lead.START]
    others = [Lead.STRATEGY, *start, *earlier]
    return [state.lead, *(each for each in others if each is not state.lead)]
