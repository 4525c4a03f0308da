"""Recombination weights under noise: what a candidate's true rank is expected to be worth.

CMA-ES gives a candidate the weight of its rank. Under noise its rank is not known: where the loss
causes the share rho² of the variance of the values, a candidate that stands at the normal score x
has the true score rho x + sqrt(1 - rho²) N(0, 1). Its expected weight uses all ranks; without noise
it is the weight of CMA-ES, in pure noise it is proportional to -x, which carries twice as much
information as the best half alone.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]

_LEVELS = 33  # shares rho² that are tabulated, evenly spaced
_NODES = 40  # of the Gauss-Hermite quadrature over the unknown part of the true score


def normal_scores(popsize: int) -> Array:
    """Blom's approximation of E[N_i:popsize], ascending, shape (popsize,)."""
    return np.asarray(ndtri((np.arange(popsize) + 0.625) / (popsize + 0.25)))


def expected_weights(popsize: int, share: float) -> Array:
    """Expected weights by rank, best first, centred, shape (popsize,).

    They are scaled so that the mean steps c_w standard deviations along what the ranking sees, as
    with the weights of CMA-ES: -sum_i w_i E[N_i:popsize] = c_w.

    Args:
        popsize: Population size lambda, >= 2.
        share: rho², the share of the loss in the variance of the values, from 0 to 1.

    Example:
        >>> expected_weights(4, share=1.0).round(2)  # centred weights of CMA-ES
        array([ 0.55, -0.05, -0.25, -0.25])
        >>> expected_weights(4, share=0.0).round(2)
        array([ 0.4 ,  0.11, -0.11, -0.4 ])
    """
    weights = cma.rank_weights(popsize)
    scores = normal_scores(popsize)
    if share <= 0:
        expected = -scores
    else:
        by_rank = np.append(weights, np.zeros(popsize - len(weights)))
        nodes, masses = np.polynomial.hermite_e.hermegauss(_NODES)
        true_scores = math.sqrt(share) * scores[:, None] + math.sqrt(1 - min(share, 1.0)) * nodes
        ranks = ndtr(true_scores) * (popsize + 0.25) - 0.625
        expected = np.interp(ranks, np.arange(popsize), by_rank) @ masses
    centred = expected - expected.mean()
    return np.asarray(centred * (cma.selection_gain(weights, popsize) / -(centred @ scores)))


class ExpectedWeights:
    """The weights of one population size for every share of the loss in the variance.

    Args:
        popsize: Population size lambda, >= 2.
        mirrored: Whether the samples are mirrored.
    """

    def __init__(self, popsize: int, mirrored: bool) -> None:
        shares = np.linspace(0, 1, _LEVELS)
        self.table = np.array([expected_weights(popsize, share) for share in shares.tolist()])
        mass = mirrored_mass if mirrored else cma.effective_parents
        self.masses = np.array([mass(weights) for weights in self.table])

    def at(self, share: float) -> tuple[Array, float]:
        """The weights for a share, and the mass of the step that they make."""
        level = round(share * (_LEVELS - 1))
        return self.table[level], float(self.masses[level])


def mirrored_mass(weights: Array) -> float:
    """d/E‖sum_i w_i z_i‖² where z_i are mirrored standard normal samples and ranks are random.

    A sample's mirror image has any of the other ranks with the same chance, so that
    E‖sum_i w_i z_i‖² = d (sum_i w_i² - sum_{i≠j} w_i w_j/(lambda - 1)).
    """
    squares, total = float(weights @ weights), float(weights.sum())
    return 1 / (squares - (total**2 - squares) / (len(weights) - 1))
