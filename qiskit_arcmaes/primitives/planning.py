"""How the built-in estimators go through pubs: which points, measured in which groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import DataBin, PubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.cache import Cache
from qiskit_arcmaes.primitives.engines import Outcome, PubTask
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.groups import Plan, make_plan
from qiskit_arcmaes.primitives.ledger import Account, Cost

Array = NDArray[np.float64]
EstimatorTask = PubTask[EstimatorPub]


@dataclass(frozen=True)
class PointSet:
    """Points of a pub at which the same observables are wanted.

    Attributes:
        points: Rows of the flattened parameter sets.
        observables: Indices into the flattened observables.
        where: Flat positions in the pub's result that these points fill.
        rows: For each of them, which of ``points``.
        columns: For each of them, which of ``observables``.
    """

    points: NDArray[np.int_]
    observables: tuple[int, ...]
    where: NDArray[np.int_]
    rows: NDArray[np.int_]
    columns: NDArray[np.int_]


class MeasurementPlanner:
    """Remembers how observables are measured: VQE asks for the same ones in every job."""

    def __init__(self) -> None:
        # under the identity of an array of observables, which cannot change, and which is kept
        self._plans: Cache[tuple[ObservablesArray, Plan]] = Cache()

    def plan(self, observables: ObservablesArray, chosen: tuple[int, ...]) -> Plan:
        """How some of the flattened observables are measured together."""
        key = (id(observables), chosen)
        known = self._plans.get(key)
        if known is None:
            flat = observables.ravel()
            plan = make_plan([flat[index] for index in chosen])
            known = self._plans.add(key, (observables, plan))
        return known[1]


class PlannedEstimator(ABC):
    """The part that the built-in estimators share: from pubs to points and groups, and back."""

    reports_variances = True
    min_shots = 1
    seed_check_shots = 0
    equal_shots = False

    def __init__(self) -> None:
        self._planner = MeasurementPlanner()

    def cost(self, tasks: Sequence[EstimatorTask]) -> Cost:
        """Points x measurement bases x shots."""
        points = circuits = shots = 0
        for task in tasks:
            for some, plan in self._plans(task.pub):
                points += len(some.points)
                circuits += len(some.points) * len(plan.groups)
                shots += len(some.points) * len(plan.groups) * task.shots
        return Cost(points, circuits, shots)

    def run(self, tasks: Sequence[EstimatorTask], ledger: Account) -> Outcome:
        """Run the tasks as one job, and charge it."""
        results, spreads, circuits, shots = [], [np.empty(0)], 0, 0
        for task in tasks:
            size = int(np.prod(task.pub.shape))
            values, variances = np.empty(size), np.empty(size)
            for some, plan in self._plans(task.pub):
                value, variance = self._measure(task, some, plan)
                values[some.where] = value[some.rows, some.columns]
                variances[some.where] = variance[some.rows, some.columns]
                circuits += len(some.points) * len(plan.groups)
                shots += len(some.points) * len(plan.groups) * task.shots
            results.append(_result(task, values, variances))
            spreads.append(variances)
        ledger.charge(circuits, shots)
        return Outcome(results, np.concatenate(spreads))

    def group_cost(self, task: GroupTask) -> Cost:
        """What ``measure`` will charge for a task."""
        return task.cost

    def measure(self, task: GroupTask, ledger: Account) -> GroupEstimate:
        """Run a task as one job, and charge it."""
        estimate, cost = self._measure_groups(task), task.cost
        ledger.charge(cost.circuits, cost.shots)
        return estimate

    @abstractmethod
    def _measure_groups(self, task: GroupTask) -> GroupEstimate:
        """Measure every group at the points where it has shots."""

    @abstractmethod
    def _measure(self, task: EstimatorTask, some: PointSet, plan: Plan) -> tuple[Array, Array]:
        """Values and their variances, both of shape (points, observables)."""

    @property
    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What must be saved to go on, as plain data."""

    @state.setter
    @abstractmethod
    def state(self, state: Mapping[str, Any]) -> None: ...

    def _plans(self, pub: EstimatorPub) -> Iterator[tuple[PointSet, Plan]]:
        for some in point_sets(pub):
            yield some, self._planner.plan(pub.observables, some.observables)


def point_sets(pub: EstimatorPub) -> list[PointSet]:
    """Divide the points of a pub by the observables that are wanted there."""
    if pub.observables.size == 1:  # the common case, without a look at every point
        every = np.arange(pub.parameter_values.size)
        return [PointSet(every, (0,), every, every, np.zeros_like(every))]
    if pub.parameter_values.shape[-pub.observables.ndim :] == (1,) * pub.observables.ndim:
        return [_every_observable(pub)]
    points = np.arange(pub.parameter_values.size).reshape(pub.parameter_values.shape)
    observables = np.arange(pub.observables.size).reshape(pub.observables.shape)
    point_at, observable_at = (a.ravel() for a in np.broadcast_arrays(points, observables))
    wanted: dict[int, set[int]] = {}
    for point, observable in zip(point_at.tolist(), observable_at.tolist(), strict=True):
        wanted.setdefault(point, set()).add(observable)
    members: dict[tuple[int, ...], list[int]] = {}
    for point, some in wanted.items():
        members.setdefault(tuple(sorted(some)), []).append(point)
    return [_point_set(key, some, point_at, observable_at) for key, some in members.items()]


def _every_observable(pub: EstimatorPub) -> PointSet:
    """All points of a pub whose parameter sets are of shape (..., 1): all observables at each."""
    points, observables = np.arange(pub.parameter_values.size), np.arange(pub.observables.size)
    return PointSet(
        points,
        tuple(observables.tolist()),
        np.arange(len(points) * len(observables)),
        np.repeat(points, len(observables)),
        np.tile(observables, len(points)),
    )


def _point_set(
    observables: tuple[int, ...],
    points: list[int],
    point_at: NDArray[np.int_],
    observable_at: NDArray[np.int_],
) -> PointSet:
    rows_of = np.sort(np.array(points))
    where = np.flatnonzero(np.isin(point_at, rows_of))
    rows = np.searchsorted(rows_of, point_at[where])
    columns = np.searchsorted(np.array(observables), observable_at[where])
    return PointSet(rows_of, observables, where, rows, columns)


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
