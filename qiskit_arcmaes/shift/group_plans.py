"""Shots of a job of pairs, divided over circuits and measurement groups by what they scatter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import MeasurementPlan
from qiskit_arcmaes.shift.group_rules import GroupRules
from qiskit_arcmaes.shift.scatter import Scatter
from qiskit_arcmaes.shift.spectral_params import GroupParams

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlannedPairs:
    """What a planned job consists of: its memo.

    Attributes:
        expected: Expected shots of each slot in each group, on each side, shape (slots, groups).
        shots: The shots, integers, of the same shape.
        centre_shots: Shots of the centre, by cones and as a whole, shape (2, groups); all 0 where
            it is not measured.
        unit: Shots come in multiples of this.
    """

    expected: Array
    shots: Integers
    centre_shots: Integers
    unit: int = 1

    @property
    def chances(self) -> Array:
        """Probability that each slot and group gets any shot, shape (slots, groups)."""
        return np.asarray(np.minimum(self.expected / self.unit, 1.0))


def divide_pairs(total: float, rules: GroupRules, scatter: Scatter, params: GroupParams) -> Array:
    """Expected shots of each slot in each group, on each side, shape (slots, groups).

    Every class of angles gets the same total. Within it shots go where they reduce the variance of
    its slopes most: in proportion to the root of the sum over its angles of
    (weight · deviation of one shot)².

    Args:
        total: Shots of all pairs, both sides.
        rules: The pairs.
        scatter: What single shots scatter.
        params: The floor of that scatter.
    """
    squares = np.zeros((rules.slots, rules.prior.shape[1]))
    variances = scatter.floored(rules, params)[rules.angle]
    np.add.at(squares, rules.slot, np.square(rules.weights)[:, None] * variances)
    roots = np.sqrt(squares)
    of_class = np.bincount(rules.classes, roots.sum(axis=1))
    share = roots / of_class[rules.classes][:, None]
    return np.asarray(total / 2 / len(of_class) * share)


def divide_centre(
    total: float, rules: GroupRules, scatter: Scatter, unit: int, params: GroupParams
) -> Integers:
    """Shots of the centre in each group, shape (2, groups): by cones, and as a whole.

    Each group gets at least one unit, so that no part of the value is missing.

    Args:
        total: Shots of the centre; 0 where it is not measured.
        rules: The pairs.
        scatter: What single shots scatter.
        unit: Shots come in multiples of this.
        params: The floor of that scatter.
    """
    roots = np.sqrt(scatter.floored_totals(rules, params))
    if total <= 0:
        return np.zeros((2, len(roots)), dtype=np.int64)
    units = np.maximum(np.rint(total / 2 / unit * roots / roots.sum()), 1)
    return np.tile(np.asarray(unit * units, dtype=np.int64), (2, 1))


def whole_shots(expected: Array, unit: int, rng: np.random.Generator) -> Integers:
    """Round expected shots to multiples of a unit, by systematic sampling of the remainders.

    Each row keeps its total up to one unit, and every entry its expectation.

    Args:
        expected: Shape (rows, groups).
        unit: An integer >= 1.
        rng: Draws one number per row.

    Example:
        >>> drawn = whole_shots(np.array([[2.5, 0.25, 1.25]]), 1, np.random.default_rng(1))
        >>> int(drawn.sum())
        4
    """
    scaled = expected / unit
    floors = np.floor(scaled)
    ends = np.cumsum(scaled - floors, axis=1)
    offset = rng.random((len(expected), 1))
    steps = np.diff(np.floor(ends + offset + 1e-12), axis=1, prepend=0.0)
    return np.asarray(unit * (floors + steps), dtype=np.int64)


def plan_pairs(
    centre: Array,
    total: float,
    centre_total: float,
    rules: GroupRules,
    scatter: Scatter,
    unit: int,
    rng: np.random.Generator,
    params: GroupParams,
) -> tuple[MeasurementPlan, PlannedPairs]:
    """Plan a job: both points of every slot, then the centre by cones and as a whole.

    Args:
        centre: In radians, shape (d,).
        total: Shots of all pairs.
        centre_total: Shots of the centre; 0 where it is not measured.
        rules: The pairs.
        scatter: What single shots scatter.
        unit: Shots come in multiples of this.
        rng: Draws the remainders.
        params: Parameters of planned measurement.
    """
    expected = divide_pairs(total, rules, scatter, params)
    middle = divide_centre(centre_total, rules, scatter, unit, params)
    memo = PlannedPairs(expected, whole_shots(expected, unit, rng), middle, unit)
    middle_points = centre + rules.offsets
    points = np.stack([middle_points + rules.steps, middle_points - rules.steps], axis=1)
    slots = np.arange(rules.slots)
    plan = MeasurementPlan(
        points=np.concatenate([points.reshape(-1, rules.dim), centre[None], centre[None]]),
        shots=np.concatenate([np.repeat(memo.shots, 2, axis=0), memo.centre_shots]),
        partition=np.concatenate([np.repeat(slots, 2), [rules.slots, rules.slots + 1]]),
        parts=rules.parts,
    )
    return plan, memo
