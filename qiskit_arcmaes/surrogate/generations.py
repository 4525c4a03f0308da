"""Generations of an evolution strategy as designs.

The strategy draws mirrored samples, so that each generation is a design already paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.strategies.cma import Distribution
from qiskit_arcmaes.surrogate.design import Array, Design, SamplingDistribution, make_design
from qiskit_arcmaes.surrogate.noise import rounding_variance
from qiskit_arcmaes.surrogate.params import NoiseParams


def sampling_distribution(distribution: Distribution) -> SamplingDistribution:
    """The distribution of a strategy as that of a design: x = mean + D u."""
    axes = distribution.basis * (distribution.step_size * distribution.scales)
    return SamplingDistribution(distribution.mean.copy(), axes @ distribution.basis.T)


def design_of(
    population: Population,
    distribution: Distribution,
    values: Array,
    noise: float,
    shots: int,
    number: int,
    params: NoiseParams,
) -> Design:
    """One generation as a design.

    Args:
        population: The candidates: first points of all pairs, then their mirror images.
        distribution: What they were drawn from.
        values: Their values, NaN where they failed, shape (lambda,).
        noise: Variance of one shot.
        shots: Shots behind each value.
        number: Number of the job in the run.
        params: Below which noise cannot be told from rounding.
    """
    points = distribution.mean + distribution.step_size * population.steps
    level = max(noise, shots * rounding_variance(values, params))
    scale = sampling_distribution(distribution).scale
    return make_design(points, values, level, shots, scale, number)


def remember(
    designs: Sequence[Design], newest: Design, enough: int, most: float
) -> tuple[Design, ...]:
    """Add a generation; small ones are joined to one design, and the oldest are forgotten.

    The time of a fit goes with the number of designs.

    Args:
        designs: Designs before, oldest first.
        newest: The newest generation.
        enough: Pairs up to which generations are joined.
        most: About how many pairs are remembered.
    """
    known = list(designs)
    if known and len(known[-1].offsets) + len(newest.offsets) <= enough:
        newest = joined(known.pop(), newest)
    known.append(newest)
    pairs = np.cumsum([len(each.offsets) for each in reversed(known)])
    return tuple(known[-1 - int(np.searchsorted(pairs, most)) :])


def joined(older: Design, newer: Design) -> Design:
    """Two designs as one, with their mean noise."""
    counts = len(older.offsets), len(newer.offsets)
    share = counts[1] / sum(counts)

    def all_middles(design: Design) -> Array:
        return np.broadcast_to(design.middles, design.offsets.shape)

    return replace(
        newer,
        middles=np.concatenate([all_middles(older), all_middles(newer)]),
        offsets=np.concatenate([older.offsets, newer.offsets]),
        antisymmetric=np.concatenate([older.antisymmetric, newer.antisymmetric]),
        symmetric=np.concatenate([older.symmetric, newer.symmetric]),
        variance=(1 - share) * older.variance + share * newer.variance,
        noise=(1 - share) * older.noise + share * newer.noise,
    )
