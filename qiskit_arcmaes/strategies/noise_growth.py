"""How the noise grows from the mean of a population to its candidates, and what width follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.strategies.noise import follow_noise

Array = NDArray[np.float64]

_TINY = 1e-300  # replaces zero in denominators


@dataclass
class NoiseGrowth:
    """Variance of one shot at the mean and at the candidates, over the same generations.

    Noise that grows with the loss has the variance v = v0 + c sigma⁴ around a minimum. The
    signal-to-noise ratio sigma²/v of differences is largest at v = 2 v0.

    Attributes:
        at_mean: v0; NaN before the first pair.
        at_candidates: v.

    Example:
        >>> growth = NoiseGrowth(at_mean=1.0, at_candidates=64.0)
        >>> growth.width_factor(loud=4.0, share=1.0)
        0.5
    """

    at_mean: float = math.nan
    at_candidates: float = math.nan

    def learn(
        self, mean: Array, candidate: Array, shots: int, noise: float, rule: tuple[float, float]
    ) -> None:
        """Take in two values at the mean and two at a candidate.

        Args:
            mean: The values at the mean.
            candidate: Those at the candidate.
            shots: M of each.
            noise: tau² as it is known so far, from which both begin.
            rule: Share of a pair in the result, and the multiple of it that a pair counts at most.
        """
        if math.isnan(self.at_mean):
            self.at_mean = self.at_candidates = noise
        self.at_mean = follow_noise(self.at_mean, mean, shots, *rule)
        self.at_candidates = follow_noise(self.at_candidates, candidate, shots, *rule)

    def width_factor(self, loud: float, share: float) -> float:
        """Factor on sigma, one unless the candidates are far louder than the mean.

        Args:
            loud: The ratio v/v0 from which on sigma falls.
            share: Part of the way to that ratio, on a logarithmic scale.
        """
        excess = self.at_candidates / (loud * max(self.at_mean, _TINY))
        return float(excess ** (-share / 4)) if excess > 1 else 1.0  # NaN: nothing is known
