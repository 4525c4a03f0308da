"""What can be optimised: everything that estimates a loss at many points from shots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles.plan import GroupEstimate, MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.rotations import Spectrum

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """What an oracle answers.

    Attributes:
        values: The estimated loss at each point, shape (n,). NaN or infinite where a point failed.
        variances: The estimated variance of each value, shape (n,), or None where it is unknown.
        failures: Single shots that failed and were left out of the values.

    Example:
        >>> import numpy as np
        >>> estimate = Estimate(np.array([0.1, 0.4]), variances=np.array([0.01, 0.01]))
        >>> estimate.values.shape, estimate.failures
        ((2,), 0)
    """

    values: Array
    variances: Array | None = None
    failures: int = 0


@dataclass(frozen=True)
class Price:
    """What a job takes from the budget, at the most: ``fixed + per_shot * shots``.

    Attributes:
        fixed: Shots that the job takes whatever its shots per point.
        per_shot: Shots that it takes for each shot per point.

    Example:
        >>> price = Price(fixed=30, per_shot=20)
        >>> price.at(10), price.affordable(1000)
        (230, 48)
    """

    fixed: int
    per_shot: int

    def at(self, shots: int) -> int:
        """The price at a number of shots per point."""
        return self.fixed + self.per_shot * shots

    def affordable(self, budget: int) -> int:
        """The most shots per point that a budget pays; 0 if it pays none."""
        return max((budget - self.fixed) // self.per_shot, 0)


class Oracle(ABC):
    """The contract of everything that can be optimised.

    One call of ``evaluate`` is one job, and one job has one shot count. The paper's re-evaluation
    count M *is* ``shots``.

    Attributes:
        reports_variances: Whether every estimate comes with variances that can be trusted.
        min_shots: The fewest shots per point that make sense, >= 1.
        advised_shots: Shots per point below which the loss may be another one, >= 1, where the
            oracle cannot tell: the least M where the budget pays for it and the user says none.
        angles: Whether the loss is a trigonometric polynomial of every coordinate, as that of a
            circuit's rotation angles is.
        spectra: The angular frequencies that the loss can have in each coordinate, where they are
            known: those of a circuit's plain expectation value; None where they are not.
        mean_loss: The mean of the loss over random points, where it is known: the coefficient of
            the identity in an observable. A start that lies clearly below it is an informed one.
        circuit_frequencies: The largest angular frequency of each coordinate in what the loss's
            circuit measures, shape (d,), where it is known: also where the loss transforms the
            values, so that ``spectra`` are not known. A scale for shifts, no bound.
        circuit: Where the loss is a circuit's plain expectation value and can be measured by group:
            cones and groups of its terms; then ``measure`` and ``price_plan`` serve plans.
        few_jobs: Whether a job costs time whatever its shots, so that the default shots should
            make few large jobs of the budget.
        overhead: What a new circuit costs beside its shots, in shots, >= 0: the default of the
            setting of that name. It is not charged.
        outside: Whether the points are evaluated outside, by who asks and tells step by step.

    Example:
        A loss whose shots are read from a device one batch at a time needs no more than this
        (to resume bit for bit it must save its generator in ``state`` too):

        >>> import numpy as np
        >>> from qiskit_arcmaes import Estimate, Oracle, minimize
        >>> class Coins(Oracle):
        ...     def __init__(self, seed):
        ...         self.rng = np.random.default_rng(seed)
        ...
        ...     def evaluate(self, points, shots):
        ...         self.charge(self.price(len(points)).at(shots))
        ...         heads = 0.8 * np.sin(points / 2).prod(axis=1) ** 2
        ...         return Estimate(1 - self.rng.binomial(shots, heads) / shots)
        >>> oracle = Coins(seed=1)
        >>> result = minimize(oracle, [2.0, 2.0], max_shots=20_000, seed=7)
        >>> oracle.spent == result.shots, bool(result.fun < 0.3)
        (True, True)
    """

    reports_variances: bool = False
    min_shots: int = 1
    advised_shots: int = 1
    angles: bool = False
    spectra: tuple[Spectrum, ...] | None = None
    mean_loss: float | None = None
    circuit_frequencies: Array | None = None
    circuit: MeasuredCircuit | None = None
    few_jobs: bool = False
    overhead: float = 0.0
    outside: bool = False
    _spent: int = 0

    @property
    def spent(self) -> int:
        """Shots taken since the oracle was made."""
        return self._spent

    def charge(self, shots: int) -> None:
        """Count shots as spent; ``evaluate`` does it for every job."""
        self._spent += int(shots)

    @abstractmethod
    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Estimate the loss at every row of ``points``, shape (n, d), from ``shots`` shots each."""

    @contextmanager
    def session(self) -> Iterator[None]:
        """Hold what the oracle runs on for the time of one run; by default there is nothing."""
        yield

    def price(self, n: int) -> Price:
        """What a job of ``n`` points takes; by default every point takes its shots."""
        return Price(0, n)

    def measure(self, plan: MeasurementPlan) -> GroupEstimate:
        """Run a plan as one job; only where ``circuit`` is known.

        Raises:
            NotPlainError: The loss turned out not to be the circuit's plain expectation value;
                ``circuit`` is None from now on.
        """
        raise NotImplementedError(f"{type(self).__name__} has no circuit to measure by group.")

    def price_plan(self, plan: MeasurementPlan) -> int:
        """Shots that ``measure`` takes; by default those of the plan."""
        return plan.total

    @property
    def state(self) -> dict[str, Any]:
        """What must be saved to go on bit for bit: plain data; can be set."""
        return {"spent": self._spent}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._spent = int(state["spent"])

    def call_off(self, spent: int) -> bool:
        """Call off the job under way, unless it has charged shots: an interrupt ends it.

        After True nothing of it is charged any more, whatever threads of it still do. It is called
        in a signal handler.

        Args:
            spent: What ``spent`` was before the job.

        Returns:
            Whether it was called off.
        """
        return self.spent == spent

    def undo(self, state: Mapping[str, Any]) -> None:
        """Go back to the state before a job that failed without a shot.

        Args:
            state: What ``state`` was then.
        """
        self.state = dict(state)


class OracleError(RuntimeError):
    """An oracle failed.

    Attributes:
        point: Where, if it is known.
        result: The run so far, if there was one.

    Example:
        >>> from qiskit_arcmaes import OracleError, minimize
        >>> def fails(x):
        ...     raise ConnectionError("the service is down")
        >>> try:
        ...     minimize(fails, [1.0, 2.0], max_shots=1000, vectorized=False, seed=1)
        ... except OracleError as error:
        ...     print(error.__cause__, error.point.shape, len(error.result.history))
        the service is down (2,) 0
    """

    def __init__(self, message: str, point: Array | None = None) -> None:
        super().__init__(message)
        self.point = point
        self.result: Any = None


def check_shots(shots: int) -> None:
    """Refuse a shot count that is not an integer >= 1."""
    if isinstance(shots, bool) or not isinstance(shots, int | np.integer) or shots < 1:
        raise ValueError(f"shots must be an integer >= 1, not {shots!r}.")
