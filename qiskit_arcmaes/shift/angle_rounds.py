"""Rounds of second order on pairs of angles: measure slopes, fit their model, go to its minimum.

A round is measured not at the minimiser itself but at a draw from what is known of it: directions
in which it is uncertain are looked at widely, the others hardly. The answer is the minimiser.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.angle_model import (
    SlopeFit,
    Slopes,
    bias_energy,
    fit_slopes,
    minimiser,
)
from qiskit_arcmaes.shift.angle_state import AngleState

Array = NDArray[np.float64]

RATIO = (math.sqrt(5) - 1) / 2  # to the smaller spacing: irrational, or whole frequencies hide
FEWEST, MOST = 10, 50  # rounds: with fewer the model is not corrected, more make no difference

_KEPT = 0.5  # share of the first-order steps that is near enough to be fitted, the last ones
_TRUST = 0.3  # radians in each angle that a round may go
_FORGET = 0.05  # weight of one round's two centres in the noise, where it is not reported


def forget(state: AngleState) -> None:
    """Begin to keep slopes anew."""
    dim = len(state.slope)
    state.centres, state.slopes = np.empty((0, dim)), np.empty((0, dim))
    state.slope_variances = np.empty(0)
    state.curvature_sum, state.curvature_shots = np.zeros(dim), 0.0
    state.difference, state.differences = np.zeros(dim), 0
    state.foreign = 0


def keep(state: AngleState, centre: Array, slopes: Array, repeats: int) -> None:
    """Keep slopes measured at a centre, each from so many pairs at the shots asked."""
    variance = state.noise / (2 * repeats * state.asked * math.sin(state.spacing) ** 2)
    state.centres = np.concatenate([state.centres, centre[None]])
    state.slopes = np.concatenate([state.slopes, slopes[None]])
    state.slope_variances = np.append(state.slope_variances, variance)


def keep_curvatures(state: AngleState, rises: Array) -> None:
    """Keep how far the pairs' means lie above the centre; NaN where that was not measured."""
    if np.isfinite(rises).all():
        curvatures = rises / (1 - math.cos(state.spacing))
        state.curvature_sum = state.curvature_sum + state.asked * curvatures
        state.curvature_shots += state.asked


def begin(state: AngleState) -> bool:
    """Fit the last of the first-order steps; second order begins if the minimum lies near."""
    if not state.curvature_shots:
        return False
    first = int(len(state.centres) * (1 - _KEPT))
    kept = state.centres[first:], state.slopes[first:], state.slope_variances[first:]
    if len(kept[0]) <= len(state.slope) + 1:
        return False
    before = state.centres, state.slopes, state.slope_variances
    state.centres, state.slopes, state.slope_variances = kept
    state.spread = max(float(np.mean((state.curvature_sum / state.curvature_shots) ** 2)), 1e-12)
    state.misfit = 0.0
    state.refining = _go(state)
    if state.refining and state.several:
        _narrow(state, _fit(state))
    if not state.refining:
        state.centres, state.slopes, state.slope_variances = before
    return state.refining


def points(state: AngleState) -> Array:
    """Pairs about the present centre, and the centre twice."""
    centre = state.centre
    steps = state.spacing * np.eye(len(centre))
    return np.concatenate([centre + steps, centre - steps, centre[None], centre[None]])


def learn(state: AngleState, values: Array, unknown_noise: bool) -> None:
    """Take in a round: failed pairs count as what the model expects there."""
    dim = len(state.slope)
    above, below, centres = values[:dim], values[dim : 2 * dim], values[2 * dim :]
    if unknown_noise and np.isfinite(centres).all():
        square = state.asked * float(centres[0] - centres[1]) ** 2 / 2
        state.noise += _FORGET * (square - state.noise)
    if np.isfinite(centres).any():
        state.value = float(np.nanmean(centres))
        state.value_shots = state.asked * int(np.isfinite(centres).sum())
        keep_curvatures(state, (above + below) / 2 - state.value)
    slopes = (above - below) / (2 * math.sin(state.spacing))
    if np.isfinite(slopes).any():
        slopes = np.where(np.isfinite(slopes), slopes, state.expected)
        keep(state, state.centre, slopes, 1)
    _go(state)


def _narrow(state: AngleState, fit: SlopeFit) -> None:
    """Take the spacing at which bias and noise together put the minimiser least high.

    With several frequencies a slope has a bias that goes with the square of the spacing. Two
    spacings tell it; its energy goes with the fourth power, that of the noise with the power -2.
    """
    bias = state.difference / max(state.differences, 1) / (1 - RATIO**2)
    pairs = (state.limit - state.spent) / (2 * len(bias))
    deviation = math.sqrt(state.noise / (2 * pairs)) / math.sin(state.spacing)
    noise = bias_energy(fit, np.full(len(bias), deviation))
    biased = bias_energy(fit, bias)
    if noise < 2 * biased:
        state.foreign = len(state.centres)
        state.shift = float(np.mean(bias**2))
        state.spacing *= (noise / (2 * biased)) ** (1 / 6)


def _fit(state: AngleState) -> SlopeFit:
    """The model at the present answer."""
    data = Slopes(state.centres, state.slopes, state.slope_variances, state.foreign, state.shift)
    curvatures = state.curvature_sum / state.curvature_shots
    return fit_slopes(data, state.distribution.mean, curvatures, state.spread, state.misfit)


def _go(state: AngleState) -> bool:
    """Fit, move to the minimiser and choose where to measure next; False if it lies too far."""
    mean = state.distribution.mean
    fit = _fit(state)
    found = minimiser(fit, _TRUST * math.sqrt(len(mean)))
    if not (state.refining or found.inside):
        return False
    away = fit.axes @ (found.deviations * state.rng.standard_normal(len(mean)))
    state.spread, state.misfit = fit.spread, fit.misfit
    state.gain, state.gain_noise = found.gain, found.noise
    state.trigonometric = float(fit.trigonometric)
    state.slope = fit.axes @ fit.slope
    state.distribution.mean = mean + found.step
    state.centre = state.distribution.mean + away
    state.expected = fit.slope_at(found.step + away)
    width = float(np.sqrt(np.mean(found.deviations**2)))
    state.distribution.step_size = min(max(width, 1e-9), _TRUST)
    return True
