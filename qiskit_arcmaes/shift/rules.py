"""Slopes by shift rules, where the frequencies of the loss are known in every coordinate.

Angles are scaled so that the largest frequency is 1. One frequency: a pair at π/2 is exact. A few:
an exact rule of several pairs. Many: one pair at a finite shift, with a bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations import Spectrum, best_rule
from qiskit_arcmaes.shift.spectral_params import RuleParams

Array = NDArray[np.float64]
Indices = NDArray[np.int_]

_LEAST_ROOM = 0.1  # least shift between narrow bounds, in units of their distance


@dataclass(frozen=True, eq=False)
class SlopeRules:
    """Pairs of points for the slopes of every angle.

    Attributes:
        dim: Number of angles d.
        angle: Which angle each pair shifts, shape (p,), ascending.
        shifts: In radians, shape (p,); the first pairs of an angle are its nearest.
        weights: Weight of each half difference (f(x + s) - f(x - s)) / 2 in its slope, shape (p,).
        finite: Which angles have a pair at a finite shift, shape (d,).
        offsets: Middle of each pair relative to the centre, shape (p,); 0 but at narrow bounds.
    """

    dim: int
    angle: Indices
    shifts: Array
    weights: Array
    finite: NDArray[np.bool_]
    offsets: Array | float = 0.0

    @property
    def rows(self) -> int:
        """Points of all pairs."""
        return 2 * len(self.angle)

    @property
    def factors(self) -> Array:
        """Variance of each slope in units of one shot's / shots per point, shape (d,)."""
        return np.asarray(np.bincount(self.angle, self.weights**2 / 2, self.dim), dtype=float)

    def with_shift(self, shift: float) -> SlopeRules:
        """The same rules with another finite shift in radians."""
        changed = self.finite[self.angle]
        shifts = np.where(changed, shift, self.shifts)
        weights = np.where(changed, 1 / math.sin(shift), self.weights)
        return SlopeRules(self.dim, self.angle, shifts, weights, self.finite)

    def points(self, centre: Array) -> Array:
        """Points of the pairs, shape (2 p, d): above, below, above, ..."""
        axes = np.eye(self.dim)[self.angle]
        middle = centre + np.broadcast_to(self.offsets, self.shifts.shape)[:, None] * axes
        steps = self.shifts[:, None] * axes
        points: Array = np.stack([middle + steps, middle - steps], axis=1).reshape(-1, self.dim)
        return points

    def within(
        self, centre: Array, low: Array, high: Array, narrow: NDArray[np.bool_]
    ) -> SlopeRules:
        """The rules with all pairs of narrow angles between their bounds.

        Such an angle has one pair, at a shift that leaves both points inside; close to a bound its
        middle is a little inside. With one frequency the slope is exact at any shift.

        Args:
            centre: In radians, shape (d,).
            low: Lowest angles, shape (d,).
            high: Highest angles, shape (d,).
            narrow: Which angles have bounds closer than a period, shape (d,).

        Example:
            >>> zero, one = np.array([0]), np.ones(1)
            >>> rules = SlopeRules(1, zero, one, one, np.array([False]))
            >>> low, high = np.array([-1.0]), np.array([1.0])
            >>> for centre in (0.0, 0.75, 1.0):
            ...     near = rules.within(np.array([centre]), low, high, np.array([True]))
            ...     print(near.points(np.array([centre])).ravel().round(2).tolist())
            [1.0, -1.0]
            [1.0, 0.5]
            [1.0, 0.6]
        """
        if not narrow.any():
            return self
        first = np.searchsorted(self.angle, np.arange(self.dim))
        nearest = np.zeros(len(self.angle), dtype=bool)
        nearest[first] = True
        kept = nearest | ~narrow[self.angle]
        angle = self.angle[kept]
        width = np.minimum((high - low)[angle], 4 * math.pi)
        room = np.minimum(centre - low, high - centre)[angle]
        most = np.minimum(width / 2, math.pi / 2)
        inner = np.clip(room, np.minimum(_LEAST_ROOM * width, most), most)
        shifts = np.where(narrow[angle], inner, self.shifts[kept])
        weights = np.where(narrow[angle], 1 / np.sin(inner), self.weights[kept])
        middle = np.clip(centre[angle], low[angle] + inner, high[angle] - inner)
        offsets = np.where(narrow[angle], middle - centre[angle], 0.0)
        return SlopeRules(self.dim, angle, shifts, weights, self.finite, offsets)

    def slopes(self, half_differences: Array) -> Array:
        """Slopes from the half difference of each pair, shape (d,)."""
        summed = np.bincount(self.angle, self.weights * half_differences, self.dim)
        return np.asarray(summed, dtype=float)

    def curvatures(self, means: Array, value: float) -> Array:
        """Curvatures along the axes from the means of the nearest pairs, shape (d,).

        Args:
            means: Mean of each pair, shape (p,).
            value: The loss at the centre.
        """
        first = np.searchsorted(self.angle, np.arange(self.dim))
        near = self.shifts == self.shifts[first][self.angle]
        mean = np.bincount(self.angle, near * means, self.dim) / np.bincount(self.angle[near])
        return np.asarray((mean - value) / (1 - np.cos(self.shifts[first])))


