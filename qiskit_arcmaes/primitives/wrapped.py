"""Other people's primitives: submitted, tried again, checked, and charged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import BackendEstimatorV2, BackendSamplerV2
from qiskit_aer.backends.aerbackend import AerBackend

from qiskit_arcmaes.primitives import runtime
from qiskit_arcmaes.primitives.engines import (
    Outcome,
    PubTask,
    generator_state,
    restore_generator,
)
from qiskit_arcmaes.primitives.errors import JobFailedError
from qiskit_arcmaes.primitives.ledger import Account, Cost
from qiskit_arcmaes.primitives.retry import RetryPolicy
from qiskit_arcmaes.primitives.seeds import (
    backend_of,
    is_known,
    make_reseeder,
    refuse_fixed_seed,
    repeated_noise,
)
from qiskit_arcmaes.primitives.shot_limits import split_shots
from qiskit_arcmaes.primitives.transpiling import AER_BINDS, Limits, Transpiler

Piece = tuple[int, slice | None]  # which task, and which of its points (None: all)

PROBE_BITS = 8  # independent fair bits looked at in the check of a seed
PROBE_SHOTS = 64


def limits_of(primitive: Any) -> Limits | None:
    """What a primitive on one of Aer's simulators cannot run; None when it runs everything.

    Qiskit's primitives for backends bind every circuit themselves, and so do the older ones of
    qiskit-ibm-runtime on simulators; all others may leave it to Aer's ``parameter_binds``.
    """
    package = type(primitive).__module__.partition(".")[0]
    on_aer = isinstance(backend_of(primitive), AerBackend)
    if runtime.is_executor(primitive):
        return runtime.EXECUTOR_LIMITS if on_aer else None
    binds = isinstance(primitive, BackendEstimatorV2 | BackendSamplerV2)
    if binds or package == "qiskit_ibm_runtime":
        return None
    return AER_BINDS if on_aer or package == "qiskit_aer" else None


class Wrapped(ABC):
    """The part that wrapped estimators and samplers share.

    Args:
        primitive: The wrapped V2 primitive.
        transpiler: Transpiles for its backend.
        policy: How often and how long jobs are tried.
        max_points_per_job: Points a job may hold at most, or None.
        rng: Where seeds for the primitive come from, or None to leave its seed alone.
        max_shots_per_circuit: Shots that a circuit may have in a job at most, or None.
    """

    reports_variances = False
    min_shots = 1

    def __init__(
        self,
        primitive: Any,
        transpiler: Transpiler,
        policy: RetryPolicy,
        max_points_per_job: int | None,
        rng: np.random.Generator | None,
        max_shots_per_circuit: int | None = None,
    ) -> None:
        self._transpiler = transpiler
        self._most_shots = max_shots_per_circuit
        self._policy = policy
        self._most = max_points_per_job
        self._rng = rng
        self._reseed: Callable[[], None] | None = None
        if rng is not None:
            primitive, self._reseed = make_reseeder(primitive, rng)
        else:
            refuse_fixed_seed(primitive)
        self.primitive = primitive
        self._checked = rng is not None or is_known(primitive)

    @property
    def seed_check_shots(self) -> int:
        """Shots that the check of an unknown primitive's seed still has to take."""
        return 0 if self._checked else 2 * self._job_cost([self._probe(self._probe_points())]).shots

    def cost(self, tasks: Sequence[PubTask[Any]]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        tasks = split_shots(tasks, self._most_shots).tasks
        return sum((self._job_cost(self._cut_all(tasks, job)) for job in self._plan(tasks)), Cost())

    def run(self, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        """Run the tasks, one job after the other."""
        self._check(ledger)
        split = split_shots(tasks, self._most_shots)
        parts: list[list[Any]] = [[] for _ in split.tasks]
        for job in self._plan(split.tasks):
            results = self._run_job(self._cut_all(split.tasks, job), ledger)
            for (index, _), result in zip(job, results, strict=True):
                parts[index].append(result)
        glued = [self._glue(task, part) for task, part in zip(split.tasks, parts, strict=True)]
        return Outcome(split.merge(glued))

    def _check(self, ledger: Account) -> None:
        """Refuse a seed that repeats the noise, as far as it is not known."""
        if self._reseed is None:
            refuse_fixed_seed(self.primitive)
        if not self._checked:
            self._check_seed(ledger)

    def _plan(self, tasks: Sequence[PubTask[Any]]) -> list[list[Piece]]:
        """Divide tasks into jobs, each with one shot count."""
        jobs: list[list[Piece]] = []
        for shots in dict.fromkeys(task.shots for task in tasks):
            mine = [index for index, task in enumerate(tasks) if task.shots == shots]
            cut = [i for i in mine if self._most is not None and self._can_cut(tasks[i])]
            whole: list[Piece] = [(i, None) for i in mine if i not in cut]
            jobs += [whole] if whole else []
            sizes = [tasks[i].pub.parameter_values.size for i in cut]
            jobs += [[(cut[k], part) for k, part in job] for job in divide(sizes, self._most)]
        return jobs

    def _cut_all(self, tasks: Sequence[PubTask[Any]], job: list[Piece]) -> list[PubTask[Any]]:
        return [tasks[i] if part is None else self._cut(tasks[i], part) for i, part in job]

    @abstractmethod
    def _can_cut(self, task: PubTask[Any]) -> bool:
        """Whether the points of a task may be spread over jobs."""

    @abstractmethod
    def _cut(self, task: PubTask[Any], part: slice) -> PubTask[Any]:
        """Some of the points of a task, flattened."""

    @abstractmethod
    def _glue(self, task: PubTask[Any], parts: list[Any]) -> Any:
        """The result of a task from those of its parts."""

    @abstractmethod
    def _fit(self, task: PubTask[Any]) -> Any:
        """The pub to submit, carrying its precision or shots."""

    @abstractmethod
    def _complaint(self, pubs: Sequence[Any], result: Any) -> str | None:
        """Say what a result lacks."""

    @abstractmethod
    def _pub_cost(self, pub: Any, shots: int) -> Cost:
        """What a submitted pub takes."""

    @abstractmethod
    def _probe(self, points: int) -> PubTask[Any]:
        """A task whose noise is known: ``PROBE_BITS`` fair bits over some points."""

    @abstractmethod
    def _noise(self, result: Any) -> NDArray[Any]:
        """The noise of a probe, to compare."""

    def _run_job(self, job: list[PubTask[Any]], ledger: Account) -> list[Any]:
        pubs = [self._fit(task) for task in job]
        shots = job[0].shots

        def submit() -> Any:
            if self._reseed is not None:
                self._reseed()
            with runtime.whole_shots(self.primitive, shots):
                return self.primitive.run(pubs)

        def complaint(result: Any) -> str | None:
            return self._complaint(pubs, result)

        finished, result = self._policy.deliver(submit, complaint, ledger.fail, ledger.away)
        if runtime.is_executor(self.primitive):
            points = sum(task.pub.parameter_values.size for task in job)
            cost = runtime.program_cost(finished.inputs, points)
        else:
            cost = self._sum(pubs, shots)
        ledger.charge(cost.circuits, cost.shots)
        return list(result)

    def _job_cost(self, job: list[PubTask[Any]]) -> Cost:
        """What a job takes, at the most."""
        shots = job[0].shots
        if not runtime.is_executor(self.primitive):
            return self._sum([self._fit(task) for task in job], shots)
        unit = runtime.rounding_unit(self.primitive)
        if unit is None:
            return self._planned_cost(job, shots)
        first, second = (self._planned_cost(job, n * unit) for n in (1, 2))
        return runtime.bound_cost(first, second, unit, shots)

    def _planned_cost(self, job: list[PubTask[Any]], shots: int) -> Cost:
        """What an executor primitive would run at a shot count."""
        pubs = [self._fit(PubTask(task.pub, shots)) for task in job]
        points = sum(task.pub.parameter_values.size for task in job)
        with runtime.whole_shots(self.primitive, shots):
            return runtime.planned_cost(self.primitive, pubs, points)

    def _sum(self, pubs: Sequence[Any], shots: int) -> Cost:
        return sum((self._pub_cost(pub, shots) for pub in pubs), Cost())

    def _check_seed(self, ledger: Account) -> None:
        """Run a small task of known noise twice; the chance that fair noise repeats is < 1e-9."""
        probe = self._probe(self._probe_points())
        first, second = (self._noise(self._run_job([probe], ledger)[0]) for _ in range(2))
        known = np.isfinite(first) & np.isfinite(second)
        if not known.any():
            raise JobFailedError(
                f"{type(self.primitive).__name__} returned no number but NaN in the check of its "
                "seed; see what its service says of the jobs."
            )
        differs = bool(np.any(first[known] != second[known]))
        if not differs and known.all():
            raise repeated_noise(self.primitive)
        self._checked = differs  # with gaps and without a difference nothing is shown

    def _probe_points(self) -> int:
        return -(-PROBE_BITS // self._probe_qubits())

    def _probe_qubits(self) -> int:
        size = getattr(backend_of(self.primitive), "num_qubits", None)
        return min(PROBE_BITS, size or PROBE_BITS)

    @property
    def state(self) -> dict[str, Any]:
        """The state that seeds are drawn from, if there is one, and whether the seed was checked.

        What goes on inside the primitive cannot be saved.
        """
        rng = None if self._rng is None else generator_state(self._rng)
        return {"rng": rng, "checked": self._checked}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        if (self._rng is None) != (state["rng"] is None):
            raise ValueError("seed must be given exactly when the saved primitive had one.")
        if self._rng is not None:
            restore_generator(self._rng, state["rng"])
        self._checked = bool(state["checked"])


def divide(sizes: Sequence[int], most: int | None) -> list[list[tuple[int, slice]]]:
    """Divide points of several pubs into jobs.

    Args:
        sizes: Points of each pub.
        most: Points a job may hold, or None for no limit.

    Returns:
        For each job, which pubs and which of their points.

    Example:
        >>> divide([3, 2], 4)
        [[(0, slice(0, 3, None)), (1, slice(0, 1, None))], [(1, slice(1, 2, None))]]
    """
    jobs: list[list[tuple[int, slice]]] = [[]]
    room = most
    for pub, size in enumerate(sizes):
        start = 0
        while start < size:
            if room == 0:
                jobs.append([])
                room = most
            stop = size if room is None else min(size, start + room)
            jobs[-1].append((pub, slice(start, stop)))
            room = None if room is None else room - (stop - start)
            start = stop
    return [job for job in jobs if job]
