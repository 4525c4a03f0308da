"""Last job: is the recommendation better than x0?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.descent import Path
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.spectral_params import AcceptanceParams

Array = NDArray[np.float64]

ALGORITHM = "comparison with x0"


@dataclass(frozen=True)
class AcceptancePhase:
    """Comparison of the recommendation with x0.

    Attributes:
        shots: Shots of each.
        rate: The last step in radians.
        path: Change of the loss along an informed descent; None where there was none.
    """

    shots: int
    rate: float
    path: Path | None


def plan_acceptance(
    spent: float, rate: float, path: Path | None, setup: Setup, params: AcceptanceParams
) -> AcceptancePhase | None:
    """Plan the last job with its share of the budget; None where the rest does not pay it."""
    shots = int(min(params.share * setup.budget, setup.budget - spent) / 2)
    return AcceptancePhase(shots, rate, path) if shots >= setup.least_shots else None


def is_better(
    phase: AcceptancePhase,
    values: Array,
    proof: StartProof,
    noise: float,
    params: AcceptanceParams,
) -> bool:
    """Whether the recommendation is kept.

    From an informed start the loss must have fallen by some standard errors, all evidence taken
    together; from another start the lower value wins.

    Args:
        phase: The comparison.
        values: At x0 and at the recommendation, NaN where one failed.
        proof: What the first job measured at x0.
        noise: Variance of one shot.
        params: Standard errors.
    """
    known = np.isfinite([values[0], proof.value])
    shots = np.array([phase.shots, proof.shots]) * known
    change, variance = math.nan, math.inf
    if shots.any() and np.isfinite(values[1]):
        before = float(np.nansum(shots * [values[0], proof.value]) / shots.sum())
        change = float(values[1]) - before
        variance = noise * (1 / phase.shots + 1 / shots.sum())
    if phase.path is None:
        return not change > 0
    return combined(phase.path, change, variance).fell(params.standard_errors)


def combined(path: Path, change: float, variance: float) -> Path:
    """A path's change and a measured one, weighted by their inverse variances.

    Example:
        >>> both = combined(Path(-1.0, 1.0, np.zeros(1)), -3.0, 1.0)
        >>> both.change, both.variance
        (-2.0, 0.5)
    """
    if not math.isfinite(change) or path.variance <= 0:
        return path
    weights = 1 / path.variance, 1 / max(variance, 1e-300)
    total = sum(weights)
    mean = (weights[0] * path.change + weights[1] * change) / total
    return Path(mean, 1 / total, path.last)
