"""CMA-ES of pycma, plain and with its NoiseHandler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cma
import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Start
from qiskit_arcmaes.bench.baselines.loss import Loss
from qiskit_arcmaes.bench.baselines.seeding import numpy_seed
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, BudgetSpent

_SHARE = 0.01  # of the budget, that one generation may take at the most, as in our own ``uh``


@dataclass(frozen=True)
class PyCMA:
    """pycma at fixed shots; the recommendation is its mean.

    Attributes:
        name: Name in tables.
        shots: Shots per evaluation.
        popsize: Population size, None for pycma's own.
    """

    name: str
    shots: int
    popsize: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, self.shots)
        with numpy_seed(seed):
            strategy = _strategy(start, self.popsize)
            try:
                while not _broken(strategy):
                    points = strategy.ask()
                    strategy.tell(points, loss(np.array(points)).tolist())
                    loss.settle(strategy.mean)
            except BudgetSpent:
                return loss.spent_recommendation()
        return Recommendation(loss.recommendation, message=f"pycma stopped: {_broken(strategy)}.")


@dataclass(frozen=True)
class PyCMAUncertainty:
    """pycma with its NoiseHandler, evaluations of a point averaged by their mean.

    The handler re-evaluates some points and raises the evaluations of each, from 1 to what makes
    a generation take 1% of the budget.

    Attributes:
        name: Name in tables.
        popsize: Population size, None for pycma's own.
    """

    name: str
    popsize: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        loss = Loss(oracle, start, 1)
        with numpy_seed(seed):
            strategy = _strategy(start, self.popsize)
            generation = oracle.price(strategy.popsize).at(1)
            most = max(int(_SHARE * oracle.budget) // generation, 1)
            handler = cma.NoiseHandler(strategy.N, [1, 1, most], np.mean, parallel=True)
            try:
                while not _broken(strategy):
                    _generation(strategy, handler, loss)
            except BudgetSpent:
                return loss.spent_recommendation()
        return Recommendation(loss.recommendation, message=f"pycma stopped: {_broken(strategy)}.")


def _generation(strategy: Any, handler: Any, loss: Loss) -> None:
    """One generation and the handler's re-evaluations of it."""

    def again(repeats: tuple[int, NDArray[np.float64]]) -> list[float]:
        loss.shots, point = repeats  # a mean of n values is one value from n shots
        return [float(loss(point))]

    loss.shots = int(handler.evaluations)
    points = strategy.ask()
    values = loss(np.array(points)).tolist()
    strategy.tell(points, values)
    loss.settle(strategy.mean)
    strategy.sigma *= handler(points, values, again, lambda count, x, epsilon: (count, x))


def _strategy(start: Start, popsize: int | None) -> Any:
    options: dict[str, Any] = {"verbose": -9, "seed": np.nan, "verb_log": 0}
    if popsize is not None:
        options["popsize"] = popsize
    return cma.CMAEvolutionStrategy(np.array(start.x0), start.sigma0, options)


def _broken(strategy: Any) -> str:
    """Why the distribution cannot be sampled any more; what noise fakes does not count."""
    reasons = set(strategy.stop()) & {"conditioncov", "noeffectaxis", "noeffectcoord", "tolfacupx"}
    return ", ".join(sorted(reasons))
