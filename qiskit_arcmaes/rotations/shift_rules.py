"""Shift rules: slopes from values at shifted points, and what they cost in variance per shot.

A rule estimates f'(x) by the sum of coefficient times f(x + shift). When a total of N shots is
divided over the points in proportion to the size of the coefficients, and one shot has the standard
deviation sigma at every point, the slope has the variance (sum |coefficient|)**2 sigma**2 / N. By
Bernstein's inequality no exact rule has a sum below the largest frequency; M. Riesz's points
(2 k - 1) pi / (2 maximum) reach it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from qiskit_arcmaes.rotations.spectrum import Spectrum

Array = NDArray[np.float64]

_NEARER = 1e-6  # extra cost per index of a point, so that of equal rules the nearest is found


class RuleKind(Enum):
    """How a rule is made."""

    CONSTANT = "the loss does not depend on the parameter"
    TWO_POINT = "one pair of points, exact for one frequency"
    EQUIDISTANT = "exact for all multiples of a spacing up to the largest frequency"
    LISTED = "exact for a list of frequencies"
    BAND = "nearly exact for all frequencies up to the largest"
    FINITE = "one pair of points at a small distance, with a bias"


@dataclass(frozen=True, eq=False)
class ShiftRule:
    """A linear rule for the slope in one parameter.

    Attributes:
        kind: How it is made.
        shifts: What is added to the parameter, shape (m,); each shift comes with its negative.
        coefficients: The weight of the loss at each shifted point, shape (m,).
        bias_bound: The largest error of the slope for a loss of frequencies up to the largest and
            of absolute values up to 1; multiply it by the 1-norm of the observable without its
            identity. 0 for exact rules.

    Example:
        >>> rule = two_point_rule(2.0)
        >>> rule.kind.name, (rule.shifts / np.pi).tolist(), rule.coefficients.tolist()
        ('TWO_POINT', [0.25, -0.25], [1.0, -1.0])
        >>> rule.variance_factor, rule.bias_bound
        (4.0, 0.0)
    """

    kind: RuleKind
    shifts: Array
    coefficients: Array
    bias_bound: float = 0.0

    @property
    def variance_factor(self) -> float:
        """Variance of the slope times shots, in units of the variance of one shot."""
        return float(np.abs(self.coefficients).sum() ** 2)

    def mean_squared_error(self, shots: float, deviation: float, norm: float) -> float:
        """Bound of the mean squared error with a number of shots in total.

        Args:
            shots: Shots of all points together, > 0.
            deviation: Standard deviation of one shot.
            norm: 1-norm of the observable without its identity.
        """
        return self.variance_factor * deviation**2 / shots + (self.bias_bound * norm) ** 2


def _antisymmetric(
    kind: RuleKind, shifts: NDArray[Any], coefficients: NDArray[Any], bias_bound: float = 0.0
) -> ShiftRule:
    """A rule of pairs: coefficient times (f(x + shift) - f(x - shift))."""
    both = np.stack([shifts, -shifts], axis=1).ravel()
    weights = np.stack([coefficients, -coefficients], axis=1).ravel()
    return ShiftRule(kind, both, weights, bias_bound)


def two_point_rule(frequency: float) -> ShiftRule:
    """The exact rule for one frequency, at the shift with the least variance."""
    shift = np.array([math.pi / (2 * frequency)])
    return _antisymmetric(RuleKind.TWO_POINT, shift, np.array([frequency / 2]))


def equidistant_rule(maximum: float, spacing: float) -> ShiftRule:
    """The exact rule for all multiples of a spacing (Wierichs et al. 2022, eq. 14).

    With R = maximum / spacing it has 2 R points, and the coefficients' absolute sum is the largest
    frequency, the least that is possible.
    """
    count = round(maximum / spacing)
    odd = 2 * np.arange(1, count + 1) - 1
    half = odd * math.pi / (4 * count)
    signs = (-1.0) ** np.arange(count)
    return _antisymmetric(
        RuleKind.EQUIDISTANT, 2 * half / spacing, spacing * signs / (4 * count * np.sin(half) ** 2)
    )


def listed_rule(spectrum: Spectrum, pairs: int) -> ShiftRule | None:
    """The exact rule for a list of frequencies with the least absolute sum on Riesz's points.

    A linear program chooses, of the nearest points that reach it, at most as many pairs as there
    are frequencies; the coefficients are then solved for exactly. None where no set of points
    determines them well.
    """
    frequencies = np.array(spectrum.values)
    count = max(pairs, 4 * len(frequencies))
    if spectrum.spacing:
        count = min(count, round(spectrum.maximum / spectrum.spacing))
    shifts = (2 * np.arange(1, count + 1) - 1) * math.pi / (2 * spectrum.maximum)
    table = 2 * np.sin(np.outer(frequencies, shifts)) / frequencies[:, None]
    ones = np.ones(len(frequencies))
    cost = np.tile(1 + _NEARER * np.arange(count), 2)
    found = linprog(cost, A_eq=np.hstack([table, -table]), b_eq=ones)
    if found.x is None:
        return None
    used = np.abs(found.x[:count] - found.x[count:]) > 1e-9 * spectrum.maximum
    weights = np.linalg.lstsq(table[:, used], ones, rcond=None)[0]
    if np.abs(table[:, used] @ weights - ones).max() > 1e-12:
        return None
    return _antisymmetric(RuleKind.LISTED, shifts[used], weights)


def band_rule(maximum: float, margin: float, pairs: int, smoothness: int) -> ShiftRule:
    """A nearly exact rule for every frequency up to the largest, whatever they are.

    Riesz's rule for the wider band of ``(1 + margin) * maximum``, its coefficients damped by a
    power of a sinc so that they fall off fast; the damping leaves frequencies up to ``maximum``
    unchanged. The bias is bounded by the coefficients that are left out.
    """
    wide = (1 + margin) * maximum
    odd = 2 * np.arange(100 * pairs) + 1.0
    shifts = odd * math.pi / (2 * wide)
    damping = np.sinc(margin * maximum * shifts / (smoothness * math.pi)) ** smoothness
    weights = 4 * wide / (math.pi * odd) ** 2 * damping * np.where(odd % 4 == 1, 1.0, -1.0)
    far = (smoothness / (margin * maximum * shifts[-1])) ** smoothness  # above all later damping
    rest = 2 * np.abs(weights[pairs:]).sum() + 2 * wide / (math.pi**2 * len(odd)) * far
    return _antisymmetric(RuleKind.BAND, shifts[:pairs], weights[:pairs], float(rest))


def finite_rule(maximum: float, shots: float, deviation: float, norm: float) -> ShiftRule:
    """A pair of points at the distance where variance and the bound of the bias balance best.

    The bias is at most shift**2 / 6 times the third derivative, which by Bernstein's inequality is
    at most maximum**3 times the largest absolute value of the loss.
    """
    noise = 18 * deviation**2 / (shots * norm**2) if norm else math.inf
    shift = min(noise ** (1 / 6), math.pi) / maximum
    return _antisymmetric(
        RuleKind.FINITE, np.array([shift]), np.array([0.5 / shift]), maximum**3 * shift**2 / 6
    )
