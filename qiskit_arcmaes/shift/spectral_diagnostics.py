"""What the method for known frequencies reports about a job's decision, by name and label."""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.shift.acceptance import AcceptancePhase
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.inspection import Inspection
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.local_newton import LocalPhase
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.restarts import Restarts
from qiskit_arcmaes.shift.screening import ScreeningPhase

Phase = (
    Inspection
    | LocalPhase
    | ScreeningPhase
    | DescentPhase
    | NewtonPhase
    | ComparisonPhase
    | AcceptancePhase
)
"""What a job is for."""

COLUMNS = {
    "noise": "variance of one shot",
    "shift": "finite shift of the pairs (rad)",
    "informed": "start: informed (1), not (0)",
    "start": "start",
    "order": "order of the step",
    "gradient": "norm of the gradient",
    "gain": "expected gain",
    "noise_loss": "gain: part lost to noise",
    "lack_of_fit": "lack of fit of the gradients",
}
"""Label of each diagnostic."""

_LEAST_RADIUS = 1e-9  # a search in which no angle moved has not collapsed


def radius(phase: Phase) -> float:
    """Step of Adam or standard deviation of a design, in radians per angle."""
    if isinstance(phase, Inspection):
        return math.pi / 2
    if isinstance(phase, NewtonPhase):
        return phase.surrogate.radius
    return max(phase.rate, _LEAST_RADIUS)


def diagnostics(
    iterate: Iterate, informed: bool, starts: Restarts, phase: Phase
) -> dict[str, float]:
    """One number per column; NaN where it is not known in this phase."""
    found = dict.fromkeys(COLUMNS, math.nan)
    found["noise"] = iterate.noise.variance
    found["shift"] = iterate.test.shift
    found["informed"] = float(informed)
    found["start"] = float(len(starts.endpoints) + 1)
    if isinstance(phase, DescentPhase):
        found["order"] = 1.0
        found["gradient"] = float(np.linalg.norm(phase.adam.mean))
    elif isinstance(phase, LocalPhase):
        found["order"] = 2.0
        found["gradient"] = float(np.linalg.norm(phase.slopes))
    elif isinstance(phase, NewtonPhase):
        last = phase.surrogate
        found["order"] = 2.0
        found["gradient"] = float(np.linalg.norm(last.gradient))
        found["gain"], found["noise_loss"] = last.gain, last.noise_loss
        found["lack_of_fit"] = last.lack_of_fit
    return found
