"""Slopes as a function of the point: full curvature for few angles, from pairs alone.

All slopes that were kept are fitted together, in two forms with the same coefficients g and H, at
a distance delta from the centre. The loss may be a quadratic,

    slope_i = g_i + sum_j H_ij delta_j,

or trigonometric, c + sum_i (g_i sin delta_i + H_ii (1 - cos delta_i))
+ sum_{i<j} H_ij sin delta_i sin delta_j, as rotations make it,

    slope_i = cos delta_i (g_i + sum_{j != i} H_ij sin delta_j) + H_ii sin delta_i.

The one that makes the data more likely is taken. The Hessian has a prior: the curvatures along the
axes, which the even halves of the pairs tell, and off the axes as much as the slopes themselves
show. What lies far away counts less, because there neither form holds: its weight falls as the
misfit demands.
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
        variances: Of its entries, shape (d,).
        curvatures: Eigenvalues of the Hessian, ascending.
        axes: Its eigenvectors, in columns.
        errors: Standard errors of the eigenvalues.
        spread: Variance of the Hessian's entries about the prior.
        misfit: Variance of a slope at a distance of one radian beyond the noise.
        disagreement: Mean square of the residuals in units of what noise and misfit explain.
        likelihood: Logarithm of the data's density, up to a constant that both forms share.
        trigonometric: Which of the two forms it is.
    """

    slope: Array
    variances: Array
    curvatures: Array
    axes: Array
    errors: Array
    spread: float
    misfit: float
    disagreement: float
    likelihood: float
    trigonometric: bool

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
    """Fit slope and Hessian at a centre, in the form that the data speak for.

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
        >>> fit = fit_slopes(data, np.zeros(2), np.ones(2), 1.0, 0.0)
        >>> fit.curvatures.round(3), fit.trigonometric
        (array([1., 3.]), False)
    """
    away = data.centres - centre
    forms = (_quadratic_design(away), False), (_trigonometric_design(away), True)
    fits = [_fit(data, away, form, curvatures, spread, misfit) for form in forms]
    return max(fits, key=lambda fit: fit.likelihood)


def _quadratic_design(away: Array) -> Array:
    """Factors of g_i and of row i of H in slope i, shape (d, k, d + 1)."""
    count, dim = away.shape
    common = np.column_stack([np.ones(count), away])
    return np.broadcast_to(common, (dim, count, dim + 1))


def _trigonometric_design(away: Array) -> Array:
    """The same for the trigonometric form."""
    dim = away.shape[1]
    sines, cosines = np.sin(away), np.cos(away)
    design: Array = cosines.T[:, :, None] * np.column_stack([np.ones(len(away)), sines])
    own = np.arange(dim)
    design[own, :, 1 + own] = sines.T
    return design


def _fit(
    data: Slopes,
    away: Array,
    form: tuple[Array, bool],
    curvatures: Array,
    spread: float,
    misfit: float,
) -> SlopeFit:
    """Fit one form: its d regressions share the noise, the misfit and the prior's spread."""
    count, dim = away.shape
    foreign = (np.arange(count) < data.foreign).astype(float)
    shift = np.broadcast_to(foreign[:, None], (dim, count, 1))
    design = np.concatenate([form[0], shift], axis=2)
    fourth = np.sum(away**2, axis=1) ** 2
    noise = data.variances + _TINY * float(np.mean(data.values**2)) + 1e-100
    prior = np.column_stack([np.zeros(dim), np.diag(curvatures), np.zeros(dim)])
    entries = slice(1, dim + 1)  # a row of the Hessian
    for _ in range(_REPEATS):
        weights = 1 / (noise + misfit * fourth)
        weighted = np.swapaxes(design * weights[:, None], 1, 2)
        strength = np.concatenate([[0.0], np.full(dim, 1 / spread), [1 / data.shift]])
        covariance = _inverse(weighted @ design + np.diag(strength))
        moments = np.einsum("ipt,ti->ip", weighted, data.values) + strength * prior
        solution = np.einsum("ipq,iq->ip", covariance, moments)
        residuals = data.values - np.einsum("itp,ip->ti", design, solution)
        leverage = weights[:, None] * np.sum((design @ covariance) * design, axis=2).T
        squares = np.mean(residuals**2 / np.maximum(1 - leverage, _LEAST_SHARE), axis=1)
        information = weights**2 * fourth
        excess = float(np.sum((squares - noise) * information))
        misfit = max(excess / max(float(np.sum(information * fourth)), 1e-300), 0.0)
        found = np.mean((solution[:, entries] - prior[:, entries]) ** 2)
        own = np.diagonal(covariance, axis1=1, axis2=2)
        spread = max(float(found + np.mean(own[:, entries])), 1e-12)
    hessian = (solution[:, entries] + solution[:, entries].T) / 2
    values, axes = np.linalg.eigh(hessian)
    along = np.einsum("ja,ijk,ka->ia", axes, covariance[:, entries, entries], axes)
    weights = 1 / (noise + misfit * fourth)
    return SlopeFit(
        slope=axes.T @ solution[:, 0],
        variances=own[:, 0] @ axes**2,
        curvatures=values,
        axes=axes,
        errors=np.sqrt(np.sum(axes**2 * along, axis=0)),
        spread=spread,
        misfit=misfit,
        disagreement=float(np.mean(squares * weights)),
        likelihood=dim * float(np.sum(np.log(weights) - weights * squares)) / 2,
        trigonometric=form[1],
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
        variances = np.maximum(fit.variances[unproved], 1e-300)
        evidence = float(np.sum(fit.slope[unproved] ** 2 / variances))
        step[unproved] *= max(0.0, 1 - int(unproved.sum()) / max(evidence, 1e-300))
    length = float(np.linalg.norm(step))
    noise = 0.5 * float(np.sum(fit.variances / curvature))
    deviations = np.sqrt(fit.variances) / curvature
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


def _inverse(matrices: Array) -> Array:
    """Of symmetric positive matrices, after their diagonals were made one."""
    scale = 1 / np.sqrt(np.diagonal(matrices, axis1=-2, axis2=-1))
    products = scale[..., :, None] * scale[..., None, :]
    tiny = 1e-13 * np.eye(matrices.shape[-1])
    inverse: Array = np.linalg.inv(matrices * products + tiny) * products
    return inverse
