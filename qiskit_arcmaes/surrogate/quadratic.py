"""A local quadratic, fitted to all rounds near the present cloud by generalised least squares.

In coordinates where the cloud is standard normal the loss is c + g.u + u'Hu/2 plus noise plus
misfit. For a pair with middle a and offset z

    odd half:   z.(g + H a)
    even half:  c + g.a + a'Ha/2 + z'Hz/2.

What the quadratic does not explain counts as further noise, separately for every round and for its
odd and even half, so that a round that fits badly loses weight by itself. The Hessian has the prior
H ~ N(h I, omega²) with h free, which lets a round be smaller than the number of coefficients. All
variances are found by a few steps of expectation maximisation. The last solution takes up to 2.4
of that omega: Hessians with a few steep axes have heavier tails than normal ones, and their flat
axes would be pulled up to h (Rosenbrock, d = 10, 10⁵ shots: 2.7 with omega, 0.8 with more of it).
Where misfit rules over noise it takes omega, more would only let the misfit in (Rastrigin).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from qiskit_arcmaes.surrogate.halves import Half, Known, Terms, gather
from qiskit_arcmaes.surrogate.rounds import Round

Array = NDArray[np.float64]

WIDENED = 6.0  # factor on omega² in the last solution, where noise rules
_STEPS = 5  # of expectation maximisation


@dataclass(frozen=True)
class Quadratic:
    """The fitted model, in the coordinates of the cloud.

    Attributes:
        coefficients: c (relative to ``origin``), g, h and H - h I.
        covariance: Of the coefficients.
        origin: Added to c.
        hessian: H.
        halves: The data, with what was left unexplained.
        spread: omega², the prior variance of the entries of H.
    """

    coefficients: Array
    covariance: Array
    origin: float
    hessian: Array
    halves: list[Half]
    spread: float

    @property
    def gradient(self) -> Array:
        """The slope g at the centre."""
        return self.coefficients[1 : 1 + len(self.hessian)]

    def excess(self, even: bool, newest: int, noise_freedom: float) -> float:
        """Misfit of the last two rounds beyond the noise, in standard errors."""
        recent = [h for h in self.halves if h.even == even and h.index >= newest - 1]
        freedom = sum(half.freedom for half in recent)
        ratio = sum(h.freedom * h.residual / max(h.variance, 1e-300) for h in recent) / freedom
        return float((ratio - 1) / np.sqrt(2 / max(freedom, 1.0) + 2 / noise_freedom))

    def predict(self, terms: Terms, at: Array) -> tuple[float, float]:
        """Value at a point of the cloud's coordinates, and its standard error."""
        features = terms.even(at[None], np.zeros((1, len(at))))[0]
        variance = float(features @ self.covariance @ features)
        value = self.origin + float(features @ self.coefficients)
        return value, float(np.sqrt(max(variance, 0.0)))


def fit(
    rounds: Sequence[Round],
    centre: Array,
    shape: Array,
    terms: Terms,
    spread: float | None,
    known: Known | None = None,
) -> Quadratic:
    """Fit the quadratic to the newest round and to the best of the others near it.

    Args:
        rounds: All rounds, oldest first; their ``misfit`` is brought up to date.
        centre: Centre of the present cloud.
        shape: Matrix D of the cloud x = centre + D u.
        terms: The quadratic's terms.
        spread: omega² of the last fit, None before the first.
        known: Sums over the same rounds that earlier fits made; brought up to date.
    """
    first_even = rounds[-1].even
    origin = float(np.median(first_even))
    halves = gather(rounds, centre, shape, terms, origin, {} if known is None else known)
    largest = max(half.sums.square / half.sums.count for half in halves)
    tiny = 1e-300 + 1e-28 * (origin**2 + largest)  # what floating point leaves of a perfect fit
    if spread is None:
        spread = 2 * float(np.var(first_even)) / terms.dim + tiny
    for _ in range(_STEPS):
        coefficients, covariance = _solve(halves, terms, spread, tiny)
        for half in halves:
            _explain(half, coefficients, covariance, tiny)
        entries = slice(terms.count - terms.products, terms.count)
        scale = np.where(terms.diagonal, 2.0, 1.0)  # a diagonal entry varies twice as much
        second = coefficients[entries] ** 2 + np.diag(covariance)[entries]
        spread = max(float(np.mean(second / scale)), tiny)
    newest = halves[0]
    noise_share = newest.variance / max(newest.variance + newest.misfit, 1e-300)
    wide = spread * (1 + (WIDENED - 1) * noise_share)
    coefficients, covariance = _solve(halves, terms, wide, tiny)
    for half in halves:
        if not half.even:
            rounds[half.index].misfit = half.misfit
    hessian = terms.hessian(coefficients)
    return Quadratic(coefficients, covariance, origin, hessian, halves, spread)


def _solve(halves: Sequence[Half], terms: Terms, spread: float, tiny: float) -> tuple[Array, Array]:
    """Generalised least squares with the present variances: coefficients and covariance."""
    normal = np.zeros((terms.count, terms.count))
    right = np.zeros(terms.count)
    for half in halves:
        weight = 1 / (half.variance + half.misfit + tiny)
        normal += weight * half.sums.products
        right += weight * half.sums.moments
    entries = np.arange(terms.count - terms.products, terms.count)
    normal[entries, entries] += 1 / (np.where(terms.diagonal, 2.0, 1.0) * spread)
    scale = np.sqrt(np.diag(normal) + 1e-300)
    scaled = normal / np.outer(scale, scale)
    scaled[np.diag_indices(terms.count)] += 1e-13
    factor = cho_factor(scaled, lower=True)
    covariance = cho_solve(factor, np.eye(terms.count)) / np.outer(scale, scale)
    return cho_solve(factor, right / scale) / scale, covariance


def _explain(half: Half, coefficients: Array, covariance: Array, tiny: float) -> None:
    """Residual variance of a half, its degrees of freedom, and what of it is misfit."""
    weight = 1 / (half.variance + half.misfit + tiny)
    sums = half.sums
    fitted = sums.products @ coefficients
    squares = sums.square + float(coefficients @ (fitted - 2 * sums.moments))
    half.freedom = max(sums.count - weight * float(np.sum(covariance * sums.products)), 1e-2)
    half.residual = max(squares, 0.0) / half.freedom
    if half.freedom > 3:
        half.misfit = max(0.0, half.residual - half.variance)
