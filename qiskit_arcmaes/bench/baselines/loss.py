"""The oracle as optimizers of other packages call it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

Array = NDArray[np.float64]


class Loss:
    """Points in, values out, always at the same shots; remembers what the recommendation would be.

    Args:
        oracle: What is measured.
        start: Gives the first recommendation, and the bounds into which points are brought.
        shots: Shots per evaluation.
        unit: The optimizer's unit of length; its points are multiplied by it.

    Attributes:
        unit: The same.
        recommendation: The point that the optimizer would return now.
    """

    def __init__(self, oracle: BudgetOracle, start: Start, shots: int, unit: float = 1.0) -> None:
        self.shots = shots
        self.unit = unit
        self.recommendation = start.inside(start.x0)
        self._settled = False
        self._oracle = oracle
        self._start = start

    @property
    def affordable(self) -> int:
        """How many evaluations the budget still pays."""
        return self._oracle.left // self._oracle.price(1).at(self.shots)

    def __call__(self, points: ArrayLike) -> Array:
        """The values at rows of points, shape (n, d); or the value at one, shape (d,)."""
        inside = self._start.inside(self.unit * np.asarray(points))
        values = np.asarray(self._oracle.evaluate(inside, self.shots).values)
        return values if inside.ndim == 2 else values[0]

    def settle(self, x: ArrayLike) -> None:
        """Take a point as the current recommendation, and note it."""
        self.recommendation = self._start.inside(self.unit * np.asarray(x))
        self._settled = True
        self._oracle.note(self.recommendation)

    def spent_recommendation(self) -> Recommendation:
        """What to return when the budget ended the run.

        Raises:
            CouldNotStart: No point was taken as recommendation yet.
        """
        if not self._settled:
            raise CouldNotStart(
                f"{self._oracle.budget} shots do not pay the first step at {self.shots} shots per "
                "evaluation."
            )
        return Recommendation(self.recommendation, message="The shot budget is used.")


class Lowest:
    """The loss at one point; the point of the lowest value so far is the recommendation.

    Args:
        loss: The loss.
    """

    def __init__(self, loss: Loss) -> None:
        self._loss = loss
        self._value = np.inf

    def __call__(self, x: Array) -> float:
        """The value at a point of shape (d,)."""
        value = float(self._loss(x))
        if value < self._value:
            self._value = value
            self._loss.settle(x)
        return value
