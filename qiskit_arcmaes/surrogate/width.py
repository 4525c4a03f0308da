"""How wide the cloud may be: as wide as the quadratic fits, wider while it smooths ripples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.surrogate.basins import Basin
from qiskit_arcmaes.surrogate.newton import NewtonStep
from qiskit_arcmaes.surrogate.noise_trend import NoiseTrend
from qiskit_arcmaes.surrogate.quadratic import Quadratic

MISFIT = 3.0  # standard errors at which a misfit is one
RIPPLE = 1 / 12  # share of even misfit in the curvature's variance that narrows the cloud
SHRINK, GROW = 0.7, 1.4  # of the width
LOCATED = 0.3  # the minimiser is located when its error is below this part of the cloud
BACKOFF = 2.0  # a cloud that had to narrow waits, so many times longer each time, before it grows
PATIENCE = 5  # rounds without any signal before the cloud narrows all the same
FINE = 3.0  # among ripples the minimiser must be located so many times better, and then
# the cloud narrows so many times at once


@dataclass(frozen=True)
class LackOfFit:
    """What the quadratic leaves unexplained.

    Attributes:
        odd: Misfit of the odd halves, in standard errors of the noise's own scatter.
        even: The same of the even halves.
        ripple: Even misfit as a share of the variance that the curvature causes.
        variance: Unexplained variance of single values, odd and even.
        noise: Variance of single values that the noise causes.
    """

    odd: float
    even: float
    ripple: float
    variance: float
    noise: float

    @property
    def even_bad(self) -> bool:
        """Whether the curvature's misfit is significant, and large enough to matter."""
        return self.even > MISFIT and self.ripple > RIPPLE

    @property
    def bad(self) -> bool:
        """Whether the misfit is significant, and large enough to matter."""
        return self.odd > MISFIT or self.even_bad

    @property
    def good(self) -> bool:
        """Whether there is room for a wider cloud."""
        return not self.bad and self.odd < 1 and (self.even < 1 or self.ripple < RIPPLE / 4)


def lack_of_fit(model: Quadratic, basin: Basin, noise_freedom: float, shots: float) -> LackOfFit:
    """Compare what a model left unexplained with the noise.

    Args:
        model: The fitted quadratic.
        basin: The descent whose rounds were fitted.
        noise_freedom: Degrees of freedom behind the noise level.
        shots: Shots behind each value of the newest round.
    """
    newest = len(basin.rounds) - 1
    return LackOfFit(
        odd=model.excess(False, newest, noise_freedom),
        even=model.excess(True, newest, noise_freedom),
        ripple=basin.misfit[1] / max(float(np.sum(model.hessian**2)), 1e-300),
        variance=sum(basin.misfit),
        noise=basin.rounds[newest].noise / shots,
    )


def width_factor(basin: Basin, lack: LackOfFit, step: NewtonStep) -> float:
    """Narrow a cloud that fits badly, but only once the minimiser in it is located.

    A polynomial's misfit falls with the sixth power of the width. Where it does not fall, the loss
    has ripples: a wide cloud smooths them and locates the minimiser best, so that the cloud goes
    back to its width until the minimiser is located well enough to jump into the right ripple.

    Args:
        basin: The descent; what it remembers about its width is brought up to date.
        lack: The present lack of fit.
        step: The present step.
    """
    undo, basin.narrowed = basin.narrowed, 1.0
    if undo < 1 and lack.bad and lack.variance > max(undo * basin.misfit_before, lack.noise):
        basin.rippled = True
        return 1 / undo
    wanted = LOCATED / FINE if basin.rippled else LOCATED
    located = step.cut == 1 and step.location_error < wanted
    no_signal = lack.bad and step.significant_gain == 0 and not located
    basin.lost = basin.lost + 1 if no_signal else 0
    if lack.bad and located and basin.rippled:
        basin.rippled = False
        return 1 / FINE
    if lack.bad and (located or basin.lost >= PATIENCE):
        basin.lost = 0
        basin.narrowed, basin.misfit_before = SHRINK, lack.variance
        basin.kinks += lack.even_bad
        basin.refused += 1
        basin.wait = int(BACKOFF**basin.refused)
        return SHRINK
    if step.cut < 1 or np.linalg.norm(step.vector) > LOCATED * math.sqrt(len(step.vector)):
        basin.refused = basin.wait = 0  # on the way to another place
        basin.noise_trend = NoiseTrend()
    basin.wait = max(basin.wait - 1, 0)
    if basin.noise_trend.power > 1:  # a narrower cloud is so much quieter that it is better
        return SHRINK if located else 1.0
    if not lack.good or basin.wait > 0:
        return 1.0
    basin.kinks = 0
    return GROW
