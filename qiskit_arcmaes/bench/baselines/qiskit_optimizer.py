"""Running an optimizer of qiskit-algorithms within a budget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms.optimizers import Optimizer

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.seeding import qiskit_seed
from qiskit_arcmaes.bench.budget_oracle import BudgetSpent

Objective = Callable[[NDArray[np.float64]], object]


def run_optimizer(
    optimizer: Optimizer, loss: Loss, start: Start, seed: int, objective: Objective | None = None
) -> Recommendation:
    """Minimise until the optimizer ends or the budget is spent.

    Args:
        optimizer: Of qiskit-algorithms.
        loss: The loss; knows what the optimizer would return now.
        start: Where it begins.
        seed: Of the randomness of qiskit-algorithms, >= 0.
        objective: What the optimizer calls, if it is not the loss itself.

    Raises:
        CouldNotStart: The budget does not pay its first step.
    """
    with qiskit_seed(seed):
        try:
            result = optimizer.minimize(objective or loss, np.array(start.x0) / loss.unit)
        except BudgetSpent:
            return loss.spent_recommendation()
    loss.settle(result.x)
    message = f"Ended after {result.nfev} evaluations of its own count."
    return Recommendation(loss.recommendation, float(result.fun), message=message)
