"""The energies of a benchmark problem from shots, several times as fast as a primitive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    """The energy of a benchmark problem from shots, equally many in every measurement basis.

    It draws what the built-in ``ShotEstimator`` draws, from the same seed the same numbers (unless
    probabilities are zero but for rounding, which shifts the random stream). That one simulates
    any circuit; here the problem's own simulator makes the states. As there, the circuit tells the
    frequencies of the loss and its mean.

    Args:
        problem: Circuit and observable.
        seed: Anything ``numpy.random.default_rng`` takes.

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

    def __init__(self, problem: Problem, seed: Any = None) -> None:
        labels = {label: float(value.real) for label, value in problem.operator.to_list()}
        self.problem = problem
        self.single_rotations = problem.single_rotations
        self.coefficient_sum = sum(abs(c) for label, c in labels.items() if set(label) != {"I"})
        self._plan = make_plan([labels])
        self._axes = [group.axes for group in self._plan.groups]
        self._tables = [group.table[0] for group in self._plan.groups]
        self._rng = np.random.default_rng(seed)
        form = read(problem.ansatz, problem.operator)
        self._terms: TermGroups = group_terms(labels)
        self._readout = GroupReadout(self._terms)
        if isinstance(form, RotationForm):
            analysis = analyse(form)
            self.spectra = analysis.spectra
            self.mean_loss = mean_loss(form).value
            self.circuit: MeasuredCircuit | None = measured_circuit(analysis, self._terms)

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
        self.charge(self.price(len(states)).at(shots))
        return Estimate(values, variances)

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
        """The random state and the shots spent."""
        return {"spent": self._spent, "rng": self._rng.bit_generator.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._spent = int(state["spent"])
        self._rng.bit_generator.state = dict(state["rng"])


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
