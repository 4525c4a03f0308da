"""Which method ``ShotFrugal`` runs, and why.

Known frequencies of a circuit: shift rules that are exact for them, with steps in proportion to
proof from informed starts, after a step that the circuit alone tells at Clifford points. Rotation
angles: parameter-shift pairs carry the largest signal that a shot can; half the shift where the
loss transforms what the circuit measures. Anything else: an evolution strategy with a local
quadratic surrogate, whose error falls as 1/budget where it fits, after a quasi-Newton descent where
there is no noise or few shots; the surrogate alone where jobs are few, the strategy alone where the
budget pays for neither.
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.shift import plan, spectral_plan
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.shift.params import TRANSFORMED
from qiskit_arcmaes.shift.spectral import SpectralShift
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.surrogate import assisted_plan, quadratic
from qiskit_arcmaes.surrogate.assisted import SurrogateAssistedStrategy


def frugal(setup: Setup, rng: np.random.Generator) -> Method:
    """Build the method that takes the fewest shots for a problem.

    Args:
        setup: The problem.
        rng: The generator to draw from.
    """
    if spectral_plan.affordable(setup):
        return SpectralShift(setup, rng, trust_radius=setup.trust_radius)
    if plan.affordable(setup):
        return ParameterShift(setup, rng)
    if plan.affordable_transformed(setup):
        return ParameterShift(setup, rng, TRANSFORMED)
    if assisted_plan.affordable(setup):
        return SurrogateAssistedStrategy(setup, rng)
    if quadratic.affordable(setup):
        return quadratic.QuadraticSurrogate(setup, rng)
    return AdaptiveReevaluation(setup, rng)
