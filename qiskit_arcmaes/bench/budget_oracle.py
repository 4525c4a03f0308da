"""The oracles of the benchmarks: a budget that nobody can exceed, and energies from shots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles import Estimate, Oracle, check_shots
from qiskit_arcmaes.primitives.groups import make_plan
from qiskit_arcmaes.primitives.states import probabilities
from qiskit_arcmaes.problems import Problem

Array = NDArray[np.float64]

_NOTES_A_DECADE = 20  # recommendations kept in every tenfold of the shots


class BudgetSpent(Exception):  # noqa: N818 - it ends a run, and is no error
    """A batch would take more than is left; nothing of it was measured."""


class BudgetOracle:
    """An oracle with a budget: the one way in which all solvers see a problem.

    Args:
        oracle: What is measured.
        budget: Shots that may be taken, an integer >= 1.

    Attributes:
        budget: The same.
        jobs: Batches that were measured.
        angles: Whether the coordinates are angles of a circuit's gates, in radians.

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

    def __init__(self, oracle: Oracle, budget: int) -> None:
        if budget < 1:
            raise ValueError(f"budget must be at least 1 shot, not {budget!r}.")
        self.budget = int(budget)
        self.jobs = 0
        self.angles = bool(getattr(oracle, "angles", False))
        self.reports_variances = bool(oracle.reports_variances)
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
    def single_rotations(self) -> bool:
        """Whether the loss is known to be a sine of every coordinate, of period 2π."""
        return bool(getattr(self._oracle, "single_rotations", False))

    @property
    def coefficient_sum(self) -> float | None:
        """Sum of the sizes of the observable's coefficients, None where there is no observable."""
        return getattr(self._oracle, "coefficient_sum", None)

    @property
    def has_states(self) -> bool:
        """Whether ``fidelities`` can be measured."""
        return isinstance(self._oracle, ShotOracle)

    @property
    def state(self) -> dict[str, Any]:
        """The state of the oracle behind."""
        return self._oracle.state

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._oracle.state = state

    def cost(self, n: int, shots: int) -> int:
        """Shots that ``n`` points take at ``shots`` each."""
        return self._oracle.cost(n, shots)

    def affordable(self, points: int) -> int:
        """The most shots at which a batch of so many points can be paid; 0 if it cannot."""
        return max(self.left // self.cost(points, 1), 0)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Measure a batch, one job.

        Args:
            points: Shape (n, d).
            shots: Shots for each point, an integer >= 1.

        Raises:
            BudgetSpent: It would take more than is left.
        """
        rows = np.asarray(points, dtype=float)
        if rows.ndim != 2:
            rows = np.atleast_2d(rows)
        self._pay(self.cost(len(rows), shots))
        return self._oracle.evaluate(rows, shots)

    def evaluate_each(self, points: ArrayLike, shots: Sequence[int]) -> Estimate:
        """Measure points whose shots differ: a job for every shot count, all paid beforehand.

        Args:
            points: Shape (n, d).
            shots: Shots of each point.

        Raises:
            BudgetSpent: It would take more than is left.
        """
        rows = np.atleast_2d(np.asarray(points, dtype=float))
        counts = np.asarray(shots)
        each = np.unique(counts)
        self._pay(self.cost(1, int(counts.sum())), jobs=len(each))
        values, variances = np.empty((2, len(rows)))
        for count in each.tolist():
            chosen = counts == count
            estimate = self._oracle.evaluate(rows[chosen], count)
            values[chosen] = estimate.values
            variances[chosen] = np.nan if estimate.variances is None else estimate.variances
        return Estimate(values, variances if self.reports_variances else None)

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """Measure the overlaps of pairs of states, where the oracle is a circuit's.

        Args:
            left: Points of the one state, shape (n, d).
            right: Points of the other, shape (n, d).
            shots: Shots for each pair; one circuit and one basis a pair.

        Raises:
            BudgetSpent: It would take more than is left.
            TypeError: The oracle has no states.
        """
        if not isinstance(self._oracle, ShotOracle):
            raise TypeError(f"fidelities need a circuit, and {self._oracle!r} has none.")
        rows = np.atleast_2d(np.asarray(left, dtype=float))
        self._pay(len(rows) * shots)
        return self._oracle.fidelities(rows, right, shots)

    def note(self, x: ArrayLike) -> None:
        """Tell the point that the solver would recommend now; it costs nothing.

        The last note within every twentieth of a decade of shots is kept.

        Args:
            x: The point, shape (d,).
        """
        self._notes[note_slot(self.spent)] = (self.spent, np.array(x, dtype=float))

    @property
    def notes(self) -> list[tuple[int, Array]]:
        """What was noted: shots spent by then, and the recommendation at that time."""
        return [self._notes[slot] for slot in sorted(self._notes)]

    def _pay(self, cost: int, jobs: int = 1) -> None:
        if cost > self.left:
            raise BudgetSpent(f"a batch takes {cost} of {self.left} shots that are left.")
        self.jobs += jobs


def note_slot(spent: int) -> int:
    """The slot of recommendations told at so many shots; of each slot the last is kept.

    Example:
        >>> [note_slot(shots) for shots in (0, 1, 100, 110, 113)]
        [0, 0, 40, 41, 42]
    """
    return math.ceil(_NOTES_A_DECADE * math.log10(max(spent, 1)))


class ShotOracle:
    """The energy of a benchmark problem from shots, equally many in every measurement basis.

    What the built-in ``ShotEstimator`` draws, from the same seed the same numbers (unless chances
    are zero but for rounding, which shifts the random stream). That one simulates any circuit;
    here the problem's own simulator makes the states, several times as fast.

    Args:
        problem: Circuit and observable.
        seed: Anything ``numpy.random.default_rng`` takes.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> oracle = ShotOracle(get_problem("h2"), seed=1)
        >>> estimate = oracle.evaluate([[0.0] * 4], shots=10_000)
        >>> abs(estimate.values[0] + 1.0637) < 5 * estimate.variances[0] ** 0.5, oracle.spent
        (np.True_, 20000)
    """

    angles = True
    reports_variances = True

    def __init__(self, problem: Problem, seed: Any = None) -> None:
        labels = {label: float(value.real) for label, value in problem.operator.to_list()}
        self.problem = problem
        self.spent = 0
        self.single_rotations = problem.single_rotations
        self.coefficient_sum = sum(abs(c) for label, c in labels.items() if set(label) != {"I"})
        self._plan = make_plan([labels])
        self._axes = [group.axes for group in self._plan.groups]
        self._tables = [group.table[0] for group in self._plan.groups]
        self._rng = np.random.default_rng(seed)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Estimate the energy at every row of ``points`` from ``shots`` shots in every basis."""
        check_shots(shots)
        states = self.problem.states(points).astype(complex)
        values = np.full(len(states), self._plan.constants[0])
        variances = np.zeros(len(states))
        for index, chances in probabilities(states, self._axes):
            table = self._tables[index]
            values += self._rng.multinomial(shots, chances) / shots @ table
            variances += (chances @ table**2 - (chances @ table) ** 2).clip(min=0) / shots
        self.spent += self.cost(len(states), shots)
        return Estimate(values, variances)

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """Estimate the overlap of each pair: the share of zeros when one undoes the other.

        Args:
            left: Points of the one state, shape (n, d).
            right: Points of the other, shape (n, d).
            shots: Shots for each pair.
        """
        check_shots(shots)
        one, other = self.problem.states(left), self.problem.states(right)
        overlaps = np.abs(np.einsum("nk,nk->n", one.conj(), other)) ** 2
        self.spent += len(overlaps) * shots
        return np.asarray(self._rng.binomial(shots, overlaps.clip(0, 1)) / shots)

    def cost(self, n: int, shots: int) -> int:
        """Every point takes ``shots`` in every basis."""
        return n * len(self._axes) * shots

    @property
    def state(self) -> dict[str, Any]:
        """The random state and the shots spent."""
        return {"spent": self.spent, "rng": self._rng.bit_generator.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self.spent = int(state["spent"])
        self._rng.bit_generator.state = dict(state["rng"])
