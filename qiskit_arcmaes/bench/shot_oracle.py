"""The energies of a benchmark problem from shots, several times as fast as a primitive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.oracles import (
    Estimate,
    GroupEstimate,
    MeasuredCircuit,
    MeasurementPlan,
    Oracle,
    Price,
    check_shots,
)
from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.group_readout import (
    GroupReadout,
    TermGroups,
    group_terms,
    measured_circuit,
)
from qiskit_arcmaes.primitives.groups import make_plan
from qiskit_arcmaes.primitives.states import probabilities
from qiskit_arcmaes.problems import Problem
from qiskit_arcmaes.rotations import RotationForm, analyse, mean_loss

Array = NDArray[np.float64]


class ShotOracle(Oracle):
    """The energy of a benchmark problem from shots.

    It draws what the built-in ``ShotEstimator`` draws, from the same seed the same numbers (unless
    probabilities are zero but for rounding, which shifts the random stream). That one simulates
    any circuit; here the problem's own simulator makes the states. As there, the circuit tells the
    frequencies of the loss and its mean.

    Args:
        problem: Circuit and observable.
        seed: Anything ``numpy.random.default_rng`` takes.
        allocation: ``equal``: as many shots in every measurement basis; ``weighted``: dealt by the
            scatter that each basis showed before, the same total.

    Attributes:
        problem: The same.
        single_rotations: Whether every parameter turns one Pauli rotation.
        coefficient_sum: Sum of the absolute values of the observable's coefficients.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> oracle = ShotOracle(get_problem("h2"), seed=1)
        >>> estimate = oracle.evaluate([[0.0] * 4], shots=10_000)
        >>> abs(estimate.values[0] + 1.0637) < 5 * estimate.variances[0] ** 0.5, oracle.spent
        (np.True_, 20000)
    """

    angles = True
    reports_variances = True

    def __init__(
        self,
        problem: Problem,
        seed: Any = None,
        allocation: Literal["equal", "weighted"] = "equal",
    ) -> None:
        labels = {label: float(value.real) for label, value in problem.operator.to_list()}
        self.problem = problem
        self.single_rotations = problem.single_rotations
        self.coefficient_sum = sum(abs(c) for label, c in labels.items() if set(label) != {"I"})
        self._plan = make_plan([labels])
        self._axes = [group.axes for group in self._plan.groups]
        self._tables = [group.table[0] for group in self._plan.groups]
        self._rng = np.random.default_rng(seed)
        self._allocation = Allocation() if allocation == "weighted" else None
        form = read(problem.ansatz, problem.operator)
        self._terms: TermGroups = group_terms(labels)
        self._readout = GroupReadout(self._terms)
        if isinstance(form, RotationForm):
            analysis = analyse(form)
            self.spectra = analysis.spectra
            self.mean_loss = mean_loss(form).value
            self.circuit: MeasuredCircuit | None = measured_circuit(analysis, self._terms)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Estimate the energy at every row of ``points``, from ``shots`` shots per basis."""
        check_shots(shots)
        rows = np.atleast_2d(np.asarray(points, dtype=float))
        return self.evaluate_each(rows, np.full(len(rows), shots))

    def evaluate_each(self, points: ArrayLike, shots: ArrayLike) -> Estimate:
        """Estimate the energy at points whose shots per basis differ, shape (n,), in one job."""
        states = self.problem.states(points).astype(complex)
        values = np.full(len(states), self._plan.constants[0])
        variances = np.zeros(len(states))
        dealt = self._deal(np.asarray(shots))
        scatter = np.zeros(len(self._axes))
        for index, chances in probabilities(states, self._axes):
            table, counts = self._tables[index], dealt[:, index]
            shares = self._rng.multinomial(counts, chances) / counts[:, None]
            means = shares @ table
            values += means
            variances += (chances @ table**2 - (chances @ table) ** 2).clip(min=0) / counts
            scatter[index] = counts @ (shares @ table**2 - means**2).clip(min=0)
        if self._allocation is not None:
            self._allocation.learn(self._plan, scatter, (dealt - 1).sum(axis=0))
        self.charge(int(dealt.sum()))
        return Estimate(values, variances)

    def _deal(self, shots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Shots of each point in each basis; together always bases x shots."""
        if self._allocation is None:
            return np.repeat(shots[:, None], len(self._axes), axis=1)
        counts, places = np.unique(shots, return_inverse=True)
        each = [self._allocation.shots(self._plan, count) for count in counts.tolist()]
        return np.array(each)[places]

    def measure(self, plan: MeasurementPlan) -> GroupEstimate:
        """Run a plan: every point has its own shots in every basis."""
        states = self.problem.states(plan.points).astype(complex)
        drawn = self._readout.empty(plan)
        for group, chances in probabilities(states, self._terms.axes):
            rows = np.flatnonzero(plan.shots[:, group])
            counts = self._rng.multinomial(plan.shots[rows, group], chances[rows])
            self._readout.fill(drawn, plan, group, rows, counts)
        self.charge(plan.total)
        return drawn

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """Estimate the overlap of each pair: the share of zeros when one undoes the other.

        Args:
            left: Points of the one state, shape (n, d).
            right: Points of the other, shape (n, d).
            shots: Shots per pair.
        """
        check_shots(shots)
        one, other = self.problem.states(left), self.problem.states(right)
        overlaps = np.abs(np.einsum("nk,nk->n", one.conj(), other)) ** 2
        self.charge(len(overlaps) * shots)
        return np.asarray(self._rng.binomial(shots, overlaps.clip(0, 1)) / shots)

    def price(self, n: int) -> Price:
        """Every point takes its shots in every basis."""
        return Price(0, n * len(self._axes))

    @property
    def state(self) -> dict[str, Any]:
        """The random state, the shots spent, and the scatter seen."""
        seen = {} if self._allocation is None else self._allocation.state
        return {"spent": self._spent, "rng": self._rng.bit_generator.state, "seen": seen}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._spent = int(state["spent"])
        self._rng.bit_generator.state = dict(state["rng"])
        if self._allocation is not None:
            self._allocation.state = state["seen"]


def budgeted(problem: Problem, budget: int, seed: Any = None) -> BudgetOracle:
    """The energies of a problem within a budget of shots, with its circuit.

    Args:
        problem: Circuit and observable.
        budget: Shots that may be taken, an integer >= 1.
        seed: Anything ``numpy.random.default_rng`` takes.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> budgeted(get_problem("h2"), 100).ansatz.single_rotations
        True
    """
    oracle = ShotOracle(problem, seed)
    return BudgetOracle(oracle, budget, ansatz=oracle)
