"""The built-in estimator: exact shot noise without running single shots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import DataBin, PubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub

from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.circuits import Cache
from qiskit_arcmaes.primitives.engines import Outcome, Task, generator_state, restore_generator
from qiskit_arcmaes.primitives.groups import Batch, Plan, make_batches, make_plan
from qiskit_arcmaes.primitives.ledger import Cost, Ledger
from qiskit_arcmaes.primitives.states import StateSimulator, probabilities

Array = NDArray[np.float64]
EstimatorTask = Task[EstimatorPub]


class PlanBook:
    """Remembers how pubs are measured.

    Args:
        weighted: Whether the shots can be dealt unequally among the groups.
    """

    def __init__(self, weighted: bool = False) -> None:
        self._weighted = weighted
        self._plans: Cache[Plan] = Cache()

    def batches(self, pub: EstimatorPub) -> list[tuple[Batch, Plan]]:
        """The batches of a pub, each with its measurement plan."""
        observables = pub.observables.ravel()
        return [
            (batch, self._plan([observables[index] for index in batch.observables]))
            for batch in make_batches(pub)
        ]

    def cost(self, tasks: Sequence[EstimatorTask]) -> Cost:
        """Points x measurement bases x shots."""
        total = Cost()
        for task in tasks:
            for batch, plan in self.batches(task.pub):
                circuits = len(batch.points) * len(plan.groups)
                total += Cost(len(batch.points), circuits, circuits * task.shots)
        return total

    def _plan(self, observables: Sequence[Mapping[str, float]]) -> Plan:
        key = tuple(tuple(observable.items()) for observable in observables)
        return self._plans.get(key, lambda: make_plan(observables, self._weighted))


def estimator_result(task: EstimatorTask, values: Array, variances: Array) -> PubResult:
    """Wrap values and variances of a pub, both flat, as primitives return them."""
    shape = task.pub.shape
    data = DataBin(evs=values.reshape(shape), stds=np.sqrt(variances).reshape(shape), shape=shape)
    metadata = {
        "shots": task.shots,
        "target_precision": 1 / np.sqrt(task.shots),
        "circuit_metadata": task.pub.circuit.metadata,
    }
    return PubResult(data, metadata=metadata)


class ExactEstimator:
    """Simulates the states, then draws the outcomes of all shots of a measurement at once.

    Args:
        rng: Where all randomness comes from.
        weighted: Whether shots go to the groups in proportion to what they scattered before.
    """

    reports_variances = True
    check_shots = 0

    def __init__(self, rng: np.random.Generator, weighted: bool = False) -> None:
        self._rng = rng
        self._allocation = Allocation(weighted)
        self._simulator = StateSimulator()
        self._book = PlanBook(weighted)

    def cost(self, tasks: Sequence[EstimatorTask]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        return self._book.cost(tasks)

    def run(self, tasks: Sequence[EstimatorTask], ledger: Ledger) -> Outcome:
        """Run the tasks as one job."""
        results, variances = [], []
        for task in tasks:
            value, variance = self._run_pub(task)
            variances.append(variance)
            results.append(estimator_result(task, value, variance))
        cost = self.cost(tasks)
        ledger.charge(cost.circuits, cost.shots)
        return Outcome(results, np.concatenate(variances) if variances else np.empty(0))

    def _run_pub(self, task: EstimatorTask) -> tuple[Array, Array]:
        size = int(np.prod(task.pub.shape))
        values, variances = np.empty(size), np.empty(size)
        for batch, plan in self._book.batches(task.pub):
            value, variance = self._run_batch(task, batch, plan)
            values[batch.where] = value[batch.rows, batch.columns]
            variances[batch.where] = variance[batch.rows, batch.columns]
        return values, variances

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
