"""What a job of pairs about a centre tells, however it was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.slopes import read_pairs

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SlopeReading:
    """Slopes, curvatures and the value at a centre.

    Attributes:
        slopes: Shape (d,); NaN where one failed.
        variances: Of the slopes, shape (d,).
        curvatures: Along the axes, shape (d,); NaN where the centre was not measured.
        value: The loss at the centre; NaN where it was not measured.
        value_variance: Its variance.
        noise: Variance of one evaluation of one shot.
        shots: Evaluations per pair's point, by which curvatures are weighted.
        bounds: The most that one shot can contribute to a slope, shape (d,); 0 where every value
            is a mean of many.
        failed: Whether any measurement failed.
    """

    slopes: Array
    variances: Array
    curvatures: Array
    value: float
    value_variance: float
    noise: float
    shots: float
    bounds: Array
    failed: bool = False


def read_values(
    values: Array, centres: int, shots: int, noise: float, rules: SlopeRules
) -> SlopeReading:
    """Read the values of all pairs, all with the same shots, and of the centre after them.

    A pair with a failed value has no slope; its angle's slope is NaN.

    Args:
        values: Of the pairs and of the centre, NaN where one failed.
        centres: How often the centre is measured, >= 0.
        shots: Shots per value.
        noise: Variance of one shot.
        rules: The shift rules.

    Example:
        >>> from qiskit_arcmaes.rotations import listed
        >>> from qiskit_arcmaes.shift.rules import exact_rules
        >>> from qiskit_arcmaes.shift.spectral_params import RuleParams
        >>> rules = exact_rules((listed([1.0]),), RuleParams())
        >>> points = np.append(rules.points(np.array([0.3])), 0.3)
        >>> reading = read_values(np.sin(points), 1, 100, 0.5, rules)
        >>> bool(np.isclose(reading.slopes[0], np.cos(0.3))), reading.variances.tolist()
        (True, [0.0025])
    """
    pairs, middle = values[: rules.rows], values[rules.rows : rules.rows + centres]
    known = middle[np.isfinite(middle)]
    value = float(known.mean()) if len(known) else math.nan
    above, below = pairs.reshape(-1, 2).T
    read = read_pairs(pairs)
    return SlopeReading(
        slopes=rules.slopes((above - below) / 2),
        variances=noise * rules.factors / shots,
        curvatures=rules.curvatures(read.means, value),
        value=value,
        value_variance=noise / (shots * max(len(known), 1)),
        noise=noise,
        shots=shots,
        bounds=np.zeros(rules.dim),
        failed=bool(np.isnan(pairs).any()),
    )
