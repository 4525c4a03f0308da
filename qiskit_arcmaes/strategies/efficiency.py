"""Expected improvement per shot: what the re-evaluation count M is chosen from.

The paper's lower bound for proportional weights, and ours for rank-based ones. Equation numbers
are the paper's ("An Adaptive Re-evaluation Method for Evolution Strategy under Additive Noise").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ProportionalStep:
    """One generation with proportional weights, as the paper analyses it.

    Attributes:
        dim: Number of coordinates d.
        popsize: lambda.
        step_size: sigma.
        gradient_square: ‖g‖², g = C^1/2 grad L(m).
        offset: A, added to every improvement to make it positive.
        curvature: K s_max, Lipschitz constant times largest eigenvalue of C.
        noise: tau², variance of one shot.
    """

    dim: int
    popsize: int
    step_size: float
    gradient_square: float
    offset: float
    curvature: float
    noise: float

    @property
    def a(self) -> float:
        """Coefficient a of Eq. (15)."""
        return self.dim * self.curvature * self.noise / (4 * self.popsize)

    @property
    def b(self) -> float:
        """Coefficient b of Eq. (15)."""
        per_candidate = self.curvature / (4 * self.popsize)
        slope = self.step_size**2 * (self.popsize + self.dim + 1) * per_candidate
        return (
            self.offset - slope
        ) * self.gradient_square - self.offset**2 * self.dim * per_candidate

    def improvement(self, shots: float, fraction: float = 1.0) -> float:
        """Lower bound of E[L(m) - L(m + eta z')], z' = half the step taken; Eq. (14) is eta = 1.

        Erratum: the paper prints a/M + b in Eq. (15); its own derivation gives b - a/M.
        """
        scale = self.step_size**2 / (2 * self.offset**2)
        linear = self.offset * self.gradient_square  # the part of b that is linear in the step
        return scale * (fraction * linear - fraction**2 * (linear - self.b + self.a / shots))

    def best_shots(self) -> float | None:
        """M* of Eq. (16), None where b <= 0.

        Erratum: the paper prints -2a/b; b/M - a/M² has its maximum at +2a/b.
        """
        return 2 * self.a / self.b if self.b > 0 else None


def moments(
    gradient: Array, step_size: float, offset: float, noise: float, shots: float
) -> tuple[Array, Array]:
    """First and second moments of v = (improvement + A) epsilon by coordinate, Eqs. (9), (10)."""
    square = float(gradient @ gradient)
    first = -gradient * step_size**2
    second = (
        noise / shots * step_size**2
        + (square + 2 * gradient**2) * step_size**4
        + offset**2 * step_size**2
    )
    return first, second


@dataclass(frozen=True)
class RankStep:
    """One generation with rank-based weights, of which a fraction of the step is taken.

    To first order the candidates' values are normal with variance S + tau²/M, of which the loss
    causes S and its gradient ``slope_square``. Selection moves the mean by c_w standard deviations
    along what it can see, and by a random vector of length² d/mu_eff, which costs curvature. In
    units where C is the identity and sigma one, the fraction eta of the step gains

        eta a(M) - eta² b/2,  a(M) = c_w slope_square/sqrt(S + tau²/M),  b = curvature/mu_eff.

    Attributes:
        slope_square: sigma² ‖g‖², variance of the values that the gradient causes.
        spread: S, variance that the whole loss causes, >= ``slope_square``.
        curvature: sigma² tr(H), H the Hessian in the coordinates where C is the identity.
        noise: tau², variance of one shot.
        gain: c_w of the weights.
        mass: mu_eff of the weights.
    """

    slope_square: float
    spread: float
    curvature: float
    noise: float
    gain: float
    mass: float

    def improvement(self, shots: float, fraction: float = 1.0) -> float:
        """Expected improvement of the fraction eta of the step; eta = 1 is the full step."""
        slope = self._slope(shots)
        return fraction * slope - fraction**2 * self.curvature / (2 * self.mass)

    def best_fraction(self, shots: float) -> float:
        """eta* = a(M)/b, for which the improvement is a(M)²/(2b), proportional to 1/(1 + nu/M)."""
        return self._slope(shots) * self.mass / self.curvature

    @property
    def noise_ratio(self) -> float:
        """The ratio nu = tau²/S: the noise-to-signal ratio of one shot."""
        return self.noise / self.spread

    def _slope(self, shots: float) -> float:
        return self.gain * self.slope_square / math.sqrt(self.spread + self.noise / shots)


def best_shots(price: float, noise_ratio: float) -> float:
    """M* = sqrt(o nu), which maximises 1/((1 + nu/M)(o + M)): gain per cost at the best fraction.

    Args:
        price: o, what a point costs besides its shots, in shots, >= 0.
        noise_ratio: nu = tau²/S, the noise-to-signal ratio of one shot, >= 0.

    Example:
        >>> best_shots(price=100.0, noise_ratio=25.0)
        50.0
    """
    return math.sqrt(price * noise_ratio)
