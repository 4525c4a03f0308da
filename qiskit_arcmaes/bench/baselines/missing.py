"""A solver whose package is not installed."""

from __future__ import annotations

from dataclasses import dataclass

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle


@dataclass(frozen=True)
class Missing:
    """Stands in tables for what could not run; it is marked, and never scored.

    Attributes:
        name: Name in tables.
        package: What is not installed.
    """

    name: str
    package: str

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``.

        Raises:
            CouldNotStart: Always.
        """
        raise CouldNotStart(f"{self.package} is not installed: pip install {self.package}.")
