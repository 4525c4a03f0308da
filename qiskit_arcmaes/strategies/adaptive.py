"""AR-CMA-ES with adapted learning rates: M and the fraction of each step are chosen together.

The paper takes full steps and makes them safe by re-evaluations. A fraction eta of the step does
the same, at no cost where a new point has no price of its own: with the best eta the gain per cost
(o + M) is greatest at M = sqrt(o nu), o the price of a point besides its shots, nu = tau²/S the
noise-to-signal ratio of one shot (``efficiency``; derived on the page "AR-CMA-ES, derived").

1. Draw lambda/2 steps and their mirror images; measure all with M shots.
2. Follow tau² and the variance S that the loss causes in the population.
3. Move the mean by the weights that the ranks are expected to be worth (``expected_weights``).
4. Take fractions of the steps of mean and covariance (``learning_rate``, Nomura et al.).
5. Move M towards sqrt(o nu).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Setup
from qiskit_arcmaes.strategies import cma, noise
from qiskit_arcmaes.strategies.adaptive_params import DEFAULTS, AdaptiveParams
from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.strategies.efficiency import best_shots
from qiskit_arcmaes.strategies.expected_weights import ExpectedWeights
from qiskit_arcmaes.strategies.learning_rate import Signal, take_part

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class AdaptiveState(noise.CalibratedState):
    """Adds the signals of the learning rates, and what M is decided from.

    Attributes:
        signal_mean: Signal and learning rate of the mean.
        signal_covariance: Signal and learning rate of Sigma = sigma² C.
        spread: S, variance that the loss causes in a population, smoothed; NaN before the first.
        spent: One-shot evaluations so far.
    """

    signal_mean: Signal
    signal_covariance: Signal
    spread: float = math.nan
    spent: float = 0.0


class AdaptiveReevaluation(noise.CalibratedStrategy):
    """AR-CMA-ES that chooses re-evaluations and learning rates for the largest gain per cost.

    Args:
        setup: The problem.
        rng: The generator to draw from.
        params: The constants.
    """

    phase = "AR-CMA-ES with adapted learning rates (extension)"
    columns = noise.CalibratedStrategy.columns | {
        "noise": "variance of one shot",
        "spread": "variance that the loss causes",
        "noise_ratio": "noise-to-signal ratio of one shot",
        "rate_mean": "learning rate of the mean",
        "rate_covariance": "learning rate of C",
    }
    state: AdaptiveState

    def __init__(
        self, setup: Setup, rng: np.random.Generator, params: AdaptiveParams = DEFAULTS
    ) -> None:
        self.params = params
        super().__init__(setup, rng)
        self.price = setup.overhead + setup.budget / (params.generations * self.popsize)  # o
        affordable = setup.budget / (self.popsize * (setup.min_shots + setup.overhead))
        self.least_rate = min(params.full_generations / affordable, 1.0)
        self.noise_period = max(round(1 / (params.reevaluated * self.popsize)), 1)

    def _set_population(self, popsize: int) -> None:
        """As for every strategy; the mean uses all ranks, and the step-size path follows it."""
        super()._set_population(popsize)
        all_ranks = cma.parameters(self.setup.dim, popsize)
        self.rates = replace(self.rates, c_sigma=all_ranks.c_sigma, d_sigma=all_ranks.d_sigma)
        self.expected = ExpectedWeights(popsize, mirrored=self.params.mirrored)

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> AdaptiveState:
        dim = len(distribution.mean)
        return AdaptiveState(
            distribution=distribution,
            rng=rng,
            shots=shots,
            noise=self._first_noise(),
            signal_mean=Signal(np.zeros(dim)),
            signal_covariance=Signal(np.zeros((dim, dim))),
        )

    def _ask_population(self) -> Batch:
        """One population; now and then its first point a second time, to follow the noise."""
        points, population = self._sample()
        if self._follows_noise:
            points = np.concatenate([points, points[:1]])
        return self._batch(points, population)

    def _draw(self) -> Array:
        """Standard normal steps and their mirror images."""
        if not self.params.mirrored:
            return super()._draw()
        half = self.state.rng.standard_normal(((self.popsize + 1) // 2, self.setup.dim))
        return np.concatenate([half, -half[: self.popsize // 2]])

    @property
    def _follows_noise(self) -> bool:
        unknown = self.setup.noise is None and not self.setup.reports_variances
        return unknown and self.state.distribution.generation % self.noise_period == 0

    def _tell_population(self, batch: Batch, values: Array, variances: Array | None) -> None:
        state = self.state
        state.spent += len(values) * batch.shots
        self._learn_noise(values, variances, batch.shots)
        values = values[: self.popsize]
        self._learn_spread(values, batch.shots)
        share = self._share(batch.shots)
        proposal = self._propose(batch.memo, values, share)
        adapted = self.params.learning_rates
        self._move(self._take_part(proposal, share) if adapted else cma.settle(proposal))
        self._choose_shots()

    def _take_part(self, proposal: cma.Proposal, share: float) -> cma.Distribution:
        """The fractions of the steps; where noise is negligible, no less than time allows."""
        state, params = self.state, self.params
        return take_part(
            state.distribution,
            proposal,
            state.signal_mean,
            state.signal_covariance,
            widest=params.widest * self.setup.sigma0,
            least=self.least_rate * share**params.negligible,
        )

    def _learn_noise(self, values: Array, variances: Array | None, shots: int) -> None:
        state = self.state
        if variances is not None:
            reported = noise.reported_noise(variances, shots)
            state.noise = reported if math.isfinite(reported) else state.noise
        elif len(values) > self.popsize:
            pair, params = values[[0, -1]], self.params
            smoothing, outlier = params.noise_smoothing, params.outlier
            state.noise = noise.follow_noise(state.noise, pair, shots, smoothing, outlier)

    def _learn_spread(self, values: Array, shots: int) -> None:
        """S: the variance of the values without that of their noise, smoothed."""
        state, finite = self.state, values[np.isfinite(values)]
        if len(finite) < 2 or math.isnan(state.noise):
            return
        spread = float(finite.var(ddof=1)) - state.noise / shots
        if math.isnan(state.spread):
            state.spread = spread
        else:
            state.spread += self.params.spread_smoothing * (spread - state.spread)

    def _share(self, shots: float) -> float:
        """rho²: the share of the loss in the variance of the values; one where it is unknown."""
        state = self.state
        if not state.noise > 0 or math.isnan(state.spread):
            return 1.0
        spread = max(state.spread, 0.0)
        return spread / (spread + state.noise / shots)

    def _propose(self, population: Population, values: Array, share: float) -> cma.Proposal:
        """The ordinary update: the mean by all ranks, the covariance by the best half."""
        ranked = population.steps[values.argsort()]
        best = ranked[: len(self.weights)]
        distribution = self.state.distribution
        weights, mass = self.expected.at(share if self.params.expected_weights else 1.0)
        step = cma.Recombination(weights @ ranked, mass)
        return cma.propose(distribution, self.rates, best, self.weights, recombination=step)

    @property
    def _noise_ratio(self) -> float:
        """The ratio nu = tau²/S; S is at least a small share of the noise of M shots."""
        state = self.state
        if not state.noise > 0 or math.isnan(state.spread):
            return math.nan if math.isnan(state.noise + state.spread) else 0.0
        least = self.params.least_spread * state.noise / state.shots
        return state.noise / max(state.spread, least)

    def _choose_shots(self) -> None:
        """Move M towards sqrt(o nu), within its limits."""
        state, params = self.state, self.params
        ratio = self._noise_ratio
        if math.isnan(ratio):  # not known yet
            return
        best = min(best_shots(self.price, ratio), params.most_shots * self.price)
        most = params.most_generations * params.generations
        generations_left = max(most - state.distribution.generation, 1.0)
        least = (self.setup.budget - state.spent) / (self.popsize * generations_left)
        best = max(best, least, float(self.setup.min_shots))
        smoothing = params.shots_smoothing
        state.shots = state.shots ** (1 - smoothing) * best**smoothing

    def _diagnostics(self) -> Mapping[str, float]:
        """What M and the learning rates were decided from, and the rates."""
        state = self.state
        return {
            "noise": state.noise,
            "spread": state.spread,
            "noise_ratio": self._noise_ratio,
            "rate_mean": state.signal_mean.rate,
            "rate_covariance": state.signal_covariance.rate,
        }
