"""Periodic coordinates as phases: which they are, and how much of a turn a population covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import TWO_PI
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]


def periods(setup: Setup) -> Array:
    """The period of each coordinate, 0 where it has none; a circuit's free angles have 2 pi."""
    domain = setup.domain
    free = setup.angles & np.isinf(domain.lower) & np.isinf(domain.upper) & ~domain.periodic
    return np.where(free, TWO_PI, domain.periods)


def phase_variance(distribution: cma.Distribution, periods: Array) -> float:
    """Variance of the sum of all phases 2 pi x/P of periodic coordinates, were they independent.

    A component of the loss that turns once in the period of each of k coordinates keeps the part
    exp(-v/2) of its amplitude in the average over a population, v the sum of their variances.

    Args:
        distribution: Of the population.
        periods: The period of each coordinate, 0 where it is not periodic.

    Example:
        >>> bool(np.isclose(phase_variance(cma.start(np.zeros(3), 0.5), np.array([1, 2, 0])),
        ...                 0.25 * (2 * np.pi) ** 2 * 1.25))
        True
    """
    circles = periods > 0
    variances = distribution.step_size**2 * distribution.covariance.diagonal()[circles]
    return float(np.sum(variances * (TWO_PI / periods[circles]) ** 2))


def held_width(before: float, after: float, share: float) -> float:
    """The new sigma: of a fall, the power rho² is taken.

    The variance of the averaged mean is inversely proportional to sigma², so that a narrower
    population has to be worth its price. Ranks that are noise do not tell so; without noise they
    do, and sigma falls as it would.

    Args:
        before: Sigma before the generation.
        after: Sigma as the ranks of the generation propose it.
        share: rho², the share of the loss in the variance of what is ranked.

    Example:
        >>> [held_width(1.0, 0.25, share) for share in (0.0, 0.5, 1.0)], held_width(1.0, 2.0, 0.0)
        ([1.0, 0.5, 0.25], 2.0)
    """
    return before * (after / before) ** share if after < before else after
