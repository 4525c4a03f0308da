"""What the parameter-shift method reports about a job's decision, by name and label."""

from __future__ import annotations

import math

import numpy as np

from qiskit_arcmaes.shift.adam_phase import AdamPhase
from qiskit_arcmaes.shift.forms import Form
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import ComparisonPhase, Multistart
from qiskit_arcmaes.shift.newton_phase import NewtonPhase

COLUMNS = {
    "noise": "variance of one shot",
    "shift": "shift of the pairs (rad)",
    "disagreement": "slopes: two shifts differ",
    "start": "start",
    "order": "order of the step",
    "gradient": "norm of the gradient",
    "gain": "expected gain",
    "noise_loss": "gain: part lost to noise",
    "lack_of_fit": "lack of fit of the gradients",
    "trigonometric": "form: trigonometric (1), quadratic (0)",
}
"""Label of each diagnostic."""


def radius(phase: AdamPhase | NewtonPhase | ComparisonPhase) -> float:
    """Step of Adam or standard deviation of a design, in radians per angle."""
    return phase.surrogate.radius if isinstance(phase, NewtonPhase) else phase.rate


def diagnostics(
    iterate: Iterate, starts: Multistart, phase: AdamPhase | NewtonPhase | ComparisonPhase
) -> dict[str, float]:
    """One number per column; NaN where it is not known in this phase."""
    found = dict.fromkeys(COLUMNS, math.nan)
    found["noise"] = iterate.noise.variance
    found["shift"] = iterate.test.shift
    found["disagreement"] = iterate.test.disagreement
    found["start"] = float(len(starts.endpoints) + 1)
    if isinstance(phase, AdamPhase):
        found["order"] = 1.0
        found["gradient"] = float(np.linalg.norm(phase.adam.mean))
    elif isinstance(phase, NewtonPhase):
        last = phase.surrogate
        found["order"] = 2.0
        found["gradient"] = float(np.linalg.norm(last.gradient))
        found["gain"], found["noise_loss"] = last.gain, last.noise_loss
        found["lack_of_fit"] = last.lack_of_fit
        found["trigonometric"] = float(last.form is Form.TRIGONOMETRIC)
    return found
