"""AR-CMA-ES as it works: the paper's idea with its defects mended. The default.

What differs from the paper, each for a reason that was measured:

1. Rank-based weights: half the error of proportional ones at the same cost.
2. The gradient is estimated from centred values, and the known variance of the estimate is taken
   out of ‖g‖²; the paper's is biased by d (tau²/M + A²)/(lambda sigma²), which explodes as sigma
   shrinks and sends M to 1.
3. The curvature is the trace of the Hessian in the coordinates where C is the identity, from the
   same samples, in place of K s_max.
4. The efficiency is maximised over M numerically, with everything in it that depends on M.
5. Where no M has a positive gain the noise hides the signal: M grows, instead of staying.
6. The noise level is followed through the run, so that it may depend on the point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Setup
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import rank_gain
from qiskit_arcmaes.strategies.noise import CalibratedState, CalibratedStrategy, reported_noise

Array = NDArray[np.float64]

ALPHA = 0.1  # smoothing of gradient and curvature, the paper's
BETA = 0.1  # smoothing of M, the paper's; also its growth when the signal is lost
_NOISE_SMOOTHING = 0.05  # of tau², where it is followed by re-evaluation
_REEVALUATED = 0.02  # share of all evaluations that follow it
_BUDGET_SHARE = 0.03  # of the budget that one generation may take at the most
_LADDER = 2.0 ** (np.arange(-16, 17) / 8)  # M* is looked for within a factor of four


@dataclass(kw_only=True)
class AdaptiveState(CalibratedState):
    """Adds the signal, in the coordinates where the distribution is standard normal.

    Attributes:
        gradient: Smoothed estimate of sigma C^1/2 grad L(m).
        gradient_variance: Expected squared length of the error in it.
        curvature: Smoothed estimate of sigma² tr(C^1/2 Hessian C^1/2).
        gain: Expected improvement of the next generation; <= 0 when the noise hides the signal.
    """

    gradient: Array
    gradient_variance: float = 0.0
    curvature: float = 0.0
    gain: float = 0.0

    @property
    def signal(self) -> float:
        """sigma² ‖g‖², its estimate's own variance taken out."""
        return max(float(self.gradient @ self.gradient) - self.gradient_variance, 0.0)


class AdaptiveReevaluation(CalibratedStrategy):
    """AR-CMA-ES with rank-based weights; M maximises the expected gain per shot."""

    phase = "AR-CMA-ES with rank-based weights (extension)"
    columns = CalibratedStrategy.columns | {
        "noise": "variance of one shot",
        "signal": "signal: sigma² ‖g‖²",
        "curvature": "trace of the curvature",
        "gain": "expected gain",
    }
    state: AdaptiveState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self.gain = cma.selection_gain(self.weights, self.popsize)
        self.max_shots = max(_BUDGET_SHARE * setup.budget / self.popsize, self.state.shots)
        self.noise_period = max(round(1 / (_REEVALUATED * self.popsize)), 1)

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> AdaptiveState:
        return AdaptiveState(
            distribution=distribution,
            rng=rng,
            shots=shots,
            noise=self._first_noise(),
            gradient=np.zeros(len(distribution.mean)),
        )

    def _ask_population(self) -> Batch:
        """One population; now and then its first point a second time, to follow the noise."""
        points, population = self._sample()
        if self._follows_noise:
            points = np.concatenate([points, points[:1]])
        return self._batch(points, population)

    @property
    def _follows_noise(self) -> bool:
        unknown = self.setup.noise is None and not self.setup.reports_variances
        return unknown and self.state.distribution.generation % self.noise_period == 0

    def _tell_population(self, batch: Batch, values: Array, variances: Array | None) -> None:
        self._learn_noise(values, variances, batch.shots)
        values = values[: self.popsize]
        self._learn_signal(values, batch.memo.normals)
        self._choose_shots()
        state, old_width = self.state, self.state.distribution.step_size
        steps = self._select(batch.memo, values)
        self._move(cma.update(state.distribution, self.rates, steps, self.weights))
        shrunk = state.distribution.step_size / old_width  # the signal is in units of sigma
        state.gradient = state.gradient * shrunk
        state.gradient_variance *= shrunk**2
        state.curvature *= shrunk**2

    def _learn_noise(self, values: Array, variances: Array | None, shots: int) -> None:
        state = self.state
        if variances is not None:
            reported = reported_noise(variances, shots)
            state.noise = reported if np.isfinite(reported) else state.noise
        elif len(values) > self.popsize:
            measured = shots * (values.item(0) - values.item(-1)) ** 2 / 2
            if math.isfinite(measured):
                state.noise += _NOISE_SMOOTHING * (measured - state.noise)

    def _learn_signal(self, values: Array, normals: Array) -> None:
        """Regress the values on the steps: slope and trace of curvature, both smoothed."""
        state = self.state
        count, dim = normals.shape
        centred = values - values.sum() / count
        if math.isnan(centred[0]):  # a failed point tells nothing
            centred = np.nan_to_num(values - np.nanmean(values))
        slope = state.distribution.basis @ (centred @ normals)
        spread = float(centred @ centred) / (count - 1)
        bend = float((centred @ np.square(normals)).sum()) / count
        state.gradient = (1 - ALPHA) * state.gradient + (ALPHA / count) * slope
        state.gradient_variance = (
            1 - ALPHA
        ) ** 2 * state.gradient_variance + ALPHA**2 * dim * spread / count
        state.curvature = (1 - ALPHA) * state.curvature + ALPHA * bend

    def _choose_shots(self) -> None:
        """Maximise gamma(M) = gain(M)/(overhead + M), smoothed; grow where noise hides the gain."""
        state = self.state
        if math.isnan(state.noise):  # not reported yet
            return
        ladder = np.minimum(state.shots * _LADDER, self.max_shots)
        ladder = np.maximum(ladder, self.setup.min_shots)
        signal, curvature = state.signal, max(state.curvature, 0.0)
        gains = rank_gain(signal, curvature, state.noise, ladder, self.gain, self.rates.mu_eff)
        best = int((gains / (self.setup.overhead + ladder)).argmax())
        state.gain = float(gains[best])
        if state.gain > 0:
            state.shots = float(state.shots ** (1 - BETA) * ladder[best] ** BETA)
        elif state.noise / state.shots > signal:
            state.shots = min(state.shots * (1 + BETA), self.max_shots)

    def _diagnostics(self) -> Mapping[str, float]:
        """Noise, signal, curvature and expected gain that M was decided from."""
        state = self.state
        return {
            "noise": state.noise,
            "signal": state.signal,
            "curvature": state.curvature,
            "gain": state.gain,
        }
