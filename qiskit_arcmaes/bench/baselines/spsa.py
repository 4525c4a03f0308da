"""SPSA and QNSPSA of qiskit-algorithms, with their own calibration, paid like all else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms import optimizers

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.qiskit_optimizer import run_optimizer
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

Array = NDArray[np.float64]

_CALIBRATION = 50  # evaluations before the first step
_SCATTER = 25  # evaluations of the start, by which steps upwards are judged
_LAST = 1  # evaluation of the recommendation
_FIRST_STEP = 0.2 * np.pi  # to which its calibration sets the first step


class _Watch:
    """A termination checker that only looks: a callback would cost an evaluation per step."""

    def __init__(self, loss: Loss) -> None:
        self._loss = loss

    def __call__(self, nfev: int, x: Array, fun: float, step: float, accepted: bool) -> bool:
        self._loss.settle(x)
        return False


@dataclass(frozen=True)
class SPSA:
    """Simultaneous perturbation, two evaluations per step, as many steps as the budget pays.

    Its calibration sets the first step to a tenth of a turn; lengths are measured in units in which
    this is the first step size of all methods (on circuits it is).

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation; with ``jobs`` as many as the budget pays.
        jobs: Most jobs: one calibrates, one makes each step, the last measures the answer.
    """

    name: str
    shots: int
    jobs: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, self._shots(oracle), unit=start.sigma0 / _FIRST_STEP)
        steps = max((loss.affordable - _CALIBRATION - _LAST) // 2, 1)
        if self.jobs is not None:
            steps = min(steps, max(self.jobs - 2, 1))
        optimizer = optimizers.SPSA(maxiter=steps, termination_checker=_Watch(loss))
        optimizer.set_max_evals_grouped(_CALIBRATION)
        return run_optimizer(optimizer, loss, start, seed)

    def _shots(self, oracle: BudgetOracle) -> int:
        if self.jobs is None:
            return self.shots
        evaluations = _CALIBRATION + 2 * max(self.jobs - 2, 1) + _LAST
        return max(oracle.affordable(1) // evaluations, 1)


@dataclass(frozen=True)
class QNSPSA:
    """Quantum natural SPSA: fidelities of states and evaluations; all are paid.

    A step takes three evaluations (two for the slope, one to accept it) and four fidelities, each
    of one circuit in one basis.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation, and per fidelity.
    """

    name: str
    shots: int

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, self.shots)

        def fidelity(left: Array, right: Array) -> Array:
            rows = start.inside(np.atleast_2d(left)), start.inside(np.atleast_2d(right))
            return oracle.fidelities(rows[0], rows[1], self.shots)

        evaluation = oracle.price(1).at(self.shots)
        before = (_CALIBRATION + _SCATTER + 1 + _LAST) * evaluation
        step = 3 * evaluation + 4 * self.shots
        optimizer = optimizers.QNSPSA(
            fidelity,
            maxiter=max((oracle.left - before) // step, 1),
            termination_checker=_Watch(loss),
        )
        optimizer.set_max_evals_grouped(4)
        return run_optimizer(optimizer, loss, start, seed)
