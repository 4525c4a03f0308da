"""AR-CMA-ES with adapted learning rates: M and the fraction of each step are chosen together.

The paper takes full steps and makes them safe by re-evaluations. A fraction eta of the step does
the same, at no cost where a new point has no price of its own: with the best eta the gain per cost
(o + M) is greatest at M = sqrt(o nu), o the price of a point besides its shots, nu = tau²/S the
noise-to-signal ratio of one shot (``efficiency``; derived on the page "AR-CMA-ES, derived").

A generation draws mirrored samples, follows tau² and the variance S that the loss causes, moves the
mean by the ranks of the pairs' differences (``mirrored``) or by what the ranks of the values are
expected to be worth (``expected_weights``), takes fractions of the steps (``learning_rate``, Nomura
et al.), and moves M towards sqrt(o nu).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from qiskit_arcmaes.method import Batch, Progress, Setup
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.strategies import cma, noise, nonlinearity
from qiskit_arcmaes.strategies.adaptive_params import DEFAULTS, AdaptiveParams
from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.strategies.efficiency import best_shots
from qiskit_arcmaes.strategies.expected_weights import ExpectedWeights
from qiskit_arcmaes.strategies.learning_rate import Signal, take_part
from qiskit_arcmaes.strategies.mirrored import (
    DifferenceWeights,
    PairValues,
    components,
    mirror,
    value_at_centre,
)
from qiskit_arcmaes.strategies.noise_growth import NoiseGrowth
from qiskit_arcmaes.strategies.phases import held_width, periods, phase_variance

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class AdaptiveState(noise.CalibratedState):
    """Adds the signals of the learning rates, and what M is decided from.

    Attributes:
        signal_mean: Signal and learning rate of the mean.
        signal_covariance: Signal and learning rate of Sigma = sigma² C.
        spread: S, variance that the loss causes in a population, smoothed; NaN before the first.
        spread_differences: The same in the pairs' differences over sqrt(2).
        average: Moving average of the means, the recommendation.
        value: Loss at the mean, averaged as it is; NaN where values are ranked.
        value_variance: Variance of ``value``.
        spent: One-shot evaluations so far.
        antisymmetric: Whether the loss is linear at the scale of the population.
        noise_growth: How much louder the candidates are than the mean, where that is followed.
    """

    signal_mean: Signal
    signal_covariance: Signal
    average: Array
    value: float = math.nan
    value_variance: float = math.nan
    spread: float = math.nan
    spread_differences: float = math.nan
    spent: float = 0.0
    antisymmetric: nonlinearity.Antisymmetric = field(default_factory=nonlinearity.Antisymmetric)
    noise_growth: NoiseGrowth = field(default_factory=NoiseGrowth)


class AdaptiveReevaluation(noise.CalibratedStrategy):
    """AR-CMA-ES that chooses re-evaluations and learning rates for the largest gain per cost."""

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
        self.params = params  # first: the population's constants need them
        super().__init__(setup, rng)
        self.generations = params.generations_per_dimension * setup.dim  # G
        self.price = setup.overhead + setup.budget / (self.generations * self.popsize)  # o
        affordable = setup.budget / (self.popsize * (setup.min_shots + setup.overhead))
        self.least_rate = params.full_generations / max(affordable, params.full_generations)
        self.noise_period = max(round(1 / (params.reevaluated * self.popsize)), 1)

    def _set_population(self, popsize: int) -> None:
        """As for every strategy; the mean uses all ranks, and the step-size path follows it."""
        super()._set_population(popsize)
        path = cma.parameters(self.setup.dim, popsize)
        self.rates = replace(self.rates, c_sigma=path.c_sigma, d_sigma=path.d_sigma)
        self.expected = ExpectedWeights(popsize, mirrored=self.params.mirrored)
        self.by_differences = DifferenceWeights(popsize)
        self.ranks_differences = (
            self.params.differences and self.params.mirrored and not self._periodic
        )

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> AdaptiveState:
        dim = self.setup.dim
        return AdaptiveState(
            distribution=distribution,
            rng=rng,
            shots=shots,
            noise=self._first_noise(),
            signal_mean=Signal(np.zeros(dim)),
            signal_covariance=Signal(np.zeros((dim, dim))),
            average=distribution.mean.copy(),
        )

    def first_jobs(self) -> list[tuple[int, int]]:
        """As of every calibrated strategy; the mean is evaluated twice where its noise counts."""
        *curve, (points, shots) = super().first_jobs()
        return [*curve, (points + 2 * self._compares_noise, shots)]

    @property
    def recommendation(self) -> Array:
        """The average of the means over the last generations."""
        if not self._averages:
            return super().recommendation
        return self.setup.domain.wrap(self.setup.domain.repair(self.state.average))

    def move_to(self, mean: Array) -> None:
        """Go on at another point, with the same distribution around it.

        Args:
            mean: The point, shape (d,).
        """
        distribution = self.state.distribution
        self.state.distribution = replace(distribution, mean=np.array(mean, dtype=float))
        self.state.average = np.array(mean, dtype=float)
        self.state.value = math.nan

    def take_full_steps(self) -> None:
        """Keep the learning rates at one where noise is negligible: it is no small rate's use."""
        self.least_rate = 1.0

    def restart_with(self, distribution: cma.Distribution) -> None:
        """Begin again with another distribution; noise and shots stay known.

        Args:
            distribution: It is not copied.
        """
        before = self.state
        self.state = self._start(distribution, before.rng, before.shots)
        self.state.noise, self.state.spent = before.noise, before.spent

    def forget_progress(self) -> None:
        """Begin to count anew what was spent, with the first number of shots."""
        self.state.spent, self.state.shots = 0.0, float(self.setup.least_shots)

    @property
    def share(self) -> float:
        """Share rho² of the loss in the variance of the values; one where it is not known."""
        return self._share(self.state.spread, self.state.shots)

    @property
    def noise_level(self) -> NoiseLevel:
        """The noise with the degrees of freedom of its calibration."""
        if not self._follows_noise:
            return NoiseLevel.known(self.state.noise)
        freedom = float(len(noise.LEVELS) * (self.repeats - 1))
        return NoiseLevel(self.state.noise * freedom, freedom)

    def _ask_population(self) -> Batch:
        """One population; now and then its first point and the mean twice, for the noise there."""
        points, population = self._sample()
        if self._follows_noise and self.state.distribution.generation % self.noise_period == 0:
            points = np.concatenate([points, points[:1]])
            if self._compares_noise:
                mean = self.setup.domain.repair(self.state.distribution.mean)
                points = np.concatenate([points, [mean, mean]])
        return self._batch(points, population)

    @cached_property
    def _periods(self) -> Array:
        return periods(self.setup)

    @cached_property
    def _periodic(self) -> bool:
        return bool(np.any(self._periods > 0))

    @property
    def _averages(self) -> bool:
        """Whether the means are averaged: over 1/eta generations, on periodic ones over a share."""
        return (self.params.periodic_tail if self._periodic else self.params.averaged) > 0

    @property
    def _uses_differences(self) -> bool:
        """Whether the mean moves by ranked differences: under noise, where the loss looks linear.

        A loss of angles is a trigonometric polynomial of them: not linear at any width, as is
        known without a test.
        """
        return self.ranks_differences and self.state.noise > 0 and self._nonlinearity < 0.5

    @property
    def _compares_noise(self) -> bool:
        """Whether the noise at the mean is followed too, as wide populations may be far louder."""
        return self._follows_noise and self.ranks_differences

    @property
    def _follows_noise(self) -> bool:
        return self.setup.noise is None and not self.setup.reports_variances

    def _draw(self) -> tuple[Array, Array]:
        """Standard normal rows and their steps, the second half mirror images of the first."""
        if not self.params.mirrored:
            return super()._draw()
        half = self.state.rng.standard_normal(((self.popsize + 1) // 2, self.setup.dim))
        steps = cma.stretch(self.state.distribution, half)
        return mirror(half, self.popsize), mirror(steps, self.popsize)

    def _tell_population(self, batch: Batch, values: Array, variances: Array | None) -> None:
        state, params = self.state, self.params
        state.spent += len(values) * batch.shots
        self._learn_noise(values, variances, batch.shots)
        values = values[: self.popsize]
        pairs = components(values)
        self._learn_spread(values, pairs, batch.shots)
        differences = self._uses_differences
        ranked = state.spread_differences if differences else state.spread
        share = self._share(state.spread, batch.shots)
        proposal = self._propose(batch.memo, values, share, pairs if differences else None)
        if params.mirrored:
            first = 1 / (state.distribution.generation + 1)  # the plain mean at first
            smoothing = max(params.nonlinear_smoothing, first)
            noise_of_value = state.noise / batch.shots
            normals = self._first_of_pairs(batch.memo.normals)
            state.antisymmetric.learn(normals, pairs, noise_of_value, smoothing)
        nonlinear = self._nonlinearity
        share = self._share(ranked, batch.shots)
        distribution = self._take_part(proposal, share, 1 - nonlinear)
        if self._periodic and params.periodic_hold:
            distribution.step_size = held_width(
                state.distribution.step_size, distribution.step_size, share
            )
        cost = len(batch.points) * (batch.shots + self.setup.overhead)
        if nonlinear > 0:
            distribution.step_size *= math.exp(-nonlinear * self._contraction(cost))
        quieter = state.noise_growth.width_factor(params.loud, params.quietening)
        distribution.step_size *= quieter
        self._move(distribution)
        self._learn_average(batch.memo, pairs.means)
        self._choose_shots()

    def _move(self, distribution: cma.Distribution) -> None:
        """As for every strategy; the phases of periodic coordinates limit the width further."""
        if self._periodic:
            spent = min(self.state.spent / self.setup.budget, 1.0)
            limit = self.params.first_phase ** (1 - spent) * self.params.last_phase**spent
            variance = phase_variance(distribution, self._periods)
            distribution.step_size *= math.sqrt(min(limit / variance, 1.0))
        super()._move(distribution)

    def _newest_share(self) -> float:
        """Share of the newest mean in the average of the means; all of it without noise."""
        state, params = self.state, self.params
        if not state.noise > 0 or not self._averages:
            return 1.0
        if self._periodic:
            return min(params.periodic_tail / state.distribution.generation, 1.0)
        rate = state.signal_mean.rate
        return rate / (rate + params.averaged * (1 - rate))

    def _learn_average(self, population: Population, means: Array) -> None:
        """Average the means, and the loss there, over as many generations as the rate does steps.

        The loss at the mean is not the mean of the values: a wide population lies above it.
        """
        state = self.state
        newest = self._newest_share()
        moved = state.distribution.mean - state.average
        moved *= newest
        moved += state.average
        state.average = moved
        if not self.ranks_differences or not state.noise > 0:
            return
        steps = population.normals[: len(means)]
        squares = np.einsum("ij,ij->i", steps, steps)
        value, variance = value_at_centre(squares, means)
        if math.isnan(state.value):
            state.value, state.value_variance = value, variance
        elif not math.isnan(value):
            state.value += newest * (value - state.value)
            kept = (1 - newest) ** 2 * state.value_variance
            state.value_variance = kept + newest**2 * variance

    def report(self) -> Progress:
        """As of every strategy, with the loss at the mean where differences are ranked."""
        state, told = self.state, super().report()
        if math.isnan(state.value):
            return told
        return replace(told, value=state.value, std=math.sqrt(state.value_variance))

    def _take_part(self, proposal: cma.Proposal, share: float, widening: float) -> cma.Distribution:
        """The fractions of the steps; where noise is negligible, no less than time allows.

        Args:
            proposal: The full steps.
            share: Share of the loss in the variance of what is ranked.
            widening: Power of the falling rate by which sigma grows.
        """
        state, params = self.state, self.params
        if not params.learning_rates:
            return cma.settle(proposal)
        signals = state.signal_mean, state.signal_covariance
        widest = params.widest * self.setup.sigma0
        least = self.least_rate * share**params.negligible
        least_mean = max(least, params.periodic_rate) if self._periodic else least
        limits = least_mean, least
        return take_part(state.distribution, proposal, *signals, widest, widening, limits)

    @property
    def _nonlinearity(self) -> float:
        """Whether the loss is nonlinear, from 0 (within two standard errors) to 1 (three)."""
        odd = self.state.antisymmetric
        if not odd.total > 0:
            return 0.0
        followed = self.params.noise_smoothing if self._follows_noise else 0.0
        error = odd.standard_error(self.popsize // 2, self.setup.dim, followed)
        return min(max(odd.share / error - 2, 0.0), 1.0)

    def _contraction(self, cost: float) -> float:
        """Fall of ln sigma for a generation of a cost, where the loss is nonlinear."""
        state = self.state
        averaged = self.setup.dim / self.popsize * state.signal_mean.rate
        share = max(state.antisymmetric.share, 0.0)
        bias = share / (share + averaged)
        stalled = nonlinearity.stall(state.signal_mean)
        spent = cost / self.setup.budget
        return self.params.contraction * spent * stalled * bias

    def _learn_noise(self, values: Array, variances: Array | None, shots: int) -> None:
        state = self.state
        if variances is not None:
            state.noise = noise.reported_noise(variances, shots, state.noise)
        elif len(values) > self.popsize:
            rule = self.params.noise_smoothing, self.params.outlier
            pair = values[[0, self.popsize]]
            before, state.noise = state.noise, noise.follow_noise(state.noise, pair, shots, *rule)
            if len(values) > self.popsize + 1:
                rule = self.params.spread_smoothing, self.params.outlier
                state.noise_growth.learn(values[-2:], pair, shots, before, rule)

    def _learn_spread(self, values: Array, pairs: PairValues, shots: int) -> None:
        """S: the variance of the values without that of their noise, smoothed."""
        state, finite = self.state, values
        total = float(np.add.reduce(values))
        if not math.isfinite(total):
            finite = values[np.isfinite(values)]
            total = float(np.add.reduce(finite))
        if len(finite) < 2 or math.isnan(state.noise):
            return
        centred = finite - total / len(finite)
        spread = float(centred @ centred) / (len(finite) - 1) - state.noise / shots
        state.spread = self._smoothed(state.spread, spread)
        if not self.params.mirrored:
            return
        power = pairs.power
        if not pairs.finite:
            halves = pairs.halves[np.isfinite(pairs.halves)]
            power = float(halves @ halves) / len(halves) if len(halves) else math.nan
        if not math.isnan(power):
            spread = 2 * power - state.noise / shots
            state.spread_differences = self._smoothed(state.spread_differences, spread)

    def _smoothed(self, before: float, newest: float) -> float:
        smoothing = 1.0 if math.isnan(before) else self.params.spread_smoothing
        return newest if smoothing == 1 else before + smoothing * (newest - before)

    def _share(self, spread: float, shots: float) -> float:
        """rho²: the share of the loss, which causes ``spread``; one where it is unknown."""
        noise = self.state.noise
        if not noise > 0 or math.isnan(spread):
            return 1.0
        spread = max(spread, 0.0)
        return spread / (spread + noise / shots)

    def _first_of_pairs(self, rows: Array) -> Array:
        """The first row of each mirrored pair; half the difference of both where bounds moved one.

        Args:
            rows: Steps or normals of a population; without bounds the last half are the negatives
                of the first.
        """
        pairs = self.popsize // 2
        if not self.setup.domain.bounded:
            return rows[:pairs]
        return np.asarray((rows[:pairs] - rows[-pairs:]) / 2)

    def _propose(
        self, population: Population, values: Array, share: float, pairs: PairValues | None
    ) -> cma.Proposal:
        """The ordinary update: the mean by differences or all ranks, C by the best half.

        Args:
            population: The candidates.
            values: Their values.
            share: Share of the loss in the variance of the values.
            pairs: Values of the pairs where differences are ranked, else None.
        """
        steps, distribution = population.steps, self.state.distribution
        order = values.argsort()
        best = steps[order[: len(self.weights)]]
        if pairs is not None:
            found = self.by_differences.step(self._first_of_pairs(steps), pairs)
            if found is not None:
                step = found.recombination
                proposal = cma.propose(
                    distribution, self.rates, best, self.weights, recombination=step
                )
                return self._keep_width(proposal, found.share)
        weights, mass = self.expected.at(share if self.params.expected_weights else 1.0)
        step = cma.Recombination(weights @ steps[order], mass)
        return cma.propose(distribution, self.rates, best, self.weights, recombination=step)

    def _keep_width(self, proposal: cma.Proposal, share: float) -> cma.Proposal:
        """C changes its shape only, and sigma grows beyond its limit only along a slope.

        Candidates that are good because they are near a minimum would make C narrower, although
        the differences are most precise in a wide population.
        """
        old = self.state.distribution
        factor, failed = lapack.dpotrf(proposal.covariance)
        roots = factor.diagonal() if not failed else old.scales
        shape = math.exp(2 * float(np.add.reduce(np.log(old.scales / roots))) / self.setup.dim)
        limit = max(self.params.widest * self.setup.sigma0, old.step_size)
        step_size = proposal.step_size
        if step_size > limit:
            step_size = limit * (step_size / limit) ** max(2 * share - 1, 0.0)
        covariance = proposal.covariance * shape
        return cma.Proposal(proposal.mean, step_size, covariance, *proposal[3:])

    @property
    def _noise_ratio(self) -> float:
        """The ratio nu = tau²/S; S is at least a small share of the noise of M shots."""
        state = self.state
        if state.noise == 0:
            return 0.0
        least = self.params.least_spread * state.noise / state.shots
        spread = state.spread_differences if self.ranks_differences else state.spread
        return state.noise / max(spread, least)  # NaN where either is not known yet

    def _choose_shots(self) -> None:
        """Move M towards sqrt(o nu), within its limits."""
        state, params = self.state, self.params
        ratio = self._noise_ratio
        if math.isnan(ratio):
            return
        dearest = params.periodic_most_shots if self._periodic else params.most_shots
        best = min(best_shots(self.price, ratio), dearest * self.price)
        most = params.most_generations * self.generations
        generations_left = max(most - state.distribution.generation, 1.0)
        least = (self.setup.budget - state.spent) / (self.popsize * generations_left)
        best = max(best, least, float(self.setup.min_shots))
        smoothing = params.shots_smoothing
        state.shots = state.shots ** (1 - smoothing) * best**smoothing

    def _diagnostics(self) -> Mapping[str, float]:
        """What M was decided from, and the learning rates."""
        state = self.state
        return {
            "noise": state.noise,
            "spread": state.spread,
            "noise_ratio": self._noise_ratio,
            "rate_mean": state.signal_mean.rate,
            "rate_covariance": state.signal_covariance.rate,
        }
