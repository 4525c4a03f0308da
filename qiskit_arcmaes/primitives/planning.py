"""How the built-in estimators go through pubs: batch by batch, each with its measurement plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import DataBin, PubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray

from qiskit_arcmaes.primitives.circuits import Cache, Same
from qiskit_arcmaes.primitives.engines import Outcome, Task
from qiskit_arcmaes.primitives.groups import Batch, Plan, make_batches, make_plan
from qiskit_arcmaes.primitives.ledger import Cost, Ledger

Array = NDArray[np.float64]
EstimatorTask = Task[EstimatorPub]
# takes a task, a batch of it and its plan, returns values and variances (points, observables)
BatchRunner = Callable[[EstimatorTask, Batch, Plan], tuple[Array, Array]]


class PlanBook:
    """Remembers how pubs are measured."""

    def __init__(self) -> None:
        self._plans: Cache[Plan] = Cache()

    def cost(self, tasks: Sequence[EstimatorTask]) -> Cost:
        """Points x measurement bases x shots."""
        costs = (_cost(task, *pair) for task in tasks for pair in self._batches(task.pub))
        return sum(costs, Cost())

    def run(self, tasks: Sequence[EstimatorTask], ledger: Ledger, runner: BatchRunner) -> Outcome:
        """Run all batches of some tasks as one job, and charge it.

        Args:
            tasks: What is to be run.
            ledger: Where it is charged.
            runner: Runs one batch.
        """
        results, spreads, spent = [], [np.empty(0)], Cost()
        for task in tasks:
            size = int(np.prod(task.pub.shape))
            values, variances = np.empty(size), np.empty(size)
            for batch, plan in self._batches(task.pub):
                value, variance = runner(task, batch, plan)
                values[batch.where] = value[batch.rows, batch.columns]
                variances[batch.where] = variance[batch.rows, batch.columns]
                spent += _cost(task, batch, plan)
            results.append(_result(task, values, variances))
            spreads.append(variances)
        ledger.charge(spent.circuits, spent.shots)
        return Outcome(results, np.concatenate(spreads))

    def _batches(self, pub: EstimatorPub) -> list[tuple[Batch, Plan]]:
        return [
            (batch, self._plan(pub.observables, batch.observables)) for batch in make_batches(pub)
        ]

    def _plan(self, observables: ObservablesArray, chosen: tuple[int, ...]) -> Plan:
        """The plan of some observables; an array of them cannot change, and is its own key."""

        def make() -> Plan:
            flat = observables.ravel()
            return make_plan([flat[index] for index in chosen])

        return self._plans.get((Same(observables), chosen), make)


def _cost(task: EstimatorTask, batch: Batch, plan: Plan) -> Cost:
    circuits = len(batch.points) * len(plan.groups)
    return Cost(len(batch.points), circuits, circuits * task.shots)


def _result(task: EstimatorTask, values: Array, variances: Array) -> PubResult:
    """Wrap values and variances of a pub, both flat, as primitives return them."""
    shape = task.pub.shape
    data = DataBin(evs=values.reshape(shape), stds=np.sqrt(variances).reshape(shape), shape=shape)
    metadata = {
        "shots": task.shots,
        "target_precision": 1 / np.sqrt(task.shots),
        "circuit_metadata": task.pub.circuit.metadata,
    }
    return PubResult(data, metadata=metadata)
