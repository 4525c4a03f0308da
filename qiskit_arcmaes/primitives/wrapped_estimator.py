"""Other people's estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.primitives import (
    BackendEstimatorV2,
    DataBin,
    PubResult,
    StatevectorEstimator,
)
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.quantum_info import Pauli, PauliList
from qiskit_aer.primitives import EstimatorV2 as AerEstimator

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.engines import PubTask
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.groups import AXIS
from qiskit_arcmaes.primitives.ledger import Account, Cost
from qiskit_arcmaes.primitives.planning import EstimatorTask, point_sets
from qiskit_arcmaes.primitives.repeated_rows import RepeatedRows, repeat_rows, term_observables
from qiskit_arcmaes.primitives.shot_limits import SplitShots, split_shots
from qiskit_arcmaes.primitives.wrapped import PROBE_SHOTS, Wrapped, divide

Array = NDArray[np.float64]


def is_gaussian(estimator: Any) -> bool:
    """Whether an estimator adds Gaussian noise of the asked precision instead of sampling."""
    return isinstance(estimator, StatevectorEstimator | AerEstimator)


def precision_for(shots: int, gaussian: bool) -> float:
    """The precision that gives exactly ``shots`` shots, or noise of exactly 1/sqrt(shots).

    Sampling estimators run ``ceil(1 / precision**2)`` shots: for 30% of all N, rounding makes
    that N + 1 when the precision is ``1 / sqrt(N)``.

    Example:
        >>> import math
        >>> [math.ceil(1 / precision_for(n, gaussian=False) ** 2) for n in (1, 3, 1000)]
        [1, 3, 1000]
    """
    return float(1 / np.sqrt(shots if gaussian else shots - 0.5))


class WrappedEstimator(Wrapped):
    """A V2 estimator under shot control.

    Args:
        estimator: The estimator.
        gaussian: Whether it adds Gaussian noise instead of sampling.
        shared: The arguments of ``Wrapped`` after the primitive.
    """

    equal_shots = True

    def __init__(self, estimator: Any, gaussian: bool, *shared: Any) -> None:
        super().__init__(estimator, *shared)
        self._gaussian = gaussian

    def group_cost(self, task: GroupTask) -> Cost:
        """What ``measure`` will charge for a task."""
        jobs = self._group_jobs(repeat_rows(task))
        parts = [part for job in jobs for part in _side_by_side(self._split(job))]
        return sum((self._job_cost(part) for part in parts), Cost())

    def measure(self, task: GroupTask, ledger: Account) -> GroupEstimate:
        """Measure groups at repeated rows, one job after the other."""
        self._check(ledger)
        groups = repeat_rows(task)
        values: list[list[Array]] = [[] for _ in groups]
        for job in self._group_jobs(groups):
            split = self._split(job)
            results = [self._run_job(part, ledger) for part in _side_by_side(split)]
            merged = split.merge([one for mates in zip(*results, strict=True) for one in mates])
            for (place, _), result in zip(job, merged, strict=True):
                values[place].append(np.asarray(result.data.evs, dtype=float))
        estimate = task.readout.empty(task.plan)
        failures = [
            group.fill(estimate, np.concatenate(parts))
            for group, parts in zip(groups, values, strict=True)
        ]
        return replace(estimate, failures=sum(failures))

    def _group_jobs(self, groups: list[RepeatedRows]) -> list[list[tuple[int, EstimatorTask]]]:
        """Pubs of each job, and which of the groups each of them belongs to."""
        observables = [term_observables(group.task, group.group) for group in groups]
        return [
            [(place, groups[place].pub(part, observables[place])) for place, part in job]
            for job in divide([len(group.rows) for group in groups], self._most)
        ]

    def _split(self, job: list[tuple[int, EstimatorTask]]) -> SplitShots:
        """The pubs of a job, all of the same shots, with no more shots than a circuit may have."""
        return split_shots([pub for _, pub in job], self._most_shots)

    def _can_cut(self, task: EstimatorTask) -> bool:
        return bool(task.pub.observables.size == 1)

    def _cut(self, task: EstimatorTask, part: slice) -> EstimatorTask:
        values = task.pub.parameter_values.ravel()[part]
        return PubTask(
            EstimatorPub(task.pub.circuit, task.pub.observables.reshape(()), values), task.shots
        )

    def _glue(self, task: EstimatorTask, parts: list[PubResult]) -> PubResult:
        shape = task.pub.shape
        if len(parts) == 1 and parts[0].data.evs.shape == shape:
            return parts[0]
        arrays = {
            name: np.concatenate([part.data[name] for part in parts]).reshape(shape)
            for name in ("evs", "stds")
            if name in parts[0].data
        }
        return PubResult(DataBin(**arrays, shape=shape), metadata=parts[0].metadata)

    def _fit(self, task: EstimatorTask) -> EstimatorPub:
        return self._transpiler.estimator_pub(task.pub, precision_for(task.shots, self._gaussian))

    def _complaint(self, pubs: Sequence[EstimatorPub], result: Any) -> str | None:
        if len(result) != len(pubs):
            return f"{len(result)} results came back for {len(pubs)} pubs"
        for pub, one in zip(pubs, result, strict=True):
            shape = np.shape(one.data.evs)
            if shape != pub.shape:
                return f"values of shape {shape} came back for a pub of shape {pub.shape}"
        return None

    def _pub_cost(self, pub: EstimatorPub, shots: int) -> Cost:
        grouped = True
        if isinstance(self.primitive, BackendEstimatorV2):
            grouped = self.primitive.options.abelian_grouping
        circuits = count_backend_bases(pub, grouped)
        return Cost(pub.parameter_values.size, circuits, circuits * shots)

    def _probe(self, points: int) -> EstimatorTask:
        qubits = self._probe_qubits()
        circuit, angle = QuantumCircuit(qubits), Parameter("angle")
        for qubit in range(qubits):
            circuit.ry(angle, qubit)
        labels = [["I" * (qubits - 1 - q) + "Z" + "I" * q] for q in range(qubits)]
        values = np.full((points, 1), np.pi / 2)
        return PubTask(EstimatorPub.coerce((circuit, labels, values)), PROBE_SHOTS)

    def _noise(self, result: PubResult) -> NDArray[Any]:
        return np.asarray(result.data.evs, dtype=float)


def _side_by_side(split: SplitShots) -> list[list[PubTask[Any]]]:
    """Jobs of one shot count each: the first parts of all tasks, their second parts, and so on."""
    count = split.counts[0]
    return [split.tasks[part::count] for part in range(count)]


def count_backend_bases(pub: EstimatorPub, grouped: bool = True) -> int:
    """Count the circuits that an estimator on a backend runs for a pub.

    It groups all terms wanted at a point, the identity among them, by qubit-wise commutation;
    this repeats its grouping term by term, because another order may give another number.

    Args:
        pub: A pub as it is submitted, laid out on the backend's qubits.
        grouped: Whether terms are grouped at all.
    """
    circuits = 0
    observables = pub.observables.ravel()
    for some in point_sets(pub):
        labels = sorted({label for index in some.observables for label in observables[index]})
        paulis = PauliList([Pauli("".join(AXIS[c] for c in label)) for label in labels])
        bases = len(paulis.group_commuting(qubit_wise=True)) if grouped else len(paulis)
        circuits += len(some.points) * bases
    return circuits
