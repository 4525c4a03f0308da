"""The CMA-ES distribution: state, sampling, and one update from given weights.

Equation numbers are those of N. Hansen, "The CMA Evolution Strategy: A Tutorial"
(arXiv:1604.00772). Nothing here knows of noise, losses or budgets: who ranks the steps and
weighs them does so outside. Only positive weights are used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.special import ndtri

Array = NDArray[np.float64]

MAX_CONDITION = 1e14  # eigenvalues of C are floored at the largest one divided by this
_SCALE_LIMIT = 2.0**20  # C's mean eigenvalue stays within 1/limit .. limit, the rest moves to sigma
_STEP_LIMIT = (
    1e150  # sigma stays within 1/limit .. limit, so that squares neither over- nor underflow
)


@dataclass(frozen=True)
class Parameters:
    """Learning rates, all from the dimension and the effective number of parents.

    Attributes:
        dim: Number of coordinates.
        mu_eff: Variance-effective selection mass, 1/sum(w²).
        c_sigma: Learning rate of the step-size path.
        d_sigma: Damping of the step size.
        c_c: Learning rate of the covariance path.
        c_1: Learning rate of the rank-one update.
        c_mu: Learning rate of the rank-mu update.
        chi: Expected length of a standard normal vector.
    """

    dim: int
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi: float


@dataclass
class Distribution:
    """The state of CMA-ES: x ~ mean + step_size * N(0, C).

    Attributes:
        mean: Centre, shape (d,).
        step_size: Overall width sigma.
        covariance: Shape C, exactly symmetric, shape (d, d).
        basis: Eigenvectors of C as columns.
        scales: Square roots of the eigenvalues of C, ascending.
        path_sigma: Evolution path of the step size.
        path_c: Evolution path of the covariance.
        generation: Updates made so far.
    """

    mean: Array
    step_size: float
    covariance: Array
    basis: Array
    scales: Array
    path_sigma: Array
    path_c: Array
    generation: int = 0

    @property
    def condition(self) -> float:
        """Ratio of the largest to the smallest eigenvalue of C."""
        return float((self.scales[-1] / self.scales[0]) ** 2)

    def whiten(self, vectors: Array) -> Array:
        """Apply C^-1/2 to every row."""
        return (vectors @ self.basis / self.scales) @ self.basis.T


class Recombination(NamedTuple):
    """The step of the mean in units of sigma, shape (d,).

    ``mass`` is d/E‖C^-1/2 step‖² where the values are pure noise: mu_eff of independent samples.
    """

    step: Array
    mass: float


class Proposal(NamedTuple):
    """What one update arrives at, before C is decomposed; fields as in ``Distribution``.

    ``stalled`` tells that the step-size path was too long for the covariance path to grow.
    """

    mean: Array
    step_size: float
    covariance: Array
    path_sigma: Array
    path_c: Array
    generation: int
    stalled: bool


def start(mean: Array, step_size: float) -> Distribution:
    """Begin with a spherical distribution."""
    dim = len(mean)
    return Distribution(
        mean=np.array(mean, dtype=float),
        step_size=float(step_size),
        covariance=np.eye(dim),
        basis=np.eye(dim),
        scales=np.ones(dim),
        path_sigma=np.zeros(dim),
        path_c=np.zeros(dim),
    )


def start_with(mean: Array, scale: Array) -> Distribution:
    """Begin with the distribution of x = mean + D u, u standard normal.

    Args:
        mean: Centre, shape (d,).
        scale: The symmetric, positive definite matrix D, shape (d, d).

    Example:
        >>> distribution = start_with(np.zeros(2), np.diag([1.0, 4.0]))
        >>> distribution.step_size, distribution.scales
        (2.0, array([0.5, 2. ]))
    """
    axes, basis = np.linalg.eigh(scale)
    step_size = math.exp(float(np.mean(np.log(axes))))
    scales = axes / step_size
    distribution = start(mean, step_size)
    covariance = (basis * scales**2) @ basis.T
    symmetric = (covariance + covariance.T) / 2
    return replace(distribution, covariance=symmetric, basis=basis, scales=scales)


def default_popsize(dim: int) -> int:
    """Population size 4 + floor(3 ln d), Eq. (48)."""
    return 4 + int(3 * math.log(dim))


def rank_weights(popsize: int) -> Array:
    """Positive weights of the best half, best first, sum 1: Eqs. (49)-(53).

    Example:
        >>> rank_weights(4).round(3)
        array([0.804, 0.196])
    """
    parents = max(popsize // 2, 1)
    raw = np.log((popsize + 1) / 2) - np.log(np.arange(1, parents + 1))
    return np.asarray(raw / raw.sum())


def effective_parents(weights: Array) -> float:
    """mu_eff = 1/sum(w²) of weights that sum to one, Eq. (8)."""
    return float(1.0 / (weights @ weights))


def selection_gain(weights: Array, popsize: int) -> float:
    """c_w = -sum w_i E[N_i:popsize], the expected step in standard deviations along a gradient.

    The order statistics are Blom's approximation.
    """
    ranks = np.arange(1, len(weights) + 1)
    return float(-weights @ ndtri((ranks - 0.375) / (popsize + 0.25)))


def parameters(dim: int, mu_eff: float) -> Parameters:
    """Default learning rates, Eqs. (55)-(58)."""
    c_1 = 2 / ((dim + 1.3) ** 2 + mu_eff)
    c_sigma = (mu_eff + 2) / (dim + mu_eff + 5)
    return Parameters(
        dim=dim,
        mu_eff=mu_eff,
        c_sigma=c_sigma,
        d_sigma=1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (dim + 1)) - 1) + c_sigma,
        c_c=(4 + mu_eff / dim) / (dim + 4 + 2 * mu_eff / dim),
        c_1=c_1,
        c_mu=min(1 - c_1, 2 * (mu_eff - 2 + 1 / mu_eff) / ((dim + 2) ** 2 + mu_eff)),
        chi=math.sqrt(dim) * (1 - 1 / (4 * dim) + 1 / (21 * dim**2)),
    )


def sample(distribution: Distribution, count: int, rng: np.random.Generator) -> Array:
    """Draw steps y ~ N(0, C), shape (count, d); candidates are mean + step_size y, Eq. (40)."""
    return stretch(distribution, rng.standard_normal((count, len(distribution.mean))))


def stretch(distribution: Distribution, normals: Array) -> Array:
    """Make steps of standard normal rows, which count along the eigenvectors of C."""
    return (normals * distribution.scales) @ distribution.basis.T


def update(
    distribution: Distribution, rates: Parameters, steps: Array, weights: Array
) -> Distribution:
    """Move the distribution by weighted steps: ``settle(propose(...))``.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> distribution = start(np.full(3, 2.0), 1.0)
        >>> weights = rank_weights(10)
        >>> rates = parameters(3, effective_parents(weights))
        >>> for _ in range(50):
        ...     steps = sample(distribution, 10, rng)
        ...     loss = np.sum((distribution.mean + distribution.step_size * steps) ** 2, axis=1)
        ...     best = np.argsort(loss)[: len(weights)]
        ...     distribution = update(distribution, rates, steps[best], weights)
        >>> bool(np.sum(distribution.mean**2) < 1e-4)
        True
    """
    return settle(propose(distribution, rates, steps, weights))


def propose(
    distribution: Distribution,
    rates: Parameters,
    steps: Array,
    weights: Array,
    path_variances: tuple[float, float] = (1.0, 1.0),
    recombination: Recombination | None = None,
) -> Proposal:
    """Compute one update without taking it.

    Args:
        distribution: The distribution that the steps were drawn from.
        rates: Learning rates; ``rates.mu_eff`` should be that of ``weights``.
        steps: The steps y = (x - mean)/step_size, shape (k, d), k <= population size.
        weights: One weight >= 0 for each row of ``steps``, sum 1.
        path_variances: How full the two paths are (step size, covariance): 1 is full, as the
            tutorial assumes; methods that change the population size track it.
        recombination: The step of the mean, where it is not the weighted sum of ``steps``.
    """
    old = distribution
    fullness_sigma, fullness_c = path_variances
    mean_step, mass = recombination or Recombination(weights @ steps, rates.mu_eff)  # Eq. (41)
    white_step = old.basis @ ((mean_step @ old.basis) / old.scales)
    path_sigma = (1 - rates.c_sigma) * old.path_sigma + white_step * math.sqrt(
        rates.c_sigma * (2 - rates.c_sigma) * mass
    )  # Eq. (43)
    length = math.sqrt(path_sigma @ path_sigma)
    unfilled = (1 - rates.c_sigma) ** (2 * (old.generation + 1))
    stalled = length >= (1.4 + 2 / (rates.dim + 1)) * rates.chi * math.sqrt(1 - unfilled)
    path_c = (1 - rates.c_c) * old.path_c
    if not stalled:
        path_c += math.sqrt(rates.c_c * (2 - rates.c_c) * mass) * mean_step  # Eq. (45)
    kept = 1 - rates.c_1 * fullness_c - rates.c_mu
    if stalled:
        kept += rates.c_1 * rates.c_c * (2 - rates.c_c)  # the path's missing variance
    rooted = np.sqrt(rates.c_mu * weights)[:, None] * steps
    covariance = (
        kept * old.covariance + np.multiply.outer(rates.c_1 * path_c, path_c) + rooted.T @ rooted
    )  # Eq. (47)
    growth = rates.c_sigma / rates.d_sigma * (length / rates.chi - math.sqrt(fullness_sigma))
    step_size = old.step_size * math.exp(min(growth, 1.0))  # Eq. (44)
    return Proposal(
        old.mean + old.step_size * mean_step,
        step_size,
        covariance,
        path_sigma,
        path_c,
        old.generation + 1,
        stalled,
    )


def settle(proposal: Proposal) -> Distribution:
    """Decompose C, keep its scale and its condition in range, and never fail.

    The scale moves between C and sigma by a power of four, which changes no digit of a sample.
    """
    mean, step_size, covariance, path_sigma, path_c, generation, _ = proposal
    dim = len(mean)
    scale = float(covariance.trace()) / dim
    if not 1 / _SCALE_LIMIT < scale < _SCALE_LIMIT and 0 < scale < math.inf:
        factor = 4.0 ** round(math.log(scale, 4))
        covariance = covariance / factor
        path_c = path_c / math.sqrt(factor)
        step_size *= math.sqrt(factor)
    step_size = min(max(step_size, 1 / _STEP_LIMIT), _STEP_LIMIT)
    eigenvalues, basis, failed = lapack.dsyevd(covariance)
    largest = eigenvalues[-1]
    if failed or not 0 < largest < math.inf:  # nothing left to learn from: start the shape anew
        return replace(start(mean, step_size), path_sigma=path_sigma, generation=generation)
    if eigenvalues[0] * MAX_CONDITION < largest:
        eigenvalues = np.maximum(eigenvalues, largest / MAX_CONDITION)
        rooted = basis * np.sqrt(eigenvalues)
        covariance = rooted @ rooted.T
    return Distribution(
        mean, step_size, covariance, basis, np.sqrt(eigenvalues), path_sigma, path_c, generation
    )
