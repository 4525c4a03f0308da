"""What every solver of the benchmarks keeps to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.domain import Domain, make_domain

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Start:
    """Where a solver begins, the same for all of them.

    Attributes:
        x0: The first point, shape (d,).
        sigma0: The first step size of methods that have one, > 0, in the units of x.
        bounds: One (lower, upper) pair per coordinate, None for no bounds.
        angles: Whether the coordinates are angles of a circuit's gates, in radians.
        periods: Periods of the loss that methods may wrap coordinates by, 0 where there is none;
            None where all are 2π for angles, and none otherwise.
    """

    x0: Array
    sigma0: float
    bounds: Sequence[Any] | None = None
    angles: bool = False
    periods: tuple[float, ...] | None = None

    @cached_property
    def domain(self) -> Domain:
        """Bounds and periodic coordinates."""
        return make_domain(len(self.x0), self.bounds)

    def inside(self, points: ArrayLike) -> Array:
        """The points repaired onto the bounds, periodic coordinates wrapped."""
        return self.domain.wrap(self.domain.repair(np.asarray(points, dtype=float)))


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What a solver returns.

    Attributes:
        x: The point that it recommends, shape (d,), within the bounds.
        value: The loss there as the solver reports it, None where it reports none.
        std: The standard error of ``value`` that it reports, None where it reports none.
        message: Why it ended, in a sentence.
    """

    x: Array
    value: float | None = None
    std: float | None = None
    message: str = ""


class CouldNotStart(Exception):  # noqa: N818 - it is an outcome of a run, and no error
    """The budget does not pay the first step of a solver: there is nothing to score."""


@dataclass(frozen=True)
class AtFixedShots:
    """What solvers have that take the same number of shots for every evaluation.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation.
    """

    name: str
    shots: int


class Solver(Protocol):
    """Minimises what a budgeted oracle measures.

    Attributes:
        name: Name in tables, the shots per evaluation included.
    """

    @property
    def name(self) -> str:
        """See above."""
        ...

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """Spend the budget, or what the method wants of it.

        Args:
            oracle: What is measured; it refuses what cannot be paid.
            start: The first point and step.
            seed: Of the solver's own randomness, >= 0.

        Raises:
            CouldNotStart: The budget does not pay its first step.
        """
        ...
