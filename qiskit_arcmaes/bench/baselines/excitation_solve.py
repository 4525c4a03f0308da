"""ExcitationSolve: one excitation at a time, each to the minimum of its Fourier series.

References:
    J. Jäger, T. N. Kaldenbach, M. Haas, E. Schultheis, "Fast gradient-free optimization of
    excitations in variational quantum eigensolvers", arXiv:2409.05939 (2024).
"""

from __future__ import annotations

import numpy as np
from excitationsolve import ExcitationSolveScipy
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import AtFixedShots, Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent

Array = NDArray[np.float64]

_SWEEPS = 10**6  # more than any budget pays


class ExcitationSolve(AtFixedShots):
    """The package's optimizer for SciPy at its defaults for Qiskit, four evaluations per step."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``; it draws nothing at random."""
        loss = Loss(oracle, start, self.shots)
        solver = ExcitationSolveScipy(maxiter=_SWEEPS, tol=0.0, save_parameters=True)
        seen = 0

        def value(x: Array) -> float:
            nonlocal seen
            if len(solver.params_lst) > seen:  # a step was made since the last evaluation
                seen = len(solver.params_lst)
                loss.settle(solver.params_lst[-1])
            return float(loss(x))

        try:
            solver.minimize(value, np.array(start.x0))
        except BudgetSpent:
            return loss.spent_recommendation()
        loss.settle(solver.params_lst[-1])
        return Recommendation(loss.recommendation, message="Two sweeps gave the same energy.")
