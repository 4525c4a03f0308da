"""Runs in lockstep: every generation of all of them, then the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle, note_slot
from qiskit_arcmaes.bench.lockstep.rows import Rows, stack
from qiskit_arcmaes.bench.lockstep.rules import LearningRates, Plain, Rule
from qiskit_arcmaes.engine.result import Stop
from qiskit_arcmaes.engine.run import RESOLUTION, Run
from qiskit_arcmaes.oracles import OracleError
from qiskit_arcmaes.strategies.base import EvolutionStrategy

Array = NDArray[np.float64]
Member = TypeVar("Member")

RULES: dict[str, type[Plain] | type[LearningRates]] = {"cma": Plain, "lra": LearningRates}
"""The methods that have a form for many runs at once."""


def advance(runs: Sequence[Run], oracles: Sequence[BudgetOracle]) -> None:
    """Take runs that have not begun to where only their last estimates are missing.

    The runs may differ in their loss, noise, start and seed. Each draws the numbers that it draws
    by itself, in the same order, and comes to the same points up to rounding, until rounding flips
    the sign of an eigenvector: from then on it has other samples of the same distribution. To the
    last bit it does not depend on the other runs.

    Args:
        runs: As ``engine.prepare.prepare`` makes them, of a method in ``RULES``, without bounds and
            periodic coordinates, with the same method, dimension, population size, shots and
            limits.
        oracles: The oracle of each run; it notes recommendations as the run's callback would.

    Raises:
        OracleError: All values of a job are NaN or infinite.
    """
    _Lockstep(runs, oracles).go()


class _Lockstep:
    def __init__(self, runs: Sequence[Run], oracles: Sequence[BudgetOracle]) -> None:
        self.runs, self.oracles = list(runs), list(oracles)
        methods = [_strategy(run) for run in runs]
        first = methods[0]
        self.popsize, self.weights, self.rates = first.popsize, first.weights, first.rates
        self.shots = max(round(first.state.shots), 1)
        self.rows: Rows = stack([method.state.distribution for method in methods])
        self.rule: Rule = RULES[runs[0].name](self.rows)
        self.cost = oracles[0].price(self.popsize).at(self.shots)
        self.spent = 0
        self.values = np.empty((0, self.popsize))
        for run in runs:
            if _kind(run) != _kind(runs[0]):
                raise ValueError(
                    f"runs must agree to go in lockstep: {_kind(run)}, not {_kind(runs[0])}."
                )

    def go(self) -> None:
        limit = self.runs[0].limits.shots - self.runs[0].reserve
        noted = True  # nothing to tell yet
        while self.runs and self.spent + self.cost <= limit:
            self.rows = self.rule(self.rows, self.rates, self._best_steps(), self.weights)
            self.spent += self.cost
            noted = note_slot(self.spent) != note_slot(self.spent + self.cost)
            if noted:  # of later ones in the same slot, the last is kept
                self._note()
            self._retire(self._collapsed(), Stop.COLLAPSED, noted)
        self._retire(np.ones(len(self.runs), dtype=bool), Stop.BUDGET, noted)

    def _best_steps(self) -> Array:
        """Draw, measure and rank a population of every run; the best steps, best first."""
        rows, parents = self.rows, len(self.weights)
        self._make_room()
        for run, normals in zip(self.runs, self.normals, strict=True):
            run.method.state.rng.standard_normal(out=normals)
        stretches = (rows.basis * rows.scales[:, None, :]).transpose(0, 2, 1)
        np.matmul(self.normals, stretches, out=self.steps)
        points = np.multiply(self.steps, rows.step_size[:, None, None], out=self.normals)
        points += rows.mean[:, None, :]
        for oracle, part, values in zip(self.oracles, points, self.values, strict=True):
            values[:] = oracle.evaluate(part, self.shots).values
        order = ranked(self.values)[:, :parents]
        order += self.popsize * np.arange(len(order))[:, None]
        return self.steps.reshape(-1, rows.mean.shape[1]).take(order, axis=0)

    def _make_room(self) -> None:
        """Arrays for one generation, kept as long as all runs go on."""
        count, dim = self.rows.mean.shape
        if len(self.values) != count:
            self.normals, self.steps = np.empty((2, count, self.popsize, dim))
            self.values = np.empty((count, self.popsize))

    def _collapsed(self) -> NDArray[np.bool_]:
        """Which distributions are points, as far as numbers go."""
        rows = self.rows
        width = rows.step_size * rows.scales[:, -1]
        return np.asarray(width < RESOLUTION * (1e-200 + np.abs(rows.mean).max(axis=1)))

    def _note(self) -> None:
        for oracle, mean in zip(self.oracles, self.rows.mean, strict=True):
            oracle.note(mean)

    def _retire(self, ended: NDArray[np.bool_], why: Stop, noted: bool) -> None:
        """Hand these runs what they came to, and go on without them."""
        if not ended.any():
            return
        for index in np.flatnonzero(ended).tolist():
            if not noted:
                self.oracles[index].note(self.rows.mean[index])
            self._hand_over(self.runs[index], index, why)
        chosen = np.flatnonzero(~ended)
        self.rule.keep(chosen)
        self.rows = _kept(self.rows, chosen)
        self.runs, self.oracles = _those(self.runs, chosen), _those(self.oracles, chosen)

    def _hand_over(self, run: Run, index: int, why: Stop) -> None:
        generation = self.rows.generation
        _strategy(run).state.distribution = self.rows.row(index)
        run.progress = run.method.report()
        run.ledger.spent, run.ledger.jobs = self.spent, generation
        run.ledger.points = generation * self.popsize
        run.stop = why


def _kind(run: Run) -> tuple[object, ...]:
    """What must be the same for runs to go in lockstep."""
    method = _strategy(run)
    setup = method.setup
    free = not setup.domain.bounded and not setup.domain.periodic.any()
    return (
        *(run.name, setup.dim, setup.popsize, method.state.shots, run.limits, run.reserve),
        *(method.state.distribution.generation, free),
    )


def _strategy(run: Run) -> EvolutionStrategy:
    if not isinstance(run.method, EvolutionStrategy):
        raise TypeError(f"{run.name} has no form for many runs at once.")
    return run.method


def ranked(values: Array) -> NDArray[np.int_]:
    """The order of the values in every row; failed ones come last.

    Args:
        values: Shape (r, n).

    Raises:
        OracleError: All values of a row are NaN or infinite.

    Example:
        >>> ranked(np.array([[3.0, -np.inf, 1.0], [1.0, 2.0, 0.0]]))
        array([[2, 0, 1],
               [2, 0, 1]])
    """
    failed = ~np.isfinite(values)
    if failed.any():
        if failed.all(axis=1).any():
            raise OracleError(f"all {values.shape[1]} values of a job are NaN or infinite.")
        values = np.where(failed, np.nan, values)
    return values.argsort(axis=1)


def _kept(rows: Rows, chosen: NDArray[np.int_]) -> Rows:
    return Rows(
        *(rows.mean[chosen], rows.step_size[chosen], rows.covariance[chosen], rows.basis[chosen]),
        *(rows.scales[chosen], rows.path_sigma[chosen], rows.path_c[chosen], rows.generation),
    )


def _those(members: Sequence[Member], chosen: NDArray[np.int_]) -> list[Member]:
    return [members[index] for index in chosen.tolist()]
