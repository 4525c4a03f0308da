"""Last job: is the recommendation better than x0?"""

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
    """Comparison of the recommendation with x0.

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
    return plan_acceptance(0.0, 0.0, False, setup, params) is not None


def plan_acceptance(
    spent: float, rate: float, proved: bool, setup: Setup, params: AcceptanceParams
) -> AcceptancePhase | None:
    """Plan the last job with its share of the budget; None where the rest does not pay it."""
    shots = int(min(params.share * setup.budget, setup.budget - spent) / 2)
    return AcceptancePhase(shots, rate, proved) if shots >= setup.least_shots else None


def is_better(
    phase: AcceptancePhase,
    values: Array,
    proof: StartProof,
    noise: float,
    params: AcceptanceParams,
) -> bool:
    """Whether the recommendation is kept.

    The proof of moves by their slopes is better than this comparison: x0 is returned where it is
    clearly lower. After other moves the lower value wins.

    Args:
        phase: The comparison.
        values: At x0 and at the recommendation, NaN where one failed.
        proof: What the first job measured at x0.
        noise: Variance of one shot.
        params: Standard errors.
    """
    before = np.array([values[0], proof.value])
    known = np.minimum([phase.shots, proof.shots], _MOST_SHOTS)
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
    x0: Array,
    params: AcceptanceParams,
) -> Iterate:
    """Keep the recommendation, or return to x0.

    Args:
        phase: The comparison.
        values: At x0 and at the recommendation, NaN where one failed.
        proof: What the first job measured at x0.
        iterate: The recommendation.
        x0: The start in radians, shape (d,).
        params: Standard errors.
    """
    kept = is_better(phase, values, proof, iterate.noise.variance, params)
    centre, value = (iterate.centre, values[1]) if kept else (x0, values[0])
    return replace(iterate, centre=centre, value=float(value), value_shots=phase.shots)
