"""The choice between shift rules: the least mean squared error per shot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from qiskit_arcmaes.rotations.shift_rules import (
    RuleKind,
    ShiftRule,
    band_rule,
    equidistant_rule,
    finite_rule,
    listed_rule,
    two_point_rule,
)
from qiskit_arcmaes.rotations.spectrum import Spectrum


@dataclass(frozen=True)
class RuleLimits:
    """How large rules may be.

    Attributes:
        pairs: Most pairs of points of a rule: each needs shots of its own.
        band_pairs: Pairs of points of a band rule; with the last its bias is below 2e-5 of the
            largest frequency from a margin of 0.1 on.
        band_margins: By which share of the largest frequency the band may be widened, and with it
            the sum of the coefficients; a wider one needs fewer points.
        smoothness: Power of the sinc that damps the far points of a band rule.
    """

    pairs: int = 64
    band_pairs: tuple[int, ...] = (4, 8, 16, 32)
    band_margins: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4)
    smoothness: int = 3


def best_rule(
    spectrum: Spectrum,
    *,
    shots: float = 1e8,
    deviation: float = 1.0,
    norm: float = 1.0,
    limits: RuleLimits | None = None,
) -> ShiftRule:
    """Choose the rule with the least mean squared error; among equals, with the fewest points.

    Args:
        spectrum: The frequencies of the loss in the parameter.
        shots: Shots that the slope is estimated from. By default more than a run has, so that
            exact rules win wherever there is one.
        deviation: Standard deviation of one shot.
        norm: 1-norm of the observable without its identity, which scales biases.
        limits: How large rules may be.

    Example:
        >>> from qiskit_arcmaes.rotations.spectrum import listed
        >>> rule = best_rule(listed([1.0, 2.0]))
        >>> rule.kind.name, len(rule.shifts), round(rule.variance_factor, 9)
        ('EQUIDISTANT', 4, 4.0)
    """
    rules = candidates(spectrum, shots, deviation, norm, limits or RuleLimits())
    errors = [rule.mean_squared_error(shots, deviation, norm) for rule in rules]
    good = [
        rule for rule, error in zip(rules, errors, strict=True) if error <= 1.0001 * min(errors)
    ]
    return min(good, key=lambda rule: len(rule.shifts))


def candidates(
    spectrum: Spectrum, shots: float, deviation: float, norm: float, limits: RuleLimits
) -> list[ShiftRule]:
    """All rules that serve a spectrum; arguments as in ``best_rule``."""
    if spectrum.maximum == 0:
        return [ShiftRule(RuleKind.CONSTANT, np.zeros(0), np.zeros(0))]
    if spectrum.two_point:
        return [two_point_rule(spectrum.maximum)]
    rules = list(exact_rules(spectrum, limits)) or [
        band_rule(spectrum.maximum, margin, pairs, limits.smoothness)
        for margin in limits.band_margins
        for pairs in limits.band_pairs
    ]
    return [*rules, finite_rule(spectrum.maximum, shots, deviation, norm)]


@lru_cache(maxsize=256)  # the parameters of a circuit share few spectra
def exact_rules(spectrum: Spectrum, limits: RuleLimits) -> tuple[ShiftRule, ...]:
    """The exact rules for several frequencies; none where they are too many."""
    rules = []
    if spectrum.spacing and spectrum.maximum <= (limits.pairs + 0.5) * spectrum.spacing:
        rules.append(equidistant_rule(spectrum.maximum, spectrum.spacing))
    if spectrum.values is not None and len(spectrum.values) <= limits.pairs:
        rule = listed_rule(spectrum, limits.pairs)
        rules.extend([rule] if rule is not None else [])
    return tuple(rules)
