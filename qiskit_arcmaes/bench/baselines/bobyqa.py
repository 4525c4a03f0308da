"""Py-BOBYQA: quadratic interpolation in a trust region, with its settings for noise.

References:
    C. Cartis, J. Fiala, B. Marteau, L. Roberts, "Improving the flexibility and robustness of
    model-based derivative-free optimization solvers", ACM TOMS 45, 32 (2019).
"""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes.bench.baselines.contract import (
    AtFixedShots,
    CouldNotStart,
    Recommendation,
    Start,
)
from qiskit_arcmaes.bench.baselines.loss import Loss, Lowest
from qiskit_arcmaes.bench.baselines.seeding import numpy_seed
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

_LAST_RADIUS = 1e-10  # in units of the first
_FULL_MODEL = 10  # coordinates up to which the model is a full quadratic


class BOBYQA(AtFixedShots):
    """``pybobyqa.solve(objfun_has_noise=True)``, which restarts where noise stalls it."""

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        import pybobyqa  # optional: documentation and tests read this module without it

        loss = Loss(oracle, start, self.shots)
        points = _interpolation_points(len(start.x0))
        least = points + 1  # evaluations of a model and of a step
        if loss.affordable < least:
            raise CouldNotStart(
                f"{oracle.budget} shots do not pay the {least} evaluations of a model and a step."
            )
        with numpy_seed(seed):
            result = pybobyqa.solve(
                Lowest(loss),
                np.array(start.x0),
                npt=points,
                rhobeg=start.sigma0,
                rhoend=_LAST_RADIUS * start.sigma0,
                maxfun=loss.affordable,
                objfun_has_noise=True,
                do_logging=False,
            )
        if result.x is not None:
            loss.settle(result.x)
        return Recommendation(loss.recommendation, message=f"Py-BOBYQA ended: {result.msg}.")


def _interpolation_points(dim: int) -> int:
    """A full quadratic, its default under noise, up to d = 10; beyond that a run takes minutes.

    Example:
        >>> _interpolation_points(10), _interpolation_points(20)
        (66, 41)
    """
    return (dim + 1) * (dim + 2) // 2 if dim <= _FULL_MODEL else 2 * dim + 1
