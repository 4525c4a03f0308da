"""Angles of gates as linear functions of the parameters."""

from __future__ import annotations

import math
from typing import Any

from qiskit.circuit import Parameter, ParameterExpression

from qiskit_arcmaes.circuits.unknown import Reason, UnreadableError

Linear = tuple[dict[int, float], float]
"""The coefficient of each parameter that occurs, by its index, and the value where all are 0."""

_QUARTER = math.pi / 2
_SAME_ANGLE = 1e-10  # a bound angle this close to a multiple of pi/2 is a Clifford gate


def quarter_turns(angle: Linear) -> int | None:
    """How many quarter turns a bound angle is; None where it is no Clifford gate.

    Example:
        >>> quarter_turns(({}, math.pi)), quarter_turns(({}, 1.0)), quarter_turns(({0: 1.0}, 0.0))
        (2, None, None)
    """
    coefficients, offset = angle
    quarters = round(offset / _QUARTER)
    if coefficients or abs(offset - quarters * _QUARTER) > _SAME_ANGLE:
        return None
    return quarters


def linear_angle(angle: Any, indices: dict[Parameter, int]) -> Linear:
    """Split an angle into coefficients and offset.

    Args:
        angle: A number or a ParameterExpression.
        indices: The index of each parameter.

    Raises:
        UnreadableError: When the angle is not linear, or not real.

    Example:
        >>> a, b = Parameter("a"), Parameter("b")
        >>> linear_angle(2 * a - b / 4 + 1, {a: 0, b: 1}) == ({0: 2.0, 1: -0.25}, 1.0)
        True
    """
    if isinstance(angle, Parameter):
        return {indices[angle]: 1.0}, 0.0
    if not isinstance(angle, ParameterExpression):
        return {}, float(angle)
    coefficients = {}
    for parameter in angle.parameters:
        slope = _number(angle.gradient(parameter), angle)
        if slope:
            coefficients[indices[parameter]] = slope
    rest = angle.bind(dict.fromkeys(angle.parameters, 0.0)) if angle.parameters else angle
    return coefficients, _number(rest, angle)


def _number(value: Any, angle: ParameterExpression) -> float:
    """A real constant out of a number or an expression without parameters."""
    if isinstance(value, ParameterExpression) and value.parameters:
        raise UnreadableError(Reason.NONLINEAR_ANGLE, str(angle))
    number = complex(value)
    if number.imag:
        raise UnreadableError(Reason.NONLINEAR_ANGLE, f"{angle}, which is not real")
    return number.real
