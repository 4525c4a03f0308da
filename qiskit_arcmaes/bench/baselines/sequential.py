"""Sequential minimisation with several frequencies: each coordinate to the minimum of its series.

The generalisation of NFT to parameters that turn several rotations.

References:
    K. M. Nakanishi, K. Fujii, S. Todo, "Sequential minimal optimization for quantum-classical
    hybrid algorithms", Physical Review Research 2, 043158 (2020), section II.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import AtFixedShots, Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.requirements import frequency_count
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent
from qiskit_arcmaes.rotations import Spectrum

Array = NDArray[np.float64]

_RESET = 32  # steps after which the value of the current point is measured anew, NFT's own
_GRID = 32  # points per shortest wave, from which the minimum is refined
_REFINEMENTS = 8


class Sequential(AtFixedShots):
    """Coordinates in turn, 2R evaluations for R frequencies, the current value carried over."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        assert oracle.spectra is not None
        loss = Loss(oracle, start, self.shots)
        x = np.array(start.x0)
        coordinates = [i for i, spectrum in enumerate(oracle.spectra) if spectrum.maximum > 0]
        value = np.nan
        step = 0
        try:
            while True:
                place = coordinates[step % len(coordinates)]
                if step % _RESET == 0:
                    value = float(loss(x[None])[0])
                move, value = _best_move(loss, x, place, oracle.spectra[place], value)
                x[place] += move
                loss.settle(x)
                step += 1
        except BudgetSpent:
            return loss.spent_recommendation()


def _best_move(
    loss: Loss, x: Array, place: int, spectrum: Spectrum, value: float
) -> tuple[float, float]:
    """How far to move one coordinate, and the value expected there."""
    count = int(frequency_count(spectrum))
    shifts = 2 * np.pi / spectrum.spacing * np.arange(1, 2 * count + 1) / (2 * count + 1)
    points = np.tile(x, (2 * count, 1))
    points[:, place] += shifts
    values = np.concatenate([[value], loss(points)])
    return minimum_of_series(values, spectrum.spacing)


def minimum_of_series(values: Array, spacing: float) -> tuple[float, float]:
    """The lowest point of the trigonometric polynomial through equidistant values.

    Args:
        values: At 2R + 1 equidistant points of one period, the first at 0.
        spacing: The lowest frequency.

    Returns:
        Where, from minus to plus half a period, and the value there.

    Example:
        >>> angles = 2 * np.pi * np.arange(5) / 5
        >>> where, lowest = minimum_of_series(-np.cos(angles - 1.0), 1.0)
        >>> round(where, 6), round(lowest, 6)
        (1.0, -1.0)
    """
    count = len(values) // 2
    waves = np.fft.rfft(values) / len(values)
    orders = np.arange(1, count + 1)

    def series(angle: Array) -> Array:
        turned = np.exp(1j * np.multiply.outer(angle, orders))
        return np.asarray(waves[0].real + 2 * (turned @ waves[1:]).real)

    grid = np.linspace(-np.pi, np.pi, _GRID * count, endpoint=False)
    width = grid[1] - grid[0]
    best = float(grid[np.argmin(series(grid))])
    for _ in range(_REFINEMENTS):
        near = best + width * np.linspace(-1, 1, 9)
        best = float(near[np.argmin(series(near))])
        width /= 4
    return best / spacing, float(series(np.array([best]))[0])
