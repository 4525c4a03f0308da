"""Slopes by parameter-shift rules that are exact for the frequencies of the circuit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.rotations import Spectrum, best_rule

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ShiftTable:
    """The pairs of shifted points of all coordinates: weight times (f(x + s) - f(x - s)).

    Attributes:
        owners: The coordinate that each pair shifts, shape (pairs,).
        shifts: By how much, shape (pairs,).
        weights: Weight of each difference, shape (pairs,).
        shares: Share of the shots of its coordinate that each pair gets: the least variance has
            shots in proportion to the size of the weights, shape (pairs,).
    """

    owners: NDArray[np.int_]
    shifts: Array
    weights: Array
    shares: Array

    def points(self, x: Array, pairs: NDArray[np.int_]) -> Array:
        """The points of some pairs: all upper ones, then all lower ones."""
        steps = np.zeros((len(pairs), len(x)))
        steps[np.arange(len(pairs)), self.owners[pairs]] = self.shifts[pairs]
        return np.concatenate([x + steps, x - steps])


def shift_table(spectra: tuple[Spectrum, ...]) -> ShiftTable:
    """The exact rules of all coordinates, nearly exact ones where frequencies are too many.

    Example:
        >>> from qiskit_arcmaes.rotations import listed
        >>> table = shift_table((listed([1.0]), listed([1.0, 2.0])))
        >>> table.owners.tolist(), table.weights.round(3).tolist()
        ([0, 1, 1], [0.5, 0.854, -0.146])
    """
    owners, shifts, weights, shares = [], [], [], []
    for coordinate, spectrum in enumerate(spectra):
        rule = best_rule(spectrum)
        upper = rule.shifts > 0
        sizes = np.abs(rule.coefficients[upper])
        owners += [coordinate] * int(upper.sum())
        shifts += rule.shifts[upper].tolist()
        weights += rule.coefficients[upper].tolist()
        shares += (sizes / sizes.sum()).tolist()
    return ShiftTable(
        np.array(owners, dtype=int), np.array(shifts), np.array(weights), np.array(shares)
    )


def measure_slopes(
    oracle: BudgetOracle, table: ShiftTable, x: Array, shots: float, rng: np.random.Generator
) -> Array:
    """Unbiased slopes from about ``shots`` shots on each side of every coordinate.

    A pair whose share is below one shot is measured with that probability, and then counts for
    one over it.

    Args:
        oracle: What is measured.
        table: The pairs.
        x: The point, shape (d,).
        shots: Shots of the upper points of a coordinate together, and of the lower ones.
        rng: Draws the fractions.
    """
    expected = shots * table.shares
    counts = np.floor(expected + rng.uniform(size=len(expected))).astype(int)
    pairs = np.flatnonzero(counts)
    slopes = np.zeros(len(x))
    if len(pairs):
        both = np.tile(counts[pairs], 2).tolist()
        values = oracle.evaluate_each(table.points(x, pairs), both).values
        upper, lower = values.reshape(2, -1)
        scale = table.weights[pairs] / np.minimum(expected[pairs], 1.0)
        np.add.at(slopes, table.owners[pairs], scale * (upper - lower))
    return slopes


def step_price(oracle: BudgetOracle, table: ShiftTable, shots: float) -> float:
    """Shots that one call of ``measure_slopes`` takes, on average."""
    return oracle.price(2).at(1) * shots * float(table.shares.sum())
