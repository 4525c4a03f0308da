"""Screening: values at many points, where several starts are to begin at the lowest of them.

Where an angle has several frequencies a loss has many minima, and a value costs one point where a
slope of every angle costs many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates
from qiskit_arcmaes.shift.spectral_params import ScreeningParams

Array = NDArray[np.float64]

ALGORITHM = "screening of starts"


@dataclass(frozen=True)
class ScreeningPhase:
    """One job of values at points all over the circle.

    Attributes:
        shots: Shots per point.
        points: Number of points.
        rate: First step from the best of them, in radians.
    """

    shots: int
    points: int
    rate: float


def plan_screening(setup: Setup, rate: float, params: ScreeningParams) -> ScreeningPhase | None:
    """Plan the job with its share of the budget; None where it pays too few points.

    Points and shots per point grow together, as the root of the budget. Where the share pays fewer
    than the wanted points, more of the budget does.

    Args:
        setup: The problem.
        rate: First step of the starts in radians.
        params: Shares and limits.
    """
    paid = params.share * setup.budget
    least = max(params.least_shots, setup.least_shots)
    shots = max(round(np.sqrt(paid / params.points_per_shot)), least)
    paid = max(paid, min(params.wanted_points * least, params.most_share * setup.budget))
    points = min(int(paid / shots), params.most_points)
    if points < params.fewest_points:
        return None
    return ScreeningPhase(max(int(paid / points), setup.least_shots), points, rate)


def draw_points(
    phase: ScreeningPhase,
    coordinates: SpectralCoordinates,
    layers: NDArray[np.int_],
    rng: np.random.Generator,
    params: ScreeningParams,
) -> Array:
    """Points in radians, shape (points, d): a share of them schedules, the others random.

    A schedule is linear from layer to layer in the angles of one kind, and not far from 0, where a
    loss varies least: good parameters of QAOA are such schedules (Zhou et al., Phys. Rev. X 10,
    021067).

    Args:
        phase: The job.
        coordinates: Periods and bounds.
        layers: The kind of each angle, shape (d,): neighbours of one kind are its layers.
        rng: Draws the points.
        params: The share of schedules, and how far from 0 they are.
    """
    turn = coordinates.turn
    points = coordinates.anywhere(rng.random((phase.points, len(turn))))
    count = int(params.schedule_share * phase.points)
    reach = np.minimum(turn / 2, params.schedule_reach)
    for kind in np.unique(layers):
        members = np.flatnonzero(layers == kind)
        ends = rng.uniform(-1, 1, (count, 2))
        along = np.linspace(0, 1, len(members)) if len(members) > 1 else np.array([0.5])
        points[:count, members] = reach[members] * (ends[:, :1] * (1 - along) + ends[:, 1:] * along)
    return coordinates.inside(points)


def expected_loss(values: Array, variance: float) -> Array:
    """What the losses are expected to be, given noisy values: drawn towards their mean.

    The lowest of many noisy values is lower than its loss. With normal losses and noise the
    expectation is mean + share · (value - mean), where share is the part of the values' variance
    that is not noise (James and Stein).

    Args:
        values: Shape (n,), NaN where one failed.
        variance: Variance of a value.

    Example:
        >>> expected_loss(np.array([0.0, 2.0]), 1.0).tolist()
        [0.5, 1.5]
    """
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return values
    mean, scatter = float(finite.mean()), float(finite.var(ddof=1))
    share = max(1 - variance / scatter, 0.0) if scatter > 0 else 0.0
    return mean + share * (values - mean)


def lowest(points: Array, values: Array, count: int) -> Array:
    """The points of the lowest values, lowest first, shape (count, d) at the most.

    Args:
        points: Shape (n, d).
        values: Shape (n,), NaN where one failed.
        count: How many are wanted.

    Example:
        >>> lowest(np.arange(3.0)[:, None], np.array([2.0, np.nan, 1.0]), 2).tolist()
        [[2.0], [0.0]]
    """
    order = np.argsort(np.nan_to_num(values, nan=np.inf), kind="stable")
    kept = order[np.isfinite(values[order])][:count]
    return points[kept]
