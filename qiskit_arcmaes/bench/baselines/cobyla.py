"""COBYLA of qiskit-algorithms (SciPy's)."""

from __future__ import annotations

from dataclasses import dataclass

from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.baselines.contract import (
    AtFixedShots,
    CouldNotStart,
    Recommendation,
    Start,
)
from qiskit_arcmaes.bench.baselines.loss import Loss, Lowest
from qiskit_arcmaes.bench.baselines.qiskit_optimizer import run_optimizer
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

_LAST_RADIUS = 1e-6  # in units of the first


class COBYLA(AtFixedShots):
    """Linear approximation in a shrinking trust region; it ends by itself when that is small."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        loss = Loss(oracle, start, self.shots)
        least = len(start.x0) + 2  # evaluations of its first simplex and of a step
        if loss.affordable < least:
            raise CouldNotStart(
                f"{oracle.budget} shots do not pay the {least} evaluations of a simplex and a step."
            )
        optimizer = optimizers.COBYLA(maxiter=loss.affordable, **_radii(start))
        return run_optimizer(optimizer, loss, start, seed, Lowest(loss))


@dataclass(frozen=True)
class COBYLATutorial:
    """COBYLA as IBM's tutorials run it: some fifty evaluations, which share the budget.

    Attributes:
        name: Name in tables.
        evaluations: How many, from the 25 to 60 of the tutorials; more where d needs them.
    """

    name: str
    evaluations: int = 50

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        count = max(self.evaluations, len(start.x0) + 2)
        shots = max(oracle.affordable(1) // count, 1)
        return COBYLA(self.name, shots).solve(oracle, start, seed)


def _radii(start: Start) -> dict[str, float]:
    """First and last radius: its own for angles, as tutorials have it, else by the first step."""
    if start.angles:
        return {}
    return {"rhobeg": start.sigma0, "tol": _LAST_RADIUS * start.sigma0}
