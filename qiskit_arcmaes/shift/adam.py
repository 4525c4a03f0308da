"""Adam (Kingma and Ba, arXiv:1412.6980): averages of gradients and the step they give."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.params import AdamParams

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Adam:
    """Adam's averages.

    Attributes:
        steps: Steps taken.
        mean: Moving average of the gradients, shape (d,).
        square: Moving average of their squares, shape (d,).
    """

    steps: int
    mean: Array
    square: Array


@dataclass(frozen=True)
class AdamStep:
    """One step.

    Attributes:
        adam: The averages after it.
        gradient: The average gradient without the bias of its zero start, shape (d,).
        scale: Root of the average square without that bias, shape (d,), > 0.
    """

    adam: Adam
    gradient: Array
    scale: Array

    def move(self, rate: float) -> Array:
        """What is subtracted from the angles, at a rate in radians."""
        return rate * self.gradient / self.scale


def new_adam(dim: int) -> Adam:
    """Adam before its first step."""
    return Adam(0, np.zeros(dim), np.zeros(dim))


def adam_step(adam: Adam, gradient: Array, params: AdamParams) -> AdamStep:
    """Take a gradient into the averages.

    Example:
        >>> step = adam_step(new_adam(2), np.array([3.0, -0.1]), AdamParams())
        >>> step.move(0.15).round(9).tolist()
        [0.15, -0.15]
    """
    steps = adam.steps + 1
    mean = params.momentum * adam.mean + (1 - params.momentum) * gradient
    square = params.squares * adam.square + (1 - params.squares) * gradient**2
    scale = np.sqrt(square / (1 - params.squares**steps)) + params.epsilon
    return AdamStep(Adam(steps, mean, square), mean / (1 - params.momentum**steps), scale)


def cosine_rate(first: float, done: float, params: AdamParams) -> float:
    """Rate that falls by a cosine from the first one to its last share.

    Args:
        first: First rate in radians.
        done: Share of the start's budget that is used.
        params: The last rate.

    Example:
        >>> round(cosine_rate(0.1, 1.0, AdamParams()), 6)
        0.001
    """
    fall = 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
    return first * (params.last_rate + (1 - params.last_rate) * fall)
