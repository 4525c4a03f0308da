"""LRA-CMA-ES: learning rates that keep the signal-to-noise ratio of the updates constant.

M. Nomura, Y. Akimoto, I. Ono, "CMA-ES with Learning Rate Adaptation" (2023, 2024).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy, StrategyState

Array = NDArray[np.float64]

TARGET_RATIO = 1.4  # alpha: the ratio aimed at, in units of the learning rate
SMOOTHING_MEAN = 0.1  # beta_m
SMOOTHING_COVARIANCE = 0.03  # beta_Sigma
DAMPING = 0.1  # gamma
_ROOT_TWO = math.sqrt(2)


@dataclass
class Signal:
    """Moving averages of one kind of update, and the learning rate that follows from them.

    Attributes:
        average: E, moving average of the update in local coordinates.
        square: V, moving average of its squared norm.
        rate: The learning rate eta, 0 < eta <= 1.
    """

    average: Array
    square: float = 0.0
    rate: float = 1.0


@dataclass(kw_only=True)
class LearningRateState(StrategyState):
    """Adds the signals of the mean and of the covariance."""

    signal_mean: Signal
    signal_covariance: Signal


class LearningRateAdaptation(EvolutionStrategy):
    """Takes a fraction eta of every ordinary step; shots stay at M = ``shots`` or 1."""

    phase = "CMA-ES with learning rate adaptation"
    columns = EvolutionStrategy.columns | {
        "rate_mean": "learning rate of the mean",
        "rate_covariance": "learning rate of C",
    }
    state: LearningRateState

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> LearningRateState:
        dim = len(distribution.mean)
        return LearningRateState(
            distribution=distribution,
            rng=rng,
            shots=shots,
            signal_mean=Signal(np.zeros(dim)),
            signal_covariance=Signal(np.zeros((dim, dim))),
        )

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Propose an ordinary step, weigh it by how consistent such steps have been, take part."""
        values, _ = receive(batch, estimate)
        old, state = self.state.distribution, self.state
        proposal = cma.propose(old, self.rates, self._select(batch.memo, values), self.weights)
        self._move(take_part(old, proposal, state.signal_mean, state.signal_covariance))

    def _diagnostics(self) -> Mapping[str, float]:
        """The two learning rates."""
        signal_mean, signal_covariance = self.state.signal_mean, self.state.signal_covariance
        return {"rate_mean": signal_mean.rate, "rate_covariance": signal_covariance.rate}


def take_part(
    old: cma.Distribution,
    proposal: cma.Proposal,
    signal_mean: Signal,
    signal_covariance: Signal,
    widest: float = math.inf,
    widening: float = 1.0,
    least: tuple[float, float] = (0.0, 0.0),
) -> cma.Distribution:
    """Take the fraction eta of a proposed update of the mean, and another of Sigma = sigma² C.

    Args:
        old: The distribution before the update.
        proposal: The ordinary update.
        signal_mean: Signal of the mean; its rate is adapted first.
        signal_covariance: Signal of Sigma; its rate is adapted first.
        widest: A falling rate widens sigma in inverse proportion, but not beyond this.
        widening: Power of that proportion, from 0 to 1.
        least: The rates of the mean and of Sigma do not fall below these.
    """
    basis, widths, variance = old.basis, old.scales * old.step_size, old.step_size**2
    sigma_old = variance * old.covariance
    delta_mean = proposal.mean - old.mean
    delta_sigma = proposal.step_size**2 * proposal.covariance
    delta_sigma -= sigma_old
    white_mean = (delta_mean.dot(basis) / widths).dot(basis.T)  # dot: faster than @ where small
    root = (basis / widths).dot(basis.T)  # Sigma^-1/2
    white_sigma = root.dot(delta_sigma).dot(root)
    white_sigma /= _ROOT_TWO
    rate_before = signal_mean.rate
    adapt(signal_mean, white_mean, SMOOTHING_MEAN)
    adapt(signal_covariance, white_sigma, SMOOTHING_COVARIANCE)
    signal_mean.rate = max(signal_mean.rate, least[0])
    signal_covariance.rate = max(signal_covariance.rate, least[1])
    sigma_new = signal_covariance.rate * delta_sigma
    sigma_new += sigma_old
    covariance = sigma_new + sigma_new.T
    covariance /= 2 * variance
    mean = old.mean + signal_mean.rate * delta_mean
    moved = cma.settle(cma.Proposal(mean, old.step_size, covariance, *proposal[3:]))
    widened = rate_before / signal_mean.rate
    if widened > 1:
        widened = min(widened, max(widest / old.step_size, 1.0)) ** widening
    return rescale(moved, widened)


def adapt(signal: Signal, update: Array, smoothing: float) -> None:
    """Estimate the signal-to-noise ratio of an update and move its learning rate towards it."""
    average = (1 - smoothing) * signal.average
    average += smoothing * update
    signal.average = average
    signal.square = (1 - smoothing) * signal.square + smoothing * float(np.vdot(update, update))
    energy = float(np.vdot(average, average))
    noise = max(signal.square - energy, 1e-300)
    ratio = (energy - smoothing / (2 - smoothing) * signal.square) / noise
    push = min(max(ratio / (TARGET_RATIO * signal.rate) - 1, -1.0), 1.0)
    signal.rate *= math.exp(min(DAMPING * signal.rate, smoothing) * push)
    signal.rate = min(signal.rate, 1.0)


def rescale(distribution: cma.Distribution, factor: float) -> cma.Distribution:
    """Give C determinant one, and multiply sigma by ``factor``."""
    scales = distribution.scales
    root = math.exp(float(np.add.reduce(np.log(scales))) / len(scales))  # det(C)^(1/2d)
    distribution.covariance = distribution.covariance / root**2
    distribution.scales = scales / root
    distribution.step_size *= root * factor
    return distribution
