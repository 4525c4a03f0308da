"""One descent of the local model: its cloud, what was measured there, what is believed of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.surrogate.noise_trend import NoiseTrend
from qiskit_arcmaes.surrogate.rounds import Round

Array = NDArray[np.float64]

_REACH = 3.0  # a new start lies so many sigma0 around the first one, where no bounds say more


@dataclass(kw_only=True)
class Basin:
    """A descent from one start.

    Attributes:
        mean: Centre of the cloud.
        shape: Symmetric matrix D of the cloud: x = mean + D u, u standard normal.
        least_pairs: Pairs of its smallest round.
        began: Evaluations with one shot that were spent before it.
        rounds: All that was measured in it.
        spread: Prior variance of the Hessian's entries, NaN before the first fit.
        misfit: Unexplained variance of single values in the newest round (odd, even).
        cost: What the next round should cost, in evaluations with one shot; NaN at first.
        lost: Rounds without a signal, one after the other.
        narrowed: The factor by which the cloud was narrowed after the last round, else 1.
        misfit_before: Unexplained variance (odd and even) before that.
        refused: How often the cloud had to narrow since it came to this place.
        wait: Rounds before it may grow again: twice as many each time.
        rippled: Whether narrowing did not help: ripples, to be smoothed by a wide cloud.
        kinks: How often the cloud narrowed because the even half did not fit, since it last grew.
        noise_trend: How the noise changes with the width.
        settled: Whether the quadratic has ever fitted with its minimiser located.
        value: The model's value at its minimiser.
        error: Its standard error.
    """

    mean: Array
    shape: Array
    least_pairs: int
    began: float = 0.0
    rounds: list[Round] = field(default_factory=list)
    spread: float = math.nan
    misfit: tuple[float, float] = (0.0, 0.0)
    cost: float = math.nan
    lost: int = 0
    narrowed: float = 1.0
    misfit_before: float = math.nan
    refused: int = 0
    wait: int = 0
    rippled: bool = False
    kinks: int = 0
    noise_trend: NoiseTrend = field(default_factory=NoiseTrend)
    settled: bool = False
    value: float = math.nan
    error: float = math.nan


def basin_from(data: Basin | Mapping[str, Any]) -> Basin:
    """A basin as it was saved: in a checkpoint its parts are mappings and lists."""
    return data


def new_start(domain: Domain, first: Array, step_size: float, rng: np.random.Generator) -> Array:
    """Another place to start: uniform between bounds and on circles, else around the first start.

    Args:
        domain: Walls and circles.
        first: The first start.
        step_size: sigma0; a tenth of a range, whose standard deviation is 2.9 of it.
        rng: The generator to draw from.
    """
    width = np.where(domain.periodic, domain.periods, domain.upper - domain.lower)
    bounded = np.isfinite(width)
    origin = np.where(np.isfinite(domain.lower), domain.lower, first - width / 2)
    around = first + _REACH * step_size * rng.standard_normal(len(first))
    within = np.where(bounded, origin, 0.0) + np.where(bounded, width, 0.0) * rng.random(len(first))
    return domain.repair(np.where(bounded, within, around))


def same_place(domain: Domain, one: Basin, other: Basin) -> bool:
    """Whether two descents have come to the same minimum: their clouds hold each other's centre."""
    apart = one.mean - other.mean
    turns = np.where(domain.periodic, domain.periods, 1.0)
    apart = np.where(domain.periodic, apart - turns * np.round(apart / turns), apart)
    distances = [np.linalg.norm(np.linalg.solve(each.shape, apart)) for each in (one, other)]
    return bool(min(distances) < math.sqrt(len(apart)))


def better(one: Basin, other: Basin) -> bool:
    """Whether one minimum lies below another by two standard errors of the difference."""
    return one.value + 2 * math.hypot(one.error, other.error) < other.value
