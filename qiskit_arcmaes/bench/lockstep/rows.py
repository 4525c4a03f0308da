"""Many CMA-ES distributions as arrays: the update of ``strategies.cma``, row by row the same.

Every operation works on each row alone (batched products and decompositions go through the rows
one by one), so that what becomes of a row does not depend on the other rows, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]

_EASY_SCALES = (2.0**-10, 2.0**10)  # within, cma.settle leaves the scale of C alone
_EASY_STEPS = (1e-100, 1e100)  # within, cma.settle leaves sigma alone


@dataclass
class Rows:
    """Distributions that have made equally many updates; arrays as in ``cma.Distribution``.

    Attributes:
        mean: Centres, shape (r, d).
        step_size: Overall widths sigma, shape (r,).
        covariance: Shapes C, shape (r, d, d).
        basis: Eigenvectors of C as columns, shape (r, d, d).
        scales: Square roots of the eigenvalues of C, ascending, shape (r, d).
        path_sigma: Evolution paths of the step size, shape (r, d).
        path_c: Evolution paths of the covariance, shape (r, d).
        generation: Updates made so far.
    """

    mean: Array
    step_size: Array
    covariance: Array
    basis: Array
    scales: Array
    path_sigma: Array
    path_c: Array
    generation: int = 0

    def row(self, index: int) -> cma.Distribution:
        """One distribution by itself."""
        return cma.Distribution(
            mean=self.mean[index].copy(),
            step_size=float(self.step_size[index]),
            covariance=self.covariance[index].copy(),
            basis=self.basis[index].copy(),
            scales=self.scales[index].copy(),
            path_sigma=self.path_sigma[index].copy(),
            path_c=self.path_c[index].copy(),
            generation=self.generation,
        )


@dataclass
class Proposals:
    """What one update of every row arrives at, as ``cma.Proposal``."""

    mean: Array
    step_size: Array
    covariance: Array
    path_sigma: Array
    path_c: Array
    generation: int

    def row(self, index: int) -> cma.Proposal:
        """One proposal by itself."""
        return cma.Proposal(
            self.mean[index],
            float(self.step_size[index]),
            self.covariance[index],
            self.path_sigma[index],
            self.path_c[index],
            self.generation,
            stalled=False,
        )


def stack(distributions: Sequence[cma.Distribution]) -> Rows:
    """Distributions of the same dimension and generation as one."""
    names = [item.name for item in fields(Rows) if item.name != "generation"]
    arrays = {name: np.array([getattr(each, name) for each in distributions]) for name in names}
    return Rows(**arrays, generation=distributions[0].generation)


def propose(old: Rows, rates: cma.Parameters, steps: Array, weights: Array) -> Proposals:
    """One update of every row without taking it, as ``cma.propose``.

    Args:
        old: The distributions that the steps were drawn from.
        rates: Learning rates, the same for all.
        steps: The best steps of each row, best first, shape (r, k, d); they are overwritten.
        weights: One weight for each of them, shape (k,).
    """
    mean_step = np.matmul(weights, steps)
    white_step = apply(old.basis, turn(mean_step, old.basis) / old.scales)
    gain = math.sqrt(rates.c_sigma * (2 - rates.c_sigma) * rates.mu_eff)
    path_sigma = (1 - rates.c_sigma) * old.path_sigma + white_step * gain
    length = np.sqrt(np.einsum("ri,ri->r", path_sigma, path_sigma))
    unfilled = (1 - rates.c_sigma) ** (2 * (old.generation + 1))
    stalled = length >= (1.4 + 2 / (rates.dim + 1)) * rates.chi * math.sqrt(1 - unfilled)
    missing = rates.c_c * (2 - rates.c_c)
    gains = np.where(stalled, 0.0, math.sqrt(missing * rates.mu_eff))
    path_c = (1 - rates.c_c) * old.path_c + gains[:, None] * mean_step
    kept = (1 - rates.c_1 - rates.c_mu) + np.where(stalled, rates.c_1 * missing, 0.0)
    steps *= np.sqrt(rates.c_mu * weights)[:, None]
    covariance = np.matmul(steps.transpose(0, 2, 1), steps)
    covariance += kept[:, None, None] * old.covariance
    covariance += (rates.c_1 * path_c)[:, :, None] * path_c[:, None, :]
    growth = rates.c_sigma / rates.d_sigma * (length / rates.chi - 1.0)
    return Proposals(
        old.mean + old.step_size[:, None] * mean_step,
        old.step_size * exponentials(np.minimum(growth, 1.0)),
        covariance,
        path_sigma,
        path_c,
        old.generation + 1,
    )


def settle(proposals: Proposals) -> Rows:
    """Decompose every C, as ``cma.settle``, which is asked itself where anything is unusual."""
    covariance, step_size = proposals.covariance, proposals.step_size
    eigenvalues, basis = _decompose(covariance)
    usual = _between(eigenvalues.mean(axis=1), _EASY_SCALES) & _between(step_size, _EASY_STEPS)
    usual &= eigenvalues[:, 0] * cma.MAX_CONDITION > eigenvalues[:, -1]
    rows = Rows(
        proposals.mean,
        step_size,
        covariance,
        basis,
        np.sqrt(np.where(usual[:, None], eigenvalues, 1.0)),
        proposals.path_sigma,
        proposals.path_c,
        proposals.generation,
    )
    for index in np.flatnonzero(~usual).tolist():
        put(rows, index, cma.settle(proposals.row(index)))
    return rows


def _decompose(matrices: Array) -> tuple[Array, Array]:
    """Eigenvalues, NaN where they are not found, and eigenvectors of every row."""
    try:
        found = np.linalg.eigh(matrices, UPLO="U")  # the triangle that cma.settle takes
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full(matrices.shape[:2], np.nan), matrices
        parts = [_decompose(matrix[None]) for matrix in matrices]
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])
    return found.eigenvalues, found.eigenvectors


def put(rows: Rows, index: int, distribution: cma.Distribution) -> None:
    """Replace one row."""
    for item in fields(Rows):
        if item.name != "generation":
            getattr(rows, item.name)[index] = getattr(distribution, item.name)


def turn(vectors: Array, matrices: Array) -> Array:
    """Multiply v A in every row; shapes (r, d) and (r, d, d)."""
    return np.asarray(np.matmul(vectors[:, None, :], matrices)[:, 0, :])


def apply(matrices: Array, vectors: Array) -> Array:
    """Multiply A v in every row; shapes (r, d, d) and (r, d)."""
    return np.asarray(np.matmul(matrices, vectors[:, :, None])[:, :, 0])


def exponentials(numbers: Array) -> Array:
    """Powers of e, one by one: vector code might round otherwise at another place in an array."""
    return np.array([math.exp(number) for number in numbers.tolist()])


def _between(numbers: Array, limits: tuple[float, float]) -> NDArray[np.bool_]:
    return (numbers > limits[0]) & (numbers < limits[1])
