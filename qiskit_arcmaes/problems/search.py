"""The lowest energy a circuit can reach, by noise-free descents from many random starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from qiskit_arcmaes.problems.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Best:
    """What the search found.

    Attributes:
        energy: The lowest energy.
        parameters: The point that has it, shape (d,).
        energies: Where every descent ended, sorted, shape (starts,).
    """

    energy: float
    parameters: Array
    energies: Array


def search_best(model: Model, *, starts: int, seed: int, max_iterations: int = 2000) -> Best:
    """Descend with exact gradients (BFGS) from random starts.

    Args:
        model: What to minimise.
        starts: Number of descents, at least 1.
        seed: Seed of the random starts.
        max_iterations: Where each descent stops at the latest.

    Returns:
        The lowest point, and all final energies, which tell how sure it is.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> problem = get_problem("h2")
        >>> best = search_best(problem, starts=3, seed=1)
        >>> bool(abs(best.energy - problem.best_energy) < 1e-9)
        True
    """
    if starts < 1:
        raise ValueError(f"starts must be at least 1, not {starts}.")

    def energy_and_gradient(point: Array) -> tuple[float, Array]:
        energies, gradients = model.energy_and_gradient(point)
        return float(energies[0]), gradients[0]

    rng = np.random.default_rng(seed)
    runs = [
        minimize(
            energy_and_gradient,
            model.start(rng),
            jac=True,
            method="BFGS",
            options={"gtol": 1e-9, "maxiter": max_iterations},
        )
        for _ in range(starts)
    ]
    best = min(runs, key=lambda run: float(run.fun))
    return Best(float(best.fun), np.asarray(best.x), np.sort([float(run.fun) for run in runs]))
