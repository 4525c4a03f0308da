"""The methods of this package as solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.api import BudgetTooSmallError, prepare
from qiskit_arcmaes.bench.oracles import BudgetOracle
from qiskit_arcmaes.bench.rivals.contract import Answer, Start
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.engine.run import Run

_LEAST_SHOTS = ("ar-paper", "ar-literal")  # their names' M is the least one


@dataclass(frozen=True)
class Own:
    """One of the methods of ``qiskit_arcmaes.minimize``.

    On a circuit's angles ``ar`` chooses its form as ``ARCMAES`` does within Qiskit's algorithms;
    all methods see the angles as circles, as they do for circuits that report bounds of one turn.

    Attributes:
        name: What it is called in tables.
        method: As ``minimize`` takes it.
        model: As ``minimize`` takes it.
        popsize: Population size, None for the default of the method.
        shots: The first M (the fixed one of ``cma``, ``lra`` and ``psa``, the least one of the
            paper's ``ar``, whose M may stay at 1 for good), None for the default.
    """

    name: str
    method: str
    model: str | None = None
    popsize: int | None = None
    shots: int | None = None

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Answer:
        """Run the method; its last estimate of the answer is part of the budget."""

        def note(nfev: int, x: NDArray[np.float64], fun: float, std: float, shots: int) -> None:
            oracle.note(x)

        try:
            run = self.prepare(oracle, start, seed)
        except BudgetTooSmallError as error:
            return refusal(start, error)
        run.callback = note
        return conclude(run.go(), oracle)

    def prepare(self, oracle: BudgetOracle, start: Start, seed: int) -> Run:
        """The run before its first job.

        Raises:
            BudgetTooSmallError: What is left does not pay one generation.
        """
        return prepare(
            oracle,
            start.x0,
            max_shots=oracle.left,
            method=self.method,
            model=self.model,
            sigma0=start.sigma0,
            bounds=start.bounds,
            periodic=_circles(start),
            popsize=self.popsize,
            shots=self.shots,
            min_shots=(self.shots or 1) if self.method in _LEAST_SHOTS else 1,
            seed=seed,
        )


def refusal(start: Start, error: BudgetTooSmallError) -> Answer:
    """The answer of a run that cannot begin: its start."""
    return Answer(start.inside(start.x0), message=str(error))


def conclude(result: Result, oracle: BudgetOracle) -> Answer:
    """The answer of a run that has ended, told to its oracle too."""
    oracle.note(result.x)
    return Answer(result.x, _known(result.fun), _known(result.fun_std), result.message)


def _circles(start: Start) -> bool | None:
    """Angles turn full circles: without that, noise widens an evolution strategy without end."""
    return True if start.angles and start.bounds is None else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
