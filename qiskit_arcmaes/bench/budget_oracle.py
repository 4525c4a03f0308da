"""An oracle with a budget that nobody can exceed: the form in which all solvers see a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles import Estimate, GroupEstimate, MeasurementPlan, Oracle, Price

Array = NDArray[np.float64]

_NOTES_PER_DECADE = 20  # recommendations kept in every tenfold of the shots


class BudgetSpent(Exception):  # noqa: N818 - it ends a run, and is no error
    """A batch would take more than is left; nothing of it was measured."""


class Circuit(Protocol):
    """What baselines may know of a circuit besides its energies.

    Attributes:
        single_rotations: Whether every parameter turns one Pauli rotation, so that the loss is a
            sine of every coordinate, of period 2π.
        coefficient_sum: Sum of the absolute values of the observable's coefficients.
    """

    single_rotations: bool
    coefficient_sum: float

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """Estimate the overlap of each pair of states."""
        ...

    def evaluate_each(self, points: ArrayLike, shots: ArrayLike) -> Estimate:
        """Estimate the energy at points whose shots differ, in one job."""
        ...


class BudgetOracle(Oracle):
    """An oracle that refuses what cannot be paid, and remembers recommendations.

    Args:
        oracle: What is measured.
        budget: Shots that may be taken, an integer >= 1.
        ansatz: The circuit behind the oracle; None where there is none, or where it is unknown.

    Attributes:
        budget: The same.
        ansatz: The same.
        jobs: Batches that were measured.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function
        >>> oracle = BudgetOracle(GaussianOracle(get_function("sphere", 2), seed=1), budget=100)
        >>> _ = oracle.evaluate([[1.0, 2.0], [0.0, 0.0]], shots=30)
        >>> oracle.spent, oracle.left, oracle.affordable(points=2)
        (60, 40, 20)
        >>> oracle.evaluate([[1.0, 2.0]], shots=41)
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.bench.budget_oracle.BudgetSpent: a batch takes 41 of 40 shots that are left.
    """

    def __init__(self, oracle: Oracle, budget: int, ansatz: Circuit | None = None) -> None:
        if budget < 1:
            raise ValueError(f"budget must be at least 1 shot, not {budget!r}.")
        self.budget = int(budget)
        self.ansatz = ansatz
        self.jobs = 0
        self.angles = oracle.angles
        self.spectra, self.mean_loss = oracle.spectra, oracle.mean_loss
        self.circuit = oracle.circuit
        self.min_shots = oracle.min_shots
        self.few_jobs = oracle.few_jobs
        self.reports_variances = oracle.reports_variances
        self._oracle = oracle
        self._before = oracle.spent
        self._notes: dict[int, tuple[int, Array]] = {}

    @property
    def spent(self) -> int:
        """Shots taken, by the count of the oracle behind."""
        return self._oracle.spent - self._before

    @property
    def left(self) -> int:
        """Shots that may still be taken."""
        return self.budget - self.spent

    @property
    def state(self) -> dict[str, Any]:
        """The state of the oracle behind."""
        return self._oracle.state

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._oracle.state = dict(state)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Hold what the oracle behind runs on."""
        with self._oracle.session():
            yield

    def price(self, n: int) -> Price:
        """What a job of ``n`` points takes."""
        return self._oracle.price(n)

    def affordable(self, points: int) -> int:
        """The most shots per point at which a batch of ``points`` can be paid; 0 if it cannot."""
        return self.price(points).affordable(self.left)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Measure a batch, one job.

        Args:
            points: Shape (n, d).
            shots: Shots per point, an integer >= 1.

        Raises:
            BudgetSpent: It would take more than is left.
        """
        rows = np.asarray(points, dtype=float)
        if rows.ndim != 2:
            rows = np.atleast_2d(rows)
        self._pay(self.price(len(rows)).at(shots))
        return self._oracle.evaluate(rows, shots)

    def measure(self, plan: MeasurementPlan) -> GroupEstimate:
        """Run a plan, one job.

        Raises:
            BudgetSpent: It would take more than is left.
        """
        self._pay(self.price_plan(plan))
        return self._oracle.measure(plan)

    def price_plan(self, plan: MeasurementPlan) -> int:
        """What a plan takes."""
        return self._oracle.price_plan(plan)

    def evaluate_each(self, points: ArrayLike, shots: Sequence[int]) -> Estimate:
        """Measure points whose shots differ, all paid beforehand.

        A circuit does it in one job; otherwise there is one job per shot count.

        Args:
            points: Shape (n, d).
            shots: Shots of each point.

        Raises:
            BudgetSpent: It would take more than is left.
        """
        rows = np.atleast_2d(np.asarray(points, dtype=float))
        if self.ansatz is not None:
            self._pay(self.price(1).at(int(np.sum(shots))))
            return self.ansatz.evaluate_each(rows, shots)
        counts, sizes = np.unique(np.asarray(shots), return_counts=True)
        jobs = list(zip(counts.tolist(), sizes.tolist(), strict=True))
        self._pay(sum(self.price(size).at(count) for count, size in jobs), jobs=len(jobs))
        values, variances = np.empty((2, len(rows)))
        for count, _ in jobs:
            chosen = np.asarray(shots) == count
            estimate = self._oracle.evaluate(rows[chosen], count)
            values[chosen] = estimate.values
            variances[chosen] = np.nan if estimate.variances is None else estimate.variances
        return Estimate(values, variances if self.reports_variances else None)

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """Measure the overlaps of pairs of states, where a circuit is known.

        Args:
            left: Points of the one state, shape (n, d).
            right: Points of the other, shape (n, d).
            shots: Shots per pair, in one circuit and one basis.

        Raises:
            BudgetSpent: It would take more than is left.
            TypeError: No circuit is known.
        """
        if self.ansatz is None:
            raise TypeError(f"fidelities need a circuit, and {self._oracle!r} has none.")
        rows = np.atleast_2d(np.asarray(left, dtype=float))
        self._pay(len(rows) * shots)
        return self.ansatz.fidelities(rows, right, shots)

    def note(self, x: ArrayLike) -> None:
        """Tell the point that the solver would recommend now; it costs nothing.

        The last note within every twentieth of a decade of shots is kept.

        Args:
            x: The point, shape (d,).
        """
        self._notes[_note_slot(self.spent)] = (self.spent, np.array(x, dtype=float))

    @property
    def notes(self) -> list[tuple[int, Array]]:
        """What was noted: shots spent by then, and the recommendation at that time."""
        return [self._notes[slot] for slot in sorted(self._notes)]

    def _pay(self, cost: int, jobs: int = 1) -> None:
        if cost > self.left:
            raise BudgetSpent(f"a batch takes {cost} of {self.left} shots that are left.")
        self.jobs += jobs


def _note_slot(spent: int) -> int:
    """The slot of recommendations noted after ``spent`` shots; of each slot the last is kept.

    Example:
        >>> [_note_slot(shots) for shots in (0, 1, 100, 110, 113)]
        [0, 0, 40, 41, 42]
    """
    return math.ceil(_NOTES_PER_DECADE * math.log10(max(spent, 1)))
