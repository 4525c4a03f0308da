"""The built-in estimator: exact shot noise without running single shots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.bindings import at
from qiskit_arcmaes.primitives.engines import generator_state, restore_generator
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.groups import Plan
from qiskit_arcmaes.primitives.planning import EstimatorTask, PlannedEstimator, PointSet
from qiskit_arcmaes.primitives.spreading import Spreader
from qiskit_arcmaes.primitives.states import (
    Chances,
    States,
    StateSimulator,
    chances_in,
    draw_means,
)

Array = NDArray[np.float64]


class ExactEstimator(PlannedEstimator):
    """Simulates the states, then draws the outcomes of all shots of a measurement at once.

    Args:
        rng: Where all randomness comes from.
        weighted: Whether shots go to the groups in proportion to what they scattered before.
        executor: Over whose workers the circuits of a batch are spread, or None.
    """

    def __init__(
        self, rng: np.random.Generator, weighted: bool = True, executor: Executor | None = None
    ) -> None:
        super().__init__()
        self._spreader = None if executor is None else Spreader(executor)
        self._rng = rng
        self._allocation = Allocation() if weighted else None
        self._simulator = StateSimulator()

    def _measure(self, task: EstimatorTask, some: PointSet, plan: Plan) -> tuple[Array, Array]:
        """Values and their true variances, both of shape (points, observables)."""
        points = task.pub.parameter_values.ravel()
        points = points[some.points] if points.num_parameters else at(points, some.points)
        shots = np.full(len(plan.groups), task.shots, dtype=np.int64)
        if self._allocation is not None and plan.groups:
            shots = self._allocation.shots(plan, task.shots)
        parts = self._parts(task.pub.circuit, points, [group.axes for group in plan.groups])
        drawn = draw_means(parts, len(some.points), plan, shots, self._rng)
        if self._allocation is not None:
            self._allocation.learn(plan, drawn.scatter, (shots - 1) * len(some.points))
        return drawn.values, drawn.variances

    def _measure_groups(self, task: GroupTask) -> GroupEstimate:
        plan, readout = task.plan, task.readout
        estimate = readout.empty(plan)
        rows = np.flatnonzero(plan.shots.any(axis=1))
        groups = np.flatnonzero(plan.shots.any(axis=0))
        bases = [readout.terms.axes[group] for group in groups]
        for part, states in self._parts(task.circuit, task.values[rows], bases):
            for index, chances in chances_in(states, bases):
                shots = plan.shots[rows[part], groups[index]]
                wanted = np.flatnonzero(shots)
                if wanted.size:
                    counts = self._rng.multinomial(shots[wanted], chances[wanted])
                    readout.fill(estimate, plan, int(groups[index]), rows[part][wanted], counts)
        return estimate

    def _parts(
        self, circuit: QuantumCircuit, points: BindingsArray, bases: Sequence[str]
    ) -> Iterable[tuple[slice, States | Chances]]:
        """States of the points, or probabilities from the workers."""
        if self._spreader is None or not bases:
            return self._simulator.states(circuit, points)
        return self._spreader.parts(circuit, points, bases)

    @property
    def state(self) -> dict[str, Any]:
        """The random state and what is known of the groups' scatter."""
        known = {} if self._allocation is None else self._allocation.state
        return {"rng": generator_state(self._rng), "allocation": known}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])
        if self._allocation is not None:
            self._allocation.state = state["allocation"]
