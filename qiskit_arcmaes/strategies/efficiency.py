"""Expected improvement per shot: what the re-evaluation count M is chosen from.

The paper's lower bound for proportional weights, and ours for rank-based ones. Equation numbers
are the paper's ("An Adaptive Re-evaluation Method for Evolution Strategy under Additive Noise").
"""

from __future__ import annotations

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

    def improvement(self, shots: float) -> float:
        """Lower bound of E[L(m) - L(m + z')], Eq. (14), for z' = half the step taken.

        Erratum: the paper prints a/M + b in Eq. (15); its own derivation gives b - a/M.
        """
        return self.step_size**2 / (2 * self.offset**2) * (self.b - self.a / shots)

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


def rank_gain(
    signal: float, curvature: float, noise: float, shots: Array, gain: float, mu_eff: float
) -> Array:
    """Expected improvement of one generation with rank-based weights, for every shot count.

    To first order the candidates' values are normal with variance signal + noise/M, of which the
    gradient causes ``signal``; selection moves the mean by c_w standard deviations along what it
    can see, and by a random vector of length² d/mu_eff, which costs curvature:

        c_w signal/sqrt(signal + noise/M) - curvature/(2 mu_eff).

    Args:
        signal: sigma² ‖g‖², variance of the values that the gradient causes.
        curvature: sigma² tr(H), H the Hessian in the coordinates where C is the identity.
        noise: tau², variance of one shot.
        shots: The counts M to try.
        gain: c_w of the weights.
        mu_eff: Of the weights.
    """
    lost = curvature / (2 * mu_eff)
    if signal == 0:
        return np.full(len(shots), -lost)
    return gain * signal / np.sqrt(signal + noise / shots) - lost
