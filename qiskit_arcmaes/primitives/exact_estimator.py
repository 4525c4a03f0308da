"""The built-in estimator: exact shot noise without running single shots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.engines import generator_state, restore_generator
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.groups import Plan
from qiskit_arcmaes.primitives.planning import EstimatorTask, PlannedEstimator, PointSet
from qiskit_arcmaes.primitives.states import StateSimulator, draw_means, probabilities

Array = NDArray[np.float64]


class ExactEstimator(PlannedEstimator):
    """Simulates the states, then draws the outcomes of all shots of a measurement at once.

    Args:
        rng: Where all randomness comes from.
        weighted: Whether shots go to the groups in proportion to what they scattered before.
    """

    def __init__(self, rng: np.random.Generator, weighted: bool = True) -> None:
        super().__init__()
        self._rng = rng
        self._allocation = Allocation() if weighted else None
        self._simulator = StateSimulator()

    def _measure(self, task: EstimatorTask, some: PointSet, plan: Plan) -> tuple[Array, Array]:
        """Values and their true variances, both of shape (points, observables)."""
        points = task.pub.parameter_values.ravel()[some.points]
        shots = np.full(len(plan.groups), task.shots, dtype=np.int64)
        if self._allocation is not None and plan.groups:
            shots = self._allocation.shots(plan, task.shots)
        parts = self._simulator.states(task.pub.circuit, points)
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
        for part, states in self._simulator.states(task.circuit, task.values[rows]):
            for index, chances in probabilities(states, bases):
                shots = plan.shots[rows[part], groups[index]]
                wanted = np.flatnonzero(shots)
                if wanted.size:
                    counts = self._rng.multinomial(shots[wanted], chances[wanted])
                    readout.fill(estimate, plan, int(groups[index]), rows[part][wanted], counts)
        return estimate

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
