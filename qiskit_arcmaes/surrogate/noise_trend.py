"""Noise that depends on the point: whether a narrower cloud would be a quieter one.

The minimiser's error in a cloud of width w goes as v/w², v the variance of the noise in it. Where v
falls faster than w² a narrower cloud is better: noise that multiplies a loss whose minimum is zero
falls as w⁴, and then the error falls without end. The power p in v ~ w^(2p) is read off twice: from
the centre of each cloud outwards, and from cloud to cloud as the width changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIGN = 2.0  # standard errors that the power must have before it counts
MEMORY = 0.9  # weight of all rounds before, at every further one


@dataclass
class NoiseTrend:
    """What is known of the noise around a place: sums behind two regressions with one slope.

    Attributes:
        product: Within clouds, of (squared radius) x (variance), both relative and centred.
        square: Within clouds, of the squares of the former.
        weight: Between clouds, of the weights.
        widths: Of the logarithms of w².
        levels: Of the logarithms of v.
        widths_square: Of the squares of the former but one.
        cross: Of their products.
    """

    product: float = 0.0
    square: float = 0.0
    weight: float = 0.0
    widths: float = 0.0
    levels: float = 0.0
    widths_square: float = 0.0
    cross: float = 0.0

    @property
    def power(self) -> float:
        """The power p of w² with which the noise falls; 0 unless it is proved to fall."""
        spread = self.widths_square - self.widths**2 / max(self.weight, 1e-300)
        shared = self.cross - self.widths * self.levels / max(self.weight, 1e-300)
        information = self.square / 2 + max(spread, 0.0)
        if information <= 0:
            return 0.0
        power = (self.product / 2 + shared) / information
        return power if power > SIGN / math.sqrt(information) else 0.0


def follow(trend: NoiseTrend, width: float, radii: Array, variances: Array) -> None:
    """Take in a round.

    Args:
        trend: Brought up to date.
        width: Typical width w of the cloud, > 0.
        radii: Mean squared coordinate of some points, in units of the cloud, shape (n,).
        variances: Estimates of one shot's variance there, each as uncertain as a squared normal
            variable.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> trend = NoiseTrend()
        >>> for width in (1.0, 0.7, 0.5):
        ...     radii = rng.chisquare(5, 200) / 5
        ...     noise = (width**2 * radii) ** 2 * rng.chisquare(1, 200)  # relative noise
        ...     follow(trend, width, radii, noise)
        >>> trend.power > 1
        True
    """
    if len(radii) < 3 or not variances.sum() > 0:
        return
    for name in vars(trend):
        setattr(trend, name, MEMORY * getattr(trend, name))
    away, level = radii - radii.mean(), float(variances.mean())
    trend.product += float(away @ variances) / level
    trend.square += float(away @ away)
    weight, size = len(radii) / 2, 2 * math.log(width)
    trend.weight += weight
    trend.widths += weight * size
    trend.levels += weight * math.log(level)
    trend.widths_square += weight * size**2
    trend.cross += weight * size * math.log(level)
