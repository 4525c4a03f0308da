"""The built-in estimator: exact shot noise without running single shots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.engines import Outcome, generator_state, restore_generator
from qiskit_arcmaes.primitives.groups import Batch, Plan
from qiskit_arcmaes.primitives.ledger import Cost, Ledger
from qiskit_arcmaes.primitives.planning import EstimatorTask, PlanBook
from qiskit_arcmaes.primitives.states import StateSimulator, probabilities

Array = NDArray[np.float64]


class ExactEstimator:
    """Simulates the states, then draws the outcomes of all shots of a measurement at once.

    Args:
        rng: Where all randomness comes from.
        weighted: Whether shots go to the groups in proportion to what they scattered before.
    """

    reports_variances = True
    min_shots = 1
    seed_check_shots = 0

    def __init__(self, rng: np.random.Generator, weighted: bool = False) -> None:
        self._rng = rng
        self._allocation = Allocation(weighted)
        self._simulator = StateSimulator()
        self._book = PlanBook()

    def cost(self, tasks: Sequence[EstimatorTask]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        return self._book.cost(tasks)

    def run(self, tasks: Sequence[EstimatorTask], ledger: Ledger) -> Outcome:
        """Run the tasks as one job."""
        return self._book.run(tasks, ledger, self._run_batch)

    def _run_batch(self, task: EstimatorTask, batch: Batch, plan: Plan) -> tuple[Array, Array]:
        """Values and their true variances, both of shape (points, observables)."""
        priors = [group.prior for group in plan.groups]
        shots = self._allocation.shots(plan.digest, priors, task.shots)
        shape = (len(batch.points), len(batch.observables))
        values = np.tile(plan.constants, (len(batch.points), 1))
        variances, scatter = np.zeros(shape), np.zeros(len(plan.groups))
        bases = [group.axes for group in plan.groups]
        points = task.pub.parameter_values.ravel()[batch.points]
        for part, states in self._simulator.states(task.pub.circuit, points) if bases else ():
            for index, chances in probabilities(states, bases):
                table, drawn = plan.groups[index].table.T, int(shots[index])
                shares = self._rng.multinomial(drawn, chances) / drawn
                mean = shares @ table
                values[part] += mean
                expected = chances @ table
                variances[part] += (chances @ table**2 - expected**2).clip(min=0) / drawn
                scatter[index] += drawn * (shares @ table**2 - mean**2).clip(min=0).sum()
        freedom = (shots - 1) * len(batch.points)
        self._allocation.learn(plan.digest, scatter, freedom, priors)
        return values, variances

    @property
    def state(self) -> dict[str, Any]:
        """The random state and what is known of the groups' scatter."""
        return {"rng": generator_state(self._rng), "allocation": self._allocation.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])
        self._allocation.state = state["allocation"]
