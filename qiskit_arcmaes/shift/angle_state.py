"""What the local phase for angles remembers: plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.legacy import State

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class AngleState(State):
    """Adds the momentum, the spacing and its test, the starts, and what the model is fitted to.

    Attributes:
        spacing: s, in radians.
        slope: Moving average of the slopes.
        square: Moving average of their squares.
        step: Steps taken from this start.
        planned: Budget of this start, in evaluations with one shot.
        planned_steps: Steps that this budget pays.
        typical: Shots at which that budget pays the steps that are wanted.
        limit: What may be spent until the end of this start, in evaluations with one shot.
        spent: Evaluations with one shot so far.
        asked: Shots of the batch that waits.
        centred: Whether the centre is its last row, which only shows how far the run is.
        value: The last value measured at the centre.
        value_shots: Shots behind it.
        testing: Whether the batch that waits tests the spacing.
        noise_sum: Sum of squared differences of repeated values, halved, for one shot.
        noise_count: How many.
        disagreement: Sum of the test's squared deviations, in units of their variance.
        agreements: How many.
        chance: Probability of so large a disagreement where the spacing is right.
        deviation: Sum of the test's squared deviations beyond the noise.
        energy: Sum of the squared slopes in the tests.
        ends: Ends of the starts so far, shape (k, d).
        several: Whether several starts are made.
        judging: Whether the batch that waits compares the ends.
        finished: Whether the budget is used.
        centres: Where slopes were measured that are kept, shape (k, d).
        slopes: These slopes, shape (k, d).
        slope_variances: Their variances, shape (k,).
        noise: Variance of one shot in the last steps.
        curvature_sum: Sum of the curvatures along the axes, weighted by shots, shape (d,).
        curvature_shots: Sum of the weights.
        spread: Variance of the Hessian's entries about the prior.
        misfit: Variance of the slopes beyond the noise at a distance of one radian.
        difference: Sum of the slopes minus those at the smaller spacing, in this start's tests.
        differences: How many.
        foreign: Slopes kept, the first ones, that were measured at a wider spacing.
        shift: Variance of the bias that they have for it.
        refining: Whether the steps are of second order.
        rounds: How many of them.
        centre: Where the next round of second order is measured.
        expected: Slopes that the model expects there.
        gain: By how much the model expects the loss to fall.
        gain_noise: What the slope's error costs of it.
        trigonometric: 1 if the trigonometric form was fitted last, 0 if the quadratic was.
    """

    spacing: float = math.pi / 2
    slope: Array
    square: Array
    step: int = 0
    planned: float = 1.0
    planned_steps: float = 0.0
    typical: float = 1.0
    limit: float
    spent: float = 0.0
    asked: int = 1
    centred: bool = False
    value: float = math.nan
    value_shots: int = 1
    testing: bool = False
    noise_sum: float = 0.0
    noise_count: int = 0
    disagreement: float = 0.0
    agreements: int = 0
    chance: float = 1.0
    deviation: float = 0.0
    energy: float = 0.0
    ends: Array = field(default_factory=lambda: np.empty((0, 0)))
    several: bool = False
    judging: bool = False
    finished: bool = False
    centres: Array = field(default_factory=lambda: np.empty((0, 0)))
    slopes: Array = field(default_factory=lambda: np.empty((0, 0)))
    slope_variances: Array = field(default_factory=lambda: np.empty(0))
    noise: float = 0.0
    curvature_sum: Array = field(default_factory=lambda: np.empty(0))
    curvature_shots: float = 0.0
    spread: float = 1.0
    misfit: float = 0.0
    difference: Array = field(default_factory=lambda: np.empty(0))
    differences: int = 0
    foreign: int = 0
    shift: float = 1.0
    refining: bool = False
    rounds: int = 0
    centre: Array = field(default_factory=lambda: np.empty(0))
    expected: Array = field(default_factory=lambda: np.empty(0))
    gain: float = math.nan
    gain_noise: float = math.nan
    trigonometric: float = math.nan
