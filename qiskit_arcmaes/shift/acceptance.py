"""Last job: is the recommendation better than x0, and than the first point where that differs?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.spectral_params import AcceptanceParams

Array = NDArray[np.float64]

ALGORITHM = "comparison with x0"

_MOST_SHOTS = 1e15  # that a value counts for where it has no noise


@dataclass(frozen=True)
class AcceptancePhase:
    """Comparison of the recommendation with x0, and with the first point where that differs.

    Attributes:
        shots: Shots of each.
        rate: The last step in radians.
        proved: Whether only moves were made that slopes prove.
    """

    shots: int
    rate: float
    proved: bool


def is_affordable(setup: Setup, params: AcceptanceParams) -> bool:
    """Whether the budget pays this job at all; without it only moves that slopes prove are safe."""
    return plan_acceptance(2, 0.0, 0.0, False, setup, params) is not None


def plan_acceptance(
    points: int, spent: float, rate: float, proved: bool, setup: Setup, params: AcceptanceParams
) -> AcceptancePhase | None:
    """Plan the last job with its share of the budget; None where the rest does not pay it."""
    shots = int(min(params.share * setup.budget, setup.budget - spent) / points)
    return AcceptancePhase(shots, rate, proved) if shots >= setup.least_shots else None


def is_better(
    phase: AcceptancePhase,
    values: Array,
    proof: StartProof | None,
    noise: float,
    params: AcceptanceParams,
) -> bool:
    """Whether the recommendation is kept.

    The proof of moves by their slopes is better than this comparison: the start is returned where
    it is clearly lower. After other moves the lower value wins.

    Args:
        phase: The comparison.
        values: At the start and at the recommendation, NaN where one failed.
        proof: What the first job measured at the start; None where it measured another point.
        noise: Variance of one shot.
        params: Standard errors.
    """
    before, known = np.array(values[:1]), np.array([float(phase.shots)])
    if proof is not None:
        before, known = np.append(before, proof.value), np.append(known, proof.shots)
    known = np.minimum(known, _MOST_SHOTS)
    shots = np.where(np.isfinite(before), known, 0.0)
    if not shots.any() or not np.isfinite(values[1]):
        return not shots.any()
    change = float(values[1] - np.nansum(shots * before) / shots.sum())
    error = math.sqrt(noise * (1 / phase.shots + 1 / shots.sum()))
    return change <= (params.standard_errors * error if phase.proved else 0.0)


def accept(
    phase: AcceptancePhase,
    values: Array,
    proof: StartProof,
    iterate: Iterate,
    starts: Array,
    params: AcceptanceParams,
) -> Iterate:
    """Keep the recommendation, or return to a start.

    The first point was chosen by the exact expansion at x0, which is a proof: x0 takes its place
    where it is clearly lower.

    Args:
        phase: The comparison.
        values: At the starts and at the recommendation, NaN where one failed.
        proof: What the first job measured at the last of the starts.
        iterate: The recommendation.
        starts: x0, and the first point where that differs, shape (n, d).
        params: Standard errors.
    """
    noise, before = iterate.noise.variance, len(starts) - 1
    measured: StartProof | None = proof
    if before and not is_better(replace(phase, proved=True), values[:2], None, noise, params):
        before, measured = 0, None
    compared = values[[before, -1]]
    kept = is_better(phase, compared, measured, noise, params)
    centre, value = (iterate.centre, compared[1]) if kept else (starts[before], compared[0])
    return replace(iterate, centre=centre, value=float(value), value_shots=phase.shots)
