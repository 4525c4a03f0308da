"""The methods of this package as solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.engine.prepare import BudgetTooSmallError, prepare
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.engine.run import Run
from qiskit_arcmaes.settings import Settings

_LEAST_SHOTS = ("ar-paper", "ar-literal")  # the M in their names is the least one


@dataclass(frozen=True)
class PackageMethod:
    """One of the methods of ``qiskit_arcmaes.minimize``.

    On a circuit's angles ``frugal`` chooses its form as ``ShotFrugal`` does within Qiskit's
    algorithms; all methods see the angles as periodic, as they do for circuits that report bounds
    of one turn, and by default chooses its own first step.

    Attributes:
        name: Name in tables.
        method: As ``minimize`` takes it.
        popsize: Population size, None for the default of the method.
        shots: The first M (the fixed one of ``cma``, ``lra`` and ``psa``, the least one of
            ``ar-paper`` and ``ar-literal``, whose M may stay at 1 otherwise), None for the default.
        jobs: Most jobs, the last estimate included; None for any number.
    """

    name: str
    method: str
    popsize: int | None = None
    shots: int | None = None
    jobs: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """Run the method; the last estimate of its recommendation is part of the budget."""

        def note(nfev: int, x: NDArray[np.float64], fun: float, std: float, shots: int) -> None:
            oracle.note(x)

        run = self._prepare(oracle, start, seed)
        run.callback = note
        return _conclude(run.run(), oracle)

    def _prepare(self, oracle: BudgetOracle, start: Start, seed: int) -> Run:
        """The run before its first job.

        Raises:
            CouldNotStart: What is left does not pay one iteration.
        """
        settings = Settings(
            max_shots=oracle.left,
            method=self.method,
            sigma0=None if self.method == "frugal" and start.angles else start.sigma0,
            bounds=start.bounds,
            periodic=_periodic(start),
            popsize=self.popsize,
            shots=self.shots,
            min_shots=(self.shots or 1) if self.method in _LEAST_SHOTS else 1,
            max_jobs=self.jobs,
            seed=seed,
            on_interrupt="raise",
        )
        try:
            return prepare(oracle, start.x0, settings)
        except BudgetTooSmallError as error:
            raise CouldNotStart(str(error)) from error


def _conclude(result: Result, oracle: BudgetOracle) -> Recommendation:
    """The recommendation of a run that has ended; its oracle notes it too."""
    oracle.note(result.x)
    return Recommendation(result.x, _known(result.fun), _known(result.fun_std), result.message)


def _periodic(start: Start) -> bool | tuple[float, ...] | None:
    """Angles are periodic: without that, noise widens an evolution strategy without end."""
    if not start.angles or start.bounds is not None:
        return None
    return True if start.periods is None else start.periods


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
