"""What the rows do with their best steps: plain CMA-ES, and learning-rate adaptation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.lockstep import rows as batch
from qiskit_arcmaes.bench.lockstep.rows import Rows
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.learning_rate import (
    DAMPING,
    SMOOTHING_COVARIANCE,
    SMOOTHING_MEAN,
    TARGET_RATIO,
)

Array = NDArray[np.float64]


class Rule(Protocol):
    """One update of all rows; it may remember something of each."""

    def __call__(self, old: Rows, rates: cma.Parameters, steps: Array, weights: Array) -> Rows:
        """The rows after an update; arguments as of ``rows.propose``."""
        ...

    def keep(self, chosen: NDArray[np.int_]) -> None:
        """Forget all rows but these."""
        ...


class Plain:
    """The update of ``strategies.fixed.FixedShots``."""

    def __init__(self, rows: Rows) -> None:
        pass

    def __call__(self, old: Rows, rates: cma.Parameters, steps: Array, weights: Array) -> Rows:
        """One ordinary update."""
        return batch.settle(batch.propose(old, rates, steps, weights))

    def keep(self, chosen: NDArray[np.int_]) -> None:
        """There is nothing to forget."""


@dataclass
class Signals:
    """Moving averages of one kind of update in every row, as ``learning_rate.Signal``.

    Attributes:
        average: Moving averages of the update, flat, shape (r, n).
        square: Moving averages of its squared norm, shape (r,).
        rate: The learning rates, shape (r,).
    """

    average: Array
    square: Array
    rate: Array

    def adapt(self, update: Array, smoothing: float) -> None:
        """Move the learning rates, as ``learning_rate.adapt``.

        Args:
            update: One update per row, flat, shape (r, n); it is overwritten.
            smoothing: Share of the newest update in the averages.
        """
        norm = np.einsum("ri,ri->r", update, update)
        update *= smoothing
        self.average *= 1 - smoothing
        self.average += update
        self.square = (1 - smoothing) * self.square + smoothing * norm
        energy = np.einsum("ri,ri->r", self.average, self.average)
        noise = np.maximum(self.square - energy, 1e-300)
        ratio = (energy - smoothing / (2 - smoothing) * self.square) / noise
        push = (ratio / (TARGET_RATIO * self.rate) - 1).clip(-1.0, 1.0)
        change = batch.exponentials(np.minimum(DAMPING * self.rate, smoothing) * push)
        self.rate = np.minimum(self.rate * change, 1.0)

    def keep(self, chosen: NDArray[np.int_]) -> None:
        """Forget all rows but these."""
        self.average, self.square = self.average[chosen], self.square[chosen]
        self.rate = self.rate[chosen]


class LearningRates:
    """The update of ``LearningRateAdaptation``."""

    def __init__(self, rows: Rows) -> None:
        count, dim = rows.mean.shape
        self.mean = Signals(np.zeros((count, dim)), np.zeros(count), np.ones(count))
        self.covariance = Signals(np.zeros((count, dim**2)), np.zeros(count), np.ones(count))

    def __call__(self, old: Rows, rates: cma.Parameters, steps: Array, weights: Array) -> Rows:
        """Propose an ordinary step, weigh it by how consistent such steps have been, take part."""
        count, dim = old.mean.shape
        proposals = batch.propose(old, rates, steps, weights)
        sigma = old.step_size[:, None, None]
        sigma_old = sigma**2 * old.covariance
        delta_mean = proposals.mean - old.mean
        delta_sigma = (proposals.step_size**2)[:, None, None] * proposals.covariance
        delta_sigma -= sigma_old
        widths = old.scales * old.step_size[:, None]
        white_mean = batch.apply(old.basis, batch.turn(delta_mean, old.basis) / widths)
        root = np.matmul(old.basis / widths[:, None, :], old.basis.transpose(0, 2, 1))
        white_sigma = np.matmul(np.matmul(root, delta_sigma), root)
        white_sigma *= 1 / math.sqrt(2)
        rate_before = self.mean.rate
        self.mean.adapt(white_mean, SMOOTHING_MEAN)
        self.covariance.adapt(white_sigma.reshape(count, dim**2), SMOOTHING_COVARIANCE)
        delta_sigma *= self.covariance.rate[:, None, None]
        delta_sigma += sigma_old
        proposals.mean = old.mean + self.mean.rate[:, None] * delta_mean
        proposals.step_size = old.step_size
        proposals.covariance = delta_sigma + delta_sigma.transpose(0, 2, 1)
        proposals.covariance /= 2 * sigma**2
        return _rescaled(batch.settle(proposals), rate_before / self.mean.rate)

    def keep(self, chosen: NDArray[np.int_]) -> None:
        """Forget all rows but these."""
        self.mean.keep(chosen)
        self.covariance.keep(chosen)


def _rescaled(rows: Rows, factors: Array) -> Rows:
    """Give every C determinant one, and multiply sigma by the row's factor."""
    root = batch.exponentials(np.log(rows.scales).mean(axis=1))
    rows.covariance /= (root**2)[:, None, None]
    rows.scales /= root[:, None]
    rows.step_size = rows.step_size * (root * factors)
    return rows
