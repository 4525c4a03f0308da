"""The cheapest way to the slope in one parameter: shifts of the parameter, or of single gates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.analysis import Analysis
from qiskit_arcmaes.rotations.form import Array
from qiskit_arcmaes.rotations.rules import best_rule
from qiskit_arcmaes.rotations.shift_rules import ShiftRule


@dataclass(frozen=True, eq=False)
class GateByGateRule:
    """The slope as a sum over rotations, each shifted alone by plus and minus pi / 2.

    It needs a circuit in which every rotation has an angle of its own: the slope is the sum of
    coefficient times (f(angle + pi/2) - f(angle - pi/2)) / 2.

    Attributes:
        rotations: The rotations, as indices of the form, shape (m,).
        coefficients: The coefficient of the parameter in each angle, shape (m,).
        variance_factor: Variance of the slope times shots, in units of the variance of one shot of
            the parameter's terms, with the best division of the shots.
    """

    rotations: NDArray[np.int_]
    coefficients: Array
    variance_factor: float


def prior_variance(analysis: Analysis, cone: NDArray[np.bool_]) -> float:
    """The variance of one shot on a random state: the sum of squared coefficients in a cone."""
    terms = analysis.form.terms
    return 1.0 if terms is None else float((terms.coefficients[cone] ** 2).sum())


def gate_by_gate_rule(analysis: Analysis, parameter: int) -> GateByGateRule:
    """Shift the rotations of a parameter one at a time.

    Only the terms in the cone of each rotation are measured for it; their prior variance stands
    for that of one shot.

    Example:
        >>> from qiskit_arcmaes.rotations.analysis import analyse
        >>> from qiskit_arcmaes.rotations.form import make_form
        >>> form = make_form(["IX", "XI"], [[1.0], [2.0]], observable={"ZZ": 1.0, "ZI": 1.0})
        >>> rule = gate_by_gate_rule(analyse(form), 0)
        >>> rule.rotations.tolist(), round(rule.variance_factor, 3)
        ([0, 1], 7.328)
    """
    form = analysis.form
    rotations = form.rotations_of(parameter)
    rotations = rotations[analysis.rotation_cones[rotations].any(axis=1)]
    weights = form.coefficients[:, [parameter]].toarray().ravel()[rotations]
    deviations = [
        math.sqrt(prior_variance(analysis, analysis.rotation_cones[index])) for index in rotations
    ]
    whole = prior_variance(analysis, analysis.cones[parameter])
    total = float(np.abs(weights) @ np.array(deviations)) ** 2 if len(rotations) else 0.0
    return GateByGateRule(rotations, weights, total / whole if whole else 0.0)


def choose_rule(
    analysis: Analysis, parameter: int, shots: float = 1e8
) -> ShiftRule | GateByGateRule:
    """Choose the rule for one parameter that has the least mean squared error.

    Args:
        analysis: What the circuit tells.
        parameter: The index of the parameter.
        shots: Shots that the slope is estimated from; by default more than a run has, so that
            exact rules win wherever there is one.

    Example:
        >>> from qiskit_arcmaes.rotations.analysis import analyse
        >>> from qiskit_arcmaes.rotations.form import make_form
        >>> form = make_form(["IX", "XI"], [[1.0], [2.0]], observable={"ZZ": 1.0, "ZI": 1.0})
        >>> type(choose_rule(analyse(form), 0)).__name__
        'GateByGateRule'
    """
    cone = analysis.cones[parameter]
    terms = analysis.form.terms
    norm = 1.0 if terms is None else float(np.abs(terms.coefficients[cone]).sum())
    deviation = math.sqrt(prior_variance(analysis, cone))
    shifted = best_rule(analysis.spectra[parameter], shots=shots, deviation=deviation, norm=norm)
    gates = gate_by_gate_rule(analysis, parameter)
    error = shifted.mean_squared_error(shots, deviation, norm)
    return gates if gates.variance_factor * deviation**2 / shots < 0.999 * error else shifted
