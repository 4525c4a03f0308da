"""First job: the loss and the slopes at x0, and what they prove.

An informed start lies clearly below the mean of the loss over random points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.noise import reported_variance
from qiskit_arcmaes.shift.readings import SlopeReading, read_values
from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.spectral_params import InspectionParams
from qiskit_arcmaes.shift.spectral_plan import least_shots

Array = NDArray[np.float64]

ALGORITHM = "inspection of x0"


@dataclass(frozen=True)
class Inspection:
    """The first job.

    Attributes:
        shots: Shots per point; with a plan their mean per point and group.
        centres: How often x0 is among the points.
        repeats: How often each pair is: twice where no variances are reported.
        random: Random points among them.
    """

    shots: float
    centres: int
    repeats: int
    random: int


@dataclass(frozen=True)
class StartProof:
    """What the first job tells.

    Attributes:
        value: The loss at x0.
        shots: Shots of that value.
        variance: Its variance.
        noise: Variance of one shot.
        slopes: At x0, shape (d,).
        variances: Of the slopes, shape (d,).
        curvatures: Along the axes, shape (d,).
        bounds: The most that one shot can contribute to a slope, shape (d,).
        mean: Mean of the loss over random points.
        mean_variance: Variance of that mean, 0 where it is known.
        span: How far the loss may lie from its mean, as far as it is known: the sum of the
            coefficients' absolute values; else twice the standard deviation
            over random points or of one shot.
    """

    value: float
    shots: float
    variance: float
    noise: float
    slopes: Array
    variances: Array
    curvatures: Array
    bounds: Array
    mean: float
    mean_variance: float
    span: float


def plan_inspection(rules: SlopeRules, setup: Setup, params: InspectionParams) -> Inspection:
    """Plan the first job with its share of the budget."""
    repeats = 1 if setup.reports_variances or setup.circuit is not None else 2
    random = params.random_points if setup.mean_loss is None else 0
    pairs = repeats * rules.rows
    centres = max(round(pairs * params.centre_share / (1 - params.centre_share)), 2)
    shots = params.share * setup.budget / (pairs + centres + random)
    if setup.circuit is None:
        shots = math.floor(shots)
    return Inspection(max(shots, least_shots(setup)), centres, repeats, random)


def inspection_points(plan: Inspection, x0: Array, rules: SlopeRules, drawn: Array) -> Array:
    """Points of the first job: pairs, x0, random points.

    Args:
        plan: The job.
        x0: In scaled radians, shape (d,).
        rules: The shift rules.
        drawn: The random points, shape (random, d).
    """
    pairs = np.tile(rules.points(x0), (plan.repeats, 1))
    return np.concatenate([pairs, np.tile(x0, (plan.centres, 1)), drawn])


def read_inspection(
    plan: Inspection, values: Array, variances: Array | None, rules: SlopeRules, setup: Setup
) -> StartProof:
    """Read the first job from values that all have the same shots.

    Args:
        plan: The job.
        values: At ``inspection_points``, NaN where one failed.
        variances: Of the values, where they are reported.
        rules: The shift rules.
        setup: The mean loss, where it is known.
    """
    count = plan.repeats * rules.rows
    ends = np.cumsum([count, plan.centres])
    pairs, centres, drawn = np.split(values, ends)
    blocks = pairs.reshape(plan.repeats, -1)
    shots = round(plan.shots)
    if variances is None:
        noise = shots * _spread(blocks, centres)
    else:
        noise = float(np.nan_to_num(reported_variance(variances, shots)))
    averaged = np.concatenate([blocks.mean(axis=0), centres])
    reading = read_values(averaged, plan.centres, shots, noise, rules)
    if variances is not None:
        known = np.nan_to_num(variances[ends[0] : ends[1]])
        reading = replace(reading, value_variance=float(known.mean()) / plan.centres)
    reading = replace(reading, variances=reading.variances / plan.repeats)
    mean, mean_variance, span = setup.mean_loss, 0.0, 2 * math.sqrt(noise)
    if mean is None:
        drawn = drawn[np.isfinite(drawn)]
        spread = float(drawn.var(ddof=1)) if len(drawn) > 1 else math.inf
        mean = float(drawn.mean()) if len(drawn) else math.nan
        mean_variance = spread / max(len(drawn), 1)
        span = max(span, 2 * math.sqrt(spread))
    return start_proof(reading, mean, mean_variance, span)


def start_proof(
    reading: SlopeReading, mean: float, mean_variance: float, span: float
) -> StartProof:
    """What the first job tells, from its reading.

    Args:
        reading: Slopes, curvatures and the value at x0.
        mean: Mean of the loss over random points.
        mean_variance: Variance of that mean, 0 where it is known.
        span: How far the loss may lie from its mean, as far as it is known.
    """
    return StartProof(
        value=reading.value,
        shots=reading.noise / reading.value_variance if reading.value_variance > 0 else math.inf,
        variance=reading.value_variance,
        noise=reading.noise,
        slopes=np.nan_to_num(reading.slopes),
        variances=reading.variances,
        curvatures=np.nan_to_num(reading.curvatures),
        bounds=reading.bounds,
        mean=mean,
        mean_variance=mean_variance,
        span=span,
    )


def _spread(blocks: Array, centres: Array) -> float:
    """Variance of a value, from pairs that come twice and from x0; failed values are left out."""
    differences = (blocks[0] - blocks[-1]) / math.sqrt(2)
    about = centres - np.nanmean(centres) if np.isfinite(centres).any() else centres
    squares = np.concatenate([differences**2, about**2])
    freedom = max(int(np.isfinite(squares).sum()) - 1, 1)
    return float(np.nansum(squares)) / freedom


def is_informed(proof: StartProof, several: bool, params: InspectionParams) -> bool:
    """Whether x0 lies clearly below the mean of the loss over random points.

    Below it for sure, and by a share of the span as far as the standard error can tell: a good
    start that is thrown away costs more than a random one that is kept.

    Args:
        proof: What the first job told.
        several: Whether an uninformed start is given up for several others.
        params: Margins.
    """
    error = math.sqrt(proof.variance + proof.mean_variance)
    doubt = params.doubt_of_several if several else params.doubt
    margin = max(params.standard_errors * error, params.span_share * proof.span - doubt * error)
    return proof.value + margin < proof.mean
