"""Local phase from an informed start: Newton steps along the axes, in proportion to proof.

All slopes measured so far are one estimate of the slopes at the present centre, and, brought back
along the axes by the curvatures, of those at x0. The move along an angle is the Newton step of the
latter, times 1 - (z deviation / slope)², or zero where that is negative (the non-negative
garrote of Breiman, Technometrics 37, 373): without proof an angle stays where the user put it.
Curvatures between different axes are not known, and a sinusoid is no parabola: both count as noise
that grows with the moves, so that slopes measured before a long move fade.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.spectral_params import LocalParams
from qiskit_arcmaes.shift.spectral_plan import least_shots

Array = NDArray[np.float64]

ALGORITHM = "proved Newton steps"


@dataclass(frozen=True, eq=False)
class LocalPhase:
    """State of the local phase.

    Attributes:
        limit: One-shot evaluations of the run at which the phase ends.
        shots: Shots per point of the next round.
        slopes: At the present centre, as all rounds estimate them, shape (d,).
        variances: Of these slopes, shape (d,).
        bounds: The most that one shot contributes to these slopes, shape (d,).
        curvatures: Along the axes, mean over the rounds weighted by shots, shape (d,).
        weight: Shots per point behind the curvatures.
        curvature_variance: Variance of a curvature.
        coupling: Slope that a move of 1 radian of all other angles may add, in units of the mean
            curvature.
        rate: Length of the last step in radians per angle.
    """

    limit: float
    shots: float
    slopes: Array
    variances: Array
    bounds: Array
    curvatures: Array
    weight: float
    curvature_variance: float
    coupling: float
    rate: float


def start_local(proof: StartProof, shots: float, limit: float, params: LocalParams) -> LocalPhase:
    """The phase after the first job.

    Args:
        proof: What the first job told of x0.
        shots: Shots per point of the first job.
        limit: One-shot evaluations of the run at which the phase ends.
        params: Parameters of the phase.
    """
    return LocalPhase(
        limit=limit,
        shots=shots,
        slopes=proof.slopes,
        variances=proof.variances,
        bounds=proof.bounds,
        curvatures=proof.curvatures,
        weight=shots,
        curvature_variance=float(proof.variances.mean()) + proof.variance,
        coupling=params.coupling,
        rate=0.0,
    )


def usable_curvatures(phase: LocalPhase, params: LocalParams) -> Array:
    """Curvatures that divide: shrunk to their mean by their noise, at least a share of it.

    Args:
        phase: The phase.
        params: The least share.
    """
    mean = float(phase.curvatures.mean())
    deviation = math.sqrt(phase.curvature_variance)
    mean = max(mean, deviation / math.sqrt(len(phase.curvatures)), 1e-12)
    spread = max(float(phase.curvatures.var()) - phase.curvature_variance, 0.0)
    trust = spread / (spread + phase.curvature_variance) if spread > 0 else 0.0
    return np.maximum(mean + trust * (phase.curvatures - mean), params.least_curvature * mean)


def proved_move(phase: LocalPhase, away: Array, params: LocalParams) -> Array:
    """Move from x0 that the slopes prove, shape (d,).

    A slope is proved beyond z deviations plus a third of ln(1/p) times the most that one shot can
    contribute (Bernstein's inequality): single shots are no normal noise.

    Args:
        phase: The phase.
        away: The present centre relative to x0, shape (d,).
        params: Standard errors that are asked for.

    Example:
        >>> phase = LocalPhase(1.0, 1.0, np.array([1.0, 0.1]), np.full(2, 0.01), np.zeros(2),
        ...                    np.full(2, 2.0), 1.0, 0.0, 0.3, 0.0)
        >>> proved_move(phase, np.zeros(2), LocalParams()).round(3).tolist()
        [-0.475, -0.0]
    """
    curvatures = usable_curvatures(phase, params)
    at_start = phase.slopes - curvatures * away
    variances = phase.variances + phase.curvature_variance * np.square(away)
    dim = len(away)
    needed = params.standard_errors(dim) * np.sqrt(variances) + params.few_shots(dim) * phase.bounds
    kept = 1 - np.square(np.minimum(needed / np.maximum(np.abs(at_start), 1e-300), 1.0))
    return np.asarray(-kept * at_start / curvatures)


def move(
    phase: LocalPhase,
    iterate: Iterate,
    x0: Array,
    trust: float | None,
    damping: float,
    params: LocalParams,
) -> tuple[LocalPhase, Iterate]:
    """Go towards the proved point; slopes measured before count for less after a long step.

    Args:
        phase: The phase.
        iterate: The present point.
        x0: The start in radians, shape (d,).
        trust: Longest step of an angle, where the user gave one.
        damping: Factor on the coupling that shortens the step; 0 for the last step, after which no
            slope corrects it.
        params: Parameters of the phase.
    """
    longest = params.longest_step if trust is None else min(trust, params.longest_step)
    away = iterate.centre - x0
    wanted = proved_move(phase, away, params) - away
    step = np.clip(wanted / (1 + damping * phase.coupling), -longest, longest)
    curvatures = usable_curvatures(phase, params)
    length = float(np.linalg.norm(step))
    others = np.maximum(length**2 - np.square(step), 0.0)
    drift = np.square(phase.coupling * float(curvatures.mean())) * others
    bent = phase.slopes * np.square(step) / 2 + curvatures * step**3 / 6
    phase = replace(
        phase,
        slopes=phase.slopes + curvatures * step,
        variances=phase.variances
        + drift
        + np.square(bent)
        + phase.curvature_variance * np.square(step),
        rate=length / math.sqrt(len(step)),
    )
    return phase, replace(iterate, centre=iterate.centre + step, iteration=iterate.iteration + 1)


def learn(phase: LocalPhase, reading: SlopeReading, params: LocalParams) -> LocalPhase:
    """Take in the slopes of a round at the present centre (a Kalman filter for each angle).

    Args:
        phase: The phase as it asked for the round.
        reading: What the round told.
        params: Parameters of the phase.
    """
    phase = _with_curvatures(phase, reading)
    known = np.isfinite(reading.slopes)
    expected = np.maximum(phase.variances + reading.variances, 1e-300)
    gain = np.where(known, phase.variances / expected, 0.0)
    surprise = np.where(known, reading.slopes - phase.slopes, 0.0)
    coupling = phase.coupling
    if phase.rate and known.any():
        ratio = float(np.mean(np.square(surprise[known]) / expected[known]))
        coupling *= min(max(math.sqrt(ratio), 0.5), 2.0)
    return replace(
        phase,
        shots=phase.shots * params.growth,
        slopes=phase.slopes + gain * surprise,
        variances=(1 - gain) * phase.variances,
        bounds=np.maximum((1 - gain) * phase.bounds, gain * reading.bounds),
        coupling=min(max(coupling, params.least_coupling), params.most_coupling),
    )


def _with_curvatures(phase: LocalPhase, reading: SlopeReading) -> LocalPhase:
    """The phase with the curvatures of a round."""
    if not np.isfinite(reading.curvatures).all():
        return phase
    weight = phase.weight + reading.shots
    share = reading.shots / weight
    variance = float(reading.variances.mean()) + reading.value_variance
    return replace(
        phase,
        curvatures=phase.curvatures + share * (reading.curvatures - phase.curvatures),
        curvature_variance=(1 - share) ** 2 * phase.curvature_variance + share**2 * variance,
        weight=weight,
    )


def next_shots(
    phase: LocalPhase, spent: float, points: float, jobs: float, params: LocalParams
) -> float:
    """Shots per point of the next round; the last round takes what is left.

    Args:
        phase: The phase.
        spent: One-shot evaluations so far.
        points: Points of a round.
        jobs: Rounds that there may be.
        params: Growth of the rounds.
    """
    left, growth = (phase.limit - spent) / points, params.growth
    least = left * (growth - 1) / (growth**jobs - 1) if jobs < params.most_rounds else 0.0
    grown = max(phase.shots, least)
    return left if jobs <= 1 or left < grown * (1 + growth) else grown


def is_over(phase: LocalPhase, iterate: Iterate, points: int, setup: Setup) -> bool:
    """Whether the budget does not pay another round."""
    return phase.limit - iterate.spent < points * least_shots(setup)


def proved_gain(phase: LocalPhase, params: LocalParams) -> float:
    """Loss that can still be gained near the centre, two standard errors below its estimate.

    The sum over the angles of slope² / (2 curvature), without what noise adds to the squares.

    Args:
        phase: The phase.
        params: The least curvature.

    Example:
        >>> phase = LocalPhase(1.0, 1.0, np.array([1.0, 0.1]), np.full(2, 0.01), np.zeros(2),
        ...                    np.full(2, 2.0), 1.0, 0.0, 0.3, 0.0)
        >>> round(proved_gain(phase, LocalParams()), 3)
        0.147
    """
    curvatures = usable_curvatures(phase, params)
    signal = np.square(phase.slopes) - phase.variances
    spread = 2 * np.square(phase.variances) + 4 * phase.variances * np.maximum(signal, 0.0)
    gain = float(np.sum(signal / (2 * curvatures)))
    error = math.sqrt(float(np.sum(spread / (4 * np.square(curvatures)))))
    return gain - 2 * error


def is_steep(phase: LocalPhase, away: Array, params: LocalParams) -> bool:
    """Whether the slopes at x0 stand out of their noise together, the largest half left out.

    A designed start may be steep along a few angles, as Hartree-Fock is along double excitations;
    a random one is steep along most.

    Args:
        phase: The phase.
        away: The present centre relative to x0, shape (d,).
        params: By how many standard errors of their sum of squares.
    """
    at_start = phase.slopes - usable_curvatures(phase, params) * away
    variances = phase.variances + phase.curvature_variance * np.square(away)
    squares = np.sort(np.square(at_start) / np.maximum(variances, 1e-300))
    count = len(away) // 2
    return bool(squares[:count].sum() > count + params.steep * math.sqrt(2 * count))


def has_slope(phase: LocalPhase, params: LocalParams) -> bool:
    """Whether the slopes at the present centre stand out of their noise together.

    Args:
        phase: The phase.
        params: By how many standard errors of their sum of squares.
    """
    count = len(phase.slopes)
    squares = np.square(phase.slopes) / np.maximum(phase.variances, 1e-300)
    return bool(squares.sum() > count + params.slope * math.sqrt(2 * count))


def is_local(
    phase: LocalPhase, iterate: Iterate, proof: StartProof, x0: Array, params: LocalParams
) -> bool:
    """Whether the minimum is near: little is left to gain, and the proved move is short.

    Args:
        phase: The phase.
        iterate: The present point.
        proof: What the first job told: how far below the mean x0 lies.
        x0: The start in radians, shape (d,).
        params: Limits of both.
    """
    wanted = proved_move(phase, iterate.centre - x0, params)
    short = np.sqrt(np.mean(np.square(wanted))) <= params.farthest
    return bool(
        short and proved_gain(phase, params) <= params.most_gain * (proof.mean - proof.value)
    )