def exact_rules(spectra: tuple[Spectrum, ...], params: RuleParams) -> SlopeRules:
    """Exact rules wherever they have few points, else pairs at a finite shift.

    All points of a job have equal shots, and the nearest pair has most of the weight: of R pairs
    the nearest is measured R + 1 times, which leaves 1.06 (R = 2) to 1.4 (R = 8) of the variance
    of one pair.

    Args:
        spectra: Of the coordinates, each with a maximum > 0.
        params: Most points of an exact rule.

    Example:
        >>> from qiskit_arcmaes.rotations import listed
        >>> rules = exact_rules((listed([3.0]), listed([1.0, 2.0])), RuleParams())
        >>> rules.angle.tolist(), (rules.shifts / np.pi).round(3).tolist()
        ([0, 1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5, 1.5])
        >>> (rules.rows * rules.factors).round(2).tolist()  # a pair in 2 of 10 rows, and 8 of 10
        [5.0, 1.32]
    """
    return _join([_repeated(_exact(spectrum, params)) for spectrum in spectra])


def single_rules(spectra: tuple[Spectrum, ...], params: RuleParams) -> SlopeRules:
    """The same rules with every pair once, where each pair has shots of its own.

    Args:
        spectra: Of the coordinates, each with a maximum > 0.
        params: Most points of an exact rule.
    """
    return _join([_exact(spectrum, params) for spectrum in spectra])


def pair_rules(spectra: tuple[Spectrum, ...], params: RuleParams) -> SlopeRules:
    """One pair per coordinate; with several frequencies its slope is that of a smoothed loss.

    Args:
        spectra: Of the coordinates, each with a maximum > 0.
        params: The shift.
    """
    return _join([_pair(spectrum, params) for spectrum in spectra])


_Rule = tuple[Array, Array, bool]  # shifts and weights of pairs, and whether the shift is finite


def _pair(spectrum: Spectrum, params: RuleParams) -> _Rule:
    """A pair at the first shift, exact for one frequency."""
    return np.array([params.shift]), np.array([1 / math.sin(params.shift)]), not spectrum.two_point


def _exact(spectrum: Spectrum, params: RuleParams) -> _Rule:
    """The exact rule of a spectrum in scaled radians, where it has few points."""
    rule = best_rule(spectrum)
    if len(rule.shifts) > params.most_points or rule.bias_bound > 0:
        return _pair(spectrum, params)
    above = rule.shifts > 0
    order = np.argsort(rule.shifts[above])
    shifts = rule.shifts[above][order] * spectrum.maximum
    weights = 2 * rule.coefficients[above][order] / spectrum.maximum
    return shifts, weights, False


def _repeated(rule: _Rule) -> _Rule:
    """The rule with its nearest pair measured more often, where it has several pairs."""
    shifts, weights, finite = rule
    times = np.ones(len(shifts), dtype=int)
    times[0] += len(shifts) * (len(shifts) > 1)
    return np.repeat(shifts, times), np.repeat(weights / times, times), finite


def _join(rules: list[_Rule]) -> SlopeRules:
    """The rules of all coordinates together."""
    shifts, weights, finite = zip(*rules, strict=True)
    angle = np.repeat(np.arange(len(rules)), [len(each) for each in shifts])
    return SlopeRules(
        len(rules), angle, np.concatenate(shifts), np.concatenate(weights), np.array(finite)
    )


def balanced_shift(shots: float, noise: float, curvature: float, params: RuleParams) -> float:
    """Finite shift in radians at which bias and noise of a slope balance, at most the first one.

    The bias is shift²/6 times the third derivative, which in scaled radians is about the curvature;
    the squared error is least where shift^6 = 18 (variance of one shot) / (shots curvature²).

    Args:
        shots: Shots of the slope over the rest of the run.
        noise: Variance of one shot.
        curvature: Mean absolute curvature, >= 0.
        params: Limits.

    Example:
        >>> round(balanced_shift(18e6, 1.0, 1.0, RuleParams()), 6)
        0.1
    """
    squared = shots * curvature**2
    shift = (18 * noise / squared) ** (1 / 6) if squared > 0 else math.inf
    return min(max(shift, params.least_shift), params.shift)
