"""What a function of the test-bed is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.functions import Array, Formula


@dataclass(frozen=True, eq=False)
class Sketch:
    """A drawn function: its formula, its truth, and the start that a user would give.

    Attributes:
        value: The loss at points of shape (..., d).
        optimum: A minimiser, shape (d,).
        minimum: The loss there.
        lower: Lower edge of the box from which starts are drawn, the same in every coordinate.
        upper: Upper edge.
        step_share: First step size in units of ``upper - lower``.
    """

    value: Formula
    optimum: Array
    minimum: float = 0.0
    lower: float = -5.0
    upper: float = 5.0
    step_share: float = 0.2


Builder = Callable[[int, np.random.Generator], Sketch]
"""Draws a function of a dimension >= 2."""
