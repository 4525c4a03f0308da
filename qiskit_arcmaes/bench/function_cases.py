"""Which cases of the test-bed run: drawn by hash from a grid, before any run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from qiskit_arcmaes.bench.testbed import digest

DIMS = (2, 5, 10, 20, 40)
TAUS = (0.0, 0.01, 1.0, 10.0)
BUDGETS = (10**3, 10**4, 10**5, 10**6, 10**7)


@dataclass(frozen=True)
class Case:
    """One cell of the grid.

    Attributes:
        function: Name in the test-bed.
        dim: Number of coordinates.
        tau: Standard deviation of one shot.
        budget: Shots.

    Example:
        >>> Case("bbob_sphere", 5, 0.01, 1000).key
        'bbob_sphere/5/0.01/1000'
    """

    function: str
    dim: int
    tau: float
    budget: int

    @property
    def key(self) -> str:
        """What is hashed."""
        return f"{self.function}/{self.dim}/{self.tau:g}/{self.budget}"


def drawn_cases(functions: Sequence[str], count: int) -> tuple[Case, ...]:
    """Draw cases from the grid of some functions; which, follows from their names alone.

    Args:
        functions: Names in the test-bed.
        count: How many; those with the lowest hashes are taken.

    Example:
        >>> len(drawn_cases(("bbob_sphere", "own_banana"), 30))
        30
    """
    grid = itertools.starmap(Case, itertools.product(functions, DIMS, TAUS, BUDGETS))
    return tuple(sorted(grid, key=lambda case: digest(case.key))[:count])
