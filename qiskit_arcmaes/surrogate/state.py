"""State of the quadratic surrogate, and what it shows of itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import State
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.local_search import Finding
from qiskit_arcmaes.surrogate.planning import Schedule
from qiskit_arcmaes.surrogate.restarts import Multistart

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DesignMemo:
    """What ``tell`` needs of a design that was asked.

    Attributes:
        points: The points before periodic coordinates were wrapped, shape (n, d).
        repeats: Number of pairs, the last ones, that repeat the first ones.
    """

    points: Array
    repeats: int


def _shown(label: str) -> float:
    """A diagnostic with its label; NaN before the first design."""
    diagnostic: float = field(default=math.nan, metadata={"label": label})
    return diagnostic


@dataclass(frozen=True)
class Diagnostics:
    """What the last job has shown."""

    noise: float = _shown("variance of one shot")
    gain: float = _shown("expected gain")
    noise_loss: float = _shown("gain: part lost to noise")
    efficiency: float = _shown("gain per cost")
    curvature: float = _shown("trace of the Hessian")
    slope_lack_of_fit: float = _shown("lack of fit of the slopes")
    curvature_lack_of_fit: float = _shown("lack of fit of the curvatures")
    step_fraction: float = _shown("share of the step taken")
    start: float = _shown("start")

    @classmethod
    def of_design(
        cls, finding: Finding, noise: float, shots: int, overhead: float, start: int
    ) -> Diagnostics:
        """The diagnostics after a design.

        Args:
            finding: What the design has shown.
            noise: Variance of one shot.
            shots: Shots per point of the design.
            overhead: Fixed cost of a circuit, in shots.
            start: Number of the start that it belongs to.
        """
        step, lack = finding.step, finding.lack
        return cls(
            noise=noise,
            gain=step.gain,
            noise_loss=step.noise_loss,
            efficiency=(step.gain - step.noise_loss) / (overhead + shots),
            curvature=finding.curvature,
            slope_lack_of_fit=lack.antisymmetric,
            curvature_lack_of_fit=lack.symmetric,
            step_fraction=step.step_fraction,
            start=float(start),
        )

    def by_name(self) -> dict[str, float]:
        """Each diagnostic by its name."""
        return dict(vars(self))


COLUMNS = {each.name: str(each.metadata["label"]) for each in fields(Diagnostics)}
"""The label of each diagnostic."""


@dataclass(kw_only=True)
class SurrogateState(State):
    """State of the quadratic surrogate.

    Attributes:
        multistart: The local searches.
        iteration: Jobs told so far.
        schedule: How far the budget is used.
        noise: The noise level.
        doubts: Designs in a row with a significant lack of fit.
        diagnostics: What the last job has shown.
    """

    multistart: Multistart
    iteration: int = 0
    schedule: Schedule = field(default_factory=Schedule)
    noise: NoiseLevel = field(default_factory=NoiseLevel)
    doubts: int = 0
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
