"""The present point and what is known there: shared by all phases."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Iterate:
    """The present point and what is known there.

    Attributes:
        centre: The recommendation in radians, not wrapped, shape (d,).
        test: The shift and its tests.
        noise: Variance of one shot.
        iteration: Updates of the centre.
        spent: One-shot evaluations so far.
        value: The last value measured at a centre.
        value_shots: Shots of that value.
        jobs: Jobs so far.
    """

    centre: Array
    test: ShiftTest
    noise: ShotNoise = field(default_factory=ShotNoise)
    iteration: int = 0
    spent: float = 0.0
    value: float = math.nan
    value_shots: float = 1.0
    jobs: int = 0

    @property
    def value_std(self) -> float:
        """Standard error of the value."""
        return math.sqrt(self.noise.variance / self.value_shots)


@dataclass(frozen=True)
class Measurement:
    """The estimate of one job.

    Attributes:
        values: NaN where a point failed, shape (n,).
        shots: Shots per point.
        reported: Whether variances came with the values.
    """

    values: Array
    shots: int
    reported: bool
