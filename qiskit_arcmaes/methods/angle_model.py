"""Slopes as a linear function of the point: full curvature for few angles, from pairs alone.

All slopes that were kept are fitted together: slope(x) = slope + H (x - centre), one regression
with one matrix for all rows of H. The Hessian has a prior: the curvatures along the axes, which the
even halves of the pairs tell, and off the axes as much as the slopes themselves show. What lies far
away counts less, because there the loss is no quadratic: its weight falls as the misfit demands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_REPEATS = 5  # of the estimate of the two variances below
_LEAST_SHARE = 0.05  # of a row's residual that the fit must leave, against division by nothing
_PROOF = 2.0  # standard errors that a curvature must have, or it counts as so many
_TINY = 1e-12  # variance of a slope in units of the mean square, where there is no noise


@dataclass(frozen=True)
class Slopes:
    """What was measured: k slopes of a loss in d angles.

    Attributes:
        centres: Where, shape (k, d).
        values: The slopes, shape (k, d).
        variances: Of each of a row's slopes, shape (k,).
        foreign: How many rows, the first ones, may be shifted by a bias that the others lack.
        shift: Variance of that bias.
    """

    centres: Array
    values: Array
    variances: Array
    foreign: int = 0
    shift: float = 1.0


@dataclass(frozen=True)
class SlopeFit:
    """Slope and curvature at a centre, with their errors.

    Attributes:
        slope: At the centre, along the eigenvectors, shape (d,).
        variance: Of each of its entries.
        curvatures: Eigenvalues of the Hessian, ascending.
        axes: Its eigenvectors, in columns.
        errors: Standard errors of the eigenvalues.
        spread: Variance of the Hessian's entries about the prior.
        misfit: Variance of a slope at a distance of one radian beyond the noise.
        disagreement: Mean square of the residuals in units of what noise and misfit explain.
    """

    slope: Array
    variance: float
    curvatures: Array
    axes: Array
    errors: Array
    spread: float
    misfit: float
    disagreement: float

    def slope_at(self, step: Array) -> Array:
        """The slope that the model expects at a distance from the centre, shape (d,)."""
        expected: Array = self.axes @ (self.slope + self.curvatures * (self.axes.T @ step))
        return expected


@dataclass(frozen=True)
class Minimiser:
    """Where the model has its minimum.

    Attributes:
        step: From the centre, shape (d,).
        deviations: Standard deviations of the minimiser along the eigenvectors, in radians.
        gain: How far the loss falls on the way, what noise alone would promise taken off.
        noise: What the slope's error costs at the minimiser.
        inside: Whether it lies within the trusted distance.
    """

    step: Array
    deviations: Array
    gain: float
    noise: float
    inside: bool


def fit_slopes(
    data: Slopes, centre: Array, curvatures: Array, spread: float, misfit: float
) -> SlopeFit:
    """Fit slope and Hessian at a centre.

    Args:
        data: What was measured.
        centre: Where, shape (d,).
        curvatures: The Hessian's diagonal as the prior has it, shape (d,).
        spread: First guess of the variance of the Hessian's entries about the prior, > 0.
        misfit: First guess of the variance beyond the noise at a distance of one radian.

    Example:
        >>> import numpy as np
        >>> points = np.random.default_rng(1).normal(size=(50, 2))
        >>> data = Slopes(points, points @ np.diag([1.0, 3.0]) + 0.5, np.full(50, 1e-6))
        >>> fit_slopes(data, np.zeros(2), np.ones(2), 1.0, 0.0).curvatures.round(3)
        array([1., 3.])
    """
    away = data.centres - centre
    dim = len(centre)
    foreign = np.arange(len(away)) < data.foreign
    design = np.column_stack([np.ones(len(away)), away, foreign])
    fourth = np.sum(away**2, axis=1) ** 2
    noise = data.variances + _TINY * float(np.mean(data.values**2)) + 1e-100
    prior = np.vstack([np.zeros(dim), np.diag(curvatures), np.zeros(dim)])
    entries = slice(1, dim + 1)  # rows of the Hessian
    for _ in range(_REPEATS):
        weights = 1 / (noise + misfit * fourth)
        weighted = design * weights[:, None]
        strength = np.concatenate([[0.0], np.full(dim, 1 / spread), [1 / data.shift]])
        covariance = _inverse(weighted.T @ design + np.diag(strength))
        solution = covariance @ (weighted.T @ data.values + strength[:, None] * prior)
        leverage = weights * np.einsum("ti,ij,tj->t", design, covariance, design)
        squares = np.mean((data.values - design @ solution) ** 2, axis=1)
        squares /= np.maximum(1 - leverage, _LEAST_SHARE)
        information = weights**2 * fourth
        excess = float(np.sum((squares - noise) * information))
        misfit = max(excess / max(float(np.sum(information * fourth)), 1e-300), 0.0)
        found = np.mean((solution[entries] - prior[entries]) ** 2)
        spread = max(float(found + np.mean(np.diag(covariance)[entries])), 1e-12)
    hessian = (solution[entries] + solution[entries].T) / 2
    values, axes = np.linalg.eigh(hessian)
    errors = np.sqrt(np.einsum("ia,ij,ja->a", axes, covariance[entries, entries], axes))
    return SlopeFit(
        axes.T @ solution[0],
        float(covariance[0, 0]),
        values,
        axes,
        errors,
        spread,
        misfit,
        float(np.mean(squares * weights)),
    )


def minimiser(fit: SlopeFit, longest: float) -> Minimiser:
    """The step to the minimum, floored where no curvature is proved, and cut.

    Args:
        fit: The model.
        longest: Trusted length of the step and of a deviation, in radians.
    """
    floor = _PROOF * fit.errors
    curvature = np.maximum(np.abs(fit.curvatures), floor) + 1e-100
    step = -fit.slope / curvature
    unproved = fit.curvatures < floor
    if unproved.any():  # no minimum is seen there: only as far as a slope is proved
        evidence = float(np.sum(fit.slope[unproved] ** 2)) / max(fit.variance, 1e-300)
        step[unproved] *= max(0.0, 1 - int(unproved.sum()) / max(evidence, 1e-300))
    length = float(np.linalg.norm(step))
    noise = 0.5 * float(np.sum(fit.variance / curvature))
    deviations = math.sqrt(fit.variance) / curvature
    return Minimiser(
        step=fit.axes @ step * min(1.0, longest / max(length, 1e-300)),
        deviations=np.minimum(deviations, longest / math.sqrt(len(step))),
        gain=0.5 * float(np.sum(fit.slope**2 / curvature)) - noise,
        noise=noise,
        inside=length <= longest,
    )


def bias_energy(fit: SlopeFit, bias: Array) -> float:
    """How far above the minimum a bias of the slopes, shape (d,), puts the minimiser."""
    curvature = np.maximum(np.abs(fit.curvatures), _PROOF * fit.errors) + 1e-100
    return 0.5 * float(np.sum((fit.axes.T @ bias) ** 2 / curvature))


def _inverse(matrix: Array) -> Array:
    """Of a symmetric positive matrix, after its diagonal was made one."""
    scale = 1 / np.sqrt(np.diag(matrix))
    scaled = matrix * np.outer(scale, scale)
    scaled[np.diag_indices(len(scaled))] += 1e-13
    inverse: Array = np.linalg.inv(scaled) * np.outer(scale, scale)
    return inverse
