"""The noise level, measured before the start as the paper says, and kept up to date after it."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.method import Batch, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies.base import EvolutionStrategy, StrategyState

Array = NDArray[np.float64]

LEVELS = (1, 2, 4, 8)  # re-evaluation counts M of the curve, in units of the least M
_BUDGET_SHARE = 0.01  # of the budget for the curve, as far as the repeats' limits allow
CALIBRATION = "noise calibration"
_REPEATS = (3, 20)  # fewest and most repeats of the start at each level


@dataclass(kw_only=True)
class CalibratedState(StrategyState):
    """Adds what is known of the noise.

    Attributes:
        noise: Variance tau² of one shot; NaN until it is known.
        curve: Standard deviations measured so far, one for each level.
    """

    noise: float
    curve: Array = field(default_factory=lambda: np.empty(0))


class CalibratedStrategy(EvolutionStrategy):
    """A method that must know tau: measures it first, unless it is given or reported."""

    state: CalibratedState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        cost = sum(LEVELS) * setup.min_shots
        self.repeats = int(np.clip(_BUDGET_SHARE * setup.budget / cost, *_REPEATS))

    def first_jobs(self) -> list[tuple[int, int]]:
        """The noise curve where it is measured, one population and one point more."""
        curve = [(self.repeats, level * self.setup.min_shots) for level in LEVELS]
        ((points, shots),) = super().first_jobs()
        return (curve if self._calibrating else []) + [(points + 1, shots)]

    def ask(self) -> Batch:
        """The start several times over, at one level after the other; then populations."""
        if not self._calibrating:
            return self._ask_population()
        points = np.tile(self.recommendation, (self.repeats, 1))
        shots = LEVELS[len(self.state.curve)] * self.setup.min_shots
        return Batch(points, shots, CALIBRATION)

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn the noise level, then from populations."""
        values, variances = receive(batch, estimate)
        if batch.phase == CALIBRATION:
            self._tell_noise(values, variances)
        else:
            self._tell_population(batch, values, variances)

    @property
    def _calibrating(self) -> bool:
        return math.isnan(self.state.noise) and not self.setup.reports_variances

    def _tell_noise(self, values: Array, variances: Array | None) -> None:
        state = self.state
        shots = np.array(LEVELS) * self.setup.min_shots
        level = len(state.curve)
        if variances is not None:
            state.noise = reported_noise(variances, int(shots[level]), state.noise)
            return
        finite = values[np.isfinite(values)]
        deviation = float(np.std(finite, ddof=1)) if len(finite) > 1 else math.nan
        state.curve = np.append(state.curve, deviation)
        if len(state.curve) == len(LEVELS):
            state.noise = fit_noise(shots, state.curve, self.repeats) ** 2

    @abstractmethod
    def _ask_population(self) -> Batch: ...

    @abstractmethod
    def _tell_population(self, batch: Batch, values: Array, variances: Array | None) -> None: ...

    def _first_noise(self) -> float:
        return math.nan if self.setup.noise is None else self.setup.noise**2


def fit_noise(shots: ArrayLike, deviations: ArrayLike, repeats: int) -> float:
    """Fit tau to the curve E s(M) = tau/sqrt(M), by weighted least squares.

    The standard error of s(M) is itself proportional to 1/sqrt(M), so that the weighted solution
    is the mean of s(M) sqrt(M); the sample deviation's small bias is taken out.

    Args:
        shots: The levels M.
        deviations: Sample standard deviations at these levels; NaN where a level failed.
        repeats: Values behind each of them, >= 2.

    Example:
        >>> fit_noise([1, 4], [2.0, 1.0], repeats=1000)  # doctest: +ELLIPSIS
        2.0005...
    """
    freedom = repeats - 1
    bias = math.sqrt(2 / freedom) * math.exp(math.lgamma(repeats / 2) - math.lgamma(freedom / 2))
    scaled = np.asarray(deviations) * np.sqrt(shots) / bias
    usable = scaled[np.isfinite(scaled)]
    if len(usable) == 0:
        raise ValueError("the noise level cannot be measured: the loss at x0 is NaN or infinite.")
    return float(np.mean(usable))


def follow_noise(noise: float, pair: Array, shots: int, smoothing: float, outlier: float) -> float:
    """Tau² after a point was evaluated twice more.

    Args:
        noise: tau² before.
        pair: The two values; nothing is learnt from them where one is not finite.
        shots: M of each.
        smoothing: Share of the pair in the result.
        outlier: The pair counts as at most this multiple of tau².

    Example:
        >>> follow_noise(1.0, np.array([3.0, 1.0]), shots=1, smoothing=0.1, outlier=10.0)
        1.1
    """
    measured = shots * float(pair[0] - pair[1]) ** 2 / 2
    if not math.isfinite(measured):
        return noise
    return noise + smoothing * (min(measured, outlier * noise) - noise)


def reported_noise(variances: Array, shots: int, before: float) -> float:
    """Variance of one shot, averaged over what the oracle reported for a batch.

    Args:
        variances: Of the values of a batch; NaN where it failed.
        shots: Shots per point.
        before: What was known before, which stays where all failed.
    """
    finite = variances[np.isfinite(variances)]
    return float(np.mean(finite) * shots) if len(finite) else before
