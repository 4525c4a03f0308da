"""The possible frequencies of a loss as a function of one parameter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_SAME = 1e-9  # frequencies closer than this share of the largest are one
_DIGITS = 13  # frequencies are rounded to so many decimals: 2.0, not 1.9999999999999996
_FINEST = 4096  # a spacing finer than this part of the largest frequency counts as none


@dataclass(frozen=True)
class Spectrum:
    """Frequencies that a loss can have in one parameter, in radians per unit of the parameter.

    Attributes:
        maximum: No frequency is larger; 0 where the loss does not depend on the parameter.
        spacing: All frequencies are integer multiples of it; 0 where there is no such number.
        values: All possible frequencies above 0, ascending; None where they are too many to list.

    Example:
        >>> spectrum = listed([1.0, 0.5, 0.0])
        >>> spectrum.values, spectrum.spacing, spectrum.period / math.pi
        ((0.5, 1.0), 0.5, 4.0)
        >>> spectrum.two_point, listed([2.0]).two_point
        (False, True)
    """

    maximum: float
    spacing: float
    values: tuple[float, ...] | None = None

    @property
    def period(self) -> float:
        """The period of the loss in the parameter; infinite where frequencies share no spacing.

        Where the loss does not depend on the parameter every period is right; this one is 2 pi.
        """
        if self.maximum == 0:
            return 2 * math.pi
        return 2 * math.pi / self.spacing if self.spacing else math.inf

    @property
    def two_point(self) -> bool:
        """Whether one pair of shifted points gives the exact slope: there is one frequency."""
        return self.values is not None and len(self.values) == 1


def listed(frequencies: ArrayLike) -> Spectrum:
    """The spectrum of a few known frequencies; 0 and negative ones may be among them."""
    values = distinct(np.abs(np.asarray(frequencies, dtype=float)))
    values = np.round(values[values > 0], _DIGITS)
    if not len(values):
        return Spectrum(0.0, 0.0, ())
    return Spectrum(float(values[-1]), common_spacing(values), tuple(values.tolist()))


def one_frequency(frequency: float) -> Spectrum:
    """The spectrum of one rotation; of none where the frequency is 0."""
    value = round(frequency, _DIGITS)
    return Spectrum(value, value, (value,) if value else ())


def distinct(values: Array) -> Array:
    """Sorted values, of which those that agree but for rounding are one."""
    if not values.size:
        return values
    ordered = np.unique(values)
    ordered[ordered < _SAME * ordered[-1]] = 0.0
    new = np.diff(ordered, prepend=-math.inf) > _SAME * max(ordered[-1], 1e-300)
    return np.asarray(ordered[new])


def sums(left: Array, right: Array) -> Array:
    """Frequencies of a product: sums and differences of the factors' frequencies."""
    both = np.concatenate([np.add.outer(left, right), np.abs(np.subtract.outer(left, right))])
    return distinct(both.ravel())


def common_spacing(values: Iterable[float]) -> float:
    """The greatest common divisor of some positive numbers; 0 where there is none.

    Example:
        >>> common_spacing([0.5, 1.25]), common_spacing([1.0, math.sqrt(2)])
        (0.25, 0.0)
    """
    numbers = sorted(values)
    if not numbers:
        return 0.0
    largest, result = numbers[-1], numbers[0]
    for number in numbers[1:]:
        while number > _SAME * largest * 10:
            result, number = number, math.fmod(result, number)
            if number > result * (1 - 1e-6):
                number = 0.0
        if result < largest / _FINEST:
            return 0.0
    return _refined(numbers, result)


def _refined(numbers: list[float], spacing: float) -> float:
    """Remove the rounding errors that the divisions left; 0 when the multiples do not fit."""
    largest = numbers[-1]
    refined = largest / round(largest / spacing)
    multiples = np.array(numbers) / refined
    fits = np.abs(multiples - np.rint(multiples)) < 1e-6
    return float(refined) if fits.all() else 0.0
