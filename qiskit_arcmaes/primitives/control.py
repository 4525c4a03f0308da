"""What shot-controlled estimators and samplers have in common."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import BasePrimitiveJob, PrimitiveResult
from qiskit.providers import JobStatus

from qiskit_arcmaes.oracles import check_shots
from qiskit_arcmaes.primitives.calls import Threads, refuse_left_behind
from qiskit_arcmaes.primitives.deliveries import Delivery
from qiskit_arcmaes.primitives.engines import Engine, GroupEngine, Outcome, PubTask
from qiskit_arcmaes.primitives.errors import (
    PrimitiveInUseError,
    RecordedOnlyError,
    uncounted,
)
from qiskit_arcmaes.primitives.ledger import Ledger
from qiskit_arcmaes.primitives.recording import DRY_RUN, Recording
from qiskit_arcmaes.primitives.runtime import OVERHEAD, is_runtime
from qiskit_arcmaes.primitives.seeds import backend_of
from qiskit_arcmaes.primitives.wrapped import Wrapped

Array = NDArray[np.float64]

_guard = threading.Lock()  # for what all primitives share, and for who holds which
_live: WeakSet[ShotControl] = WeakSet()
# The primitives that may run in this context; None for all.
COUNTED: ContextVar[tuple[ShotControl, ...] | None] = ContextVar("COUNTED", default=None)


def live_primitives() -> list[ShotControl]:
    """All shot-controlled primitives that somebody still refers to, oldest first."""
    with _guard:
        ready = [primitive for primitive in _live if primitive._ready]
        return sorted(ready, key=lambda primitive: primitive._serial)


class FinishedJob(BasePrimitiveJob):
    """A job whose result is there already.

    Example:
        >>> job = FinishedJob("7", "the result")
        >>> job.done(), job.result()
        (True, 'the result')
    """

    def __init__(self, job_id: str, result: Any) -> None:
        super().__init__(job_id)
        self._result = result

    def result(self) -> PrimitiveResult[Any]:
        """Return the result."""
        return self._result

    def status(self) -> JobStatus:
        """Return ``DONE``."""
        return JobStatus.DONE

    def done(self) -> bool:
        """Return True."""
        return True

    def running(self) -> bool:
        """Return False."""
        return False

    def cancelled(self) -> bool:
        """Return False."""
        return False

    def in_final_state(self) -> bool:
        """Return True."""
        return True

    def cancel(self) -> None:
        """Do nothing: the job is finished."""


class RecordedJob(FinishedJob):
    """A job that was recorded and not run: it has no result."""

    def result(self) -> PrimitiveResult[Any]:
        """Raise: there is none."""
        raise RecordedOnlyError("this job was recorded, not run; run it outside recording().")


class ShotControl:
    """Shots that can be set, a ledger of what was run, dry runs, and one user at a time.

    Args:
        engine: What runs the pubs.
        shots: Shots for each point and measurement basis, an integer >= 1.

    Attributes:
        ledger: Everything that was really run.
        last_variances: The variance of every value of the last job, flattened and joined over its
            pubs, or None where it is unknown.
        deliveries: What every call of ``run`` delivered since an optimizer has set the shots;
            empty where none has.
    """

    _serials = itertools.count()
    _serial: int
    _holder: int | None = None  # the thread whose optimizer holds the primitive
    _leases = 0
    _ready = False  # until the constructor is through

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Register the primitive, copies included, for discovery."""
        self = super().__new__(cls)
        with _guard:
            self._serial = next(ShotControl._serials)
            _live.add(self)
        return self

    def __init__(self, engine: Engine, shots: int) -> None:
        self.shots = shots
        self.ledger = Ledger()
        self.last_variances: Array | None = None
        self._engine = engine
        self._inner = engine.primitive if isinstance(engine, Wrapped) else None
        self._recording: Recording | None = None  # plain attributes reach QAOA's worker thread
        self._job_ids = itertools.count(1)
        self._ready = True

    @property
    def shots(self) -> int:
        """Shots for each point and measurement basis; an integer >= 1, set at any time."""
        return self._shots

    @shots.setter
    def shots(self, shots: int) -> None:
        check_shots(shots)
        self._shots = int(shots)
        self._imposed = False
        self.deliveries: list[Delivery] = []

    def impose(self, shots: int) -> None:
        """Set the shots for an optimizer.

        Until ``shots`` is set again they also win over a precision that comes with a call of
        ``run``: some clients pass one with every call, and the optimizer would have no say. From
        now on ``deliveries`` are kept.
        """
        self._shots = shots
        self._imposed = True
        self.deliveries = []

    @property
    def reports_variances(self) -> bool:
        """Whether ``last_variances`` can be trusted after every job."""
        return self._engine.reports_variances

    @property
    def min_shots(self) -> int:
        """The fewest shots at which ``last_variances`` is known, where it is reported."""
        return self._engine.min_shots

    @property
    def seed_check_shots(self) -> int:
        """Shots that the next job takes on top, to check an unknown primitive's seed."""
        return self._engine.seed_check_shots

    @property
    def overhead(self) -> float:
        """What a new circuit costs beside its shots, in shots."""
        return OVERHEAD if self._inner is not None and is_runtime(self._inner) else 0.0

    @property
    def options(self) -> Any:
        """The options of the primitive inside, as IBM's runtime has them.

        Shots or a precision among them have no effect: ``shots`` decides, or the optimizer.

        Raises:
            AttributeError: There is no primitive inside, or it has no options.
        """
        if self._inner is None:
            raise AttributeError(
                f"a built-in {type(self).__name__} has no options: say shots=, seed= and backend= "
                "where it is made."
            )
        return self._inner.options

    @property
    def may_evolve_exactly(self) -> bool:
        """Whether a PauliEvolutionGate may be run as an exponential, not as a product formula.

        Primitives of other people without a backend may do it; Qiskit's StatevectorEstimator does.
        """
        return self._inner is not None and backend_of(self._inner) is None

    def is_held_elsewhere(self) -> bool:
        """Whether an optimizer in another thread holds the primitive."""
        return self._holder not in (None, threading.get_ident())

    @contextmanager
    def leased(self) -> Iterator[None]:
        """Hold the primitive for an optimizer: its shots and its ledger serve one at a time.

        Within the same thread leases may be nested. What other threads run on the primitive for
        this optimizer, as QAOA does, is not affected.

        Raises:
            PrimitiveInUseError: When an optimizer in another thread holds it.
        """
        with _guard:
            if self.is_held_elsewhere():
                raise PrimitiveInUseError(
                    f"the {type(self).__name__} is in use by an optimizer in another thread, and "
                    "the shots of two runs would mix in its ledger; give every optimizer a "
                    "primitive of its own, or run one after the other."
                )
            self._holder = threading.get_ident()
            self._leases += 1
        try:
            yield
        finally:
            with _guard:
                self._leases -= 1
                if not self._leases:
                    self._holder = None

    @contextmanager
    def recording(self, threads: Threads | None = None) -> Iterator[Recording]:
        """Record what would run, without running or charging it.

        Within the context every job raises ``RecordedOnlyError`` when its result is asked for, so
        that the algorithm that asks is left before it can call back or remember anything.

        Args:
            threads: Whose calls are recorded while those of others are run; None records all.

        Yields:
            A ``Recording`` that fills up with every call.
        """
        with DRY_RUN:
            before = self._recording
            self._recording = Recording(threads=threads)
            try:
                yield self._recording
            finally:
                self._recording = before

    @property
    def group_engine(self) -> GroupEngine | None:
        """What measures single groups of an observable; None where that cannot be done."""
        return None

    @property
    def state(self) -> dict[str, Any]:
        """Everything needed to go on: shots, ledger, random state, memory. Plain data."""
        return {"shots": self.shots, "ledger": self.ledger.state, "engine": self._engine.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._engine.state = state["engine"]
        self.ledger = Ledger.from_state(state["ledger"])
        self.shots = state["shots"]

    def _record(self, tasks: Sequence[PubTask[Any]]) -> RecordedJob | None:
        """The job of a dry run; None where the call comes from a thread outside of it."""
        refuse_left_behind(self)
        recording = self._recording
        if recording is None or not (recording.threads is None or recording.threads.include_this()):
            self._refuse()
            return None
        recording.seed_check_shots = self._engine.seed_check_shots
        recording.add(self._engine.cost(tasks), [task.pub for task in tasks])
        return RecordedJob(f"recorded-{next(self._job_ids)}", None)

    def _refuse(self) -> None:
        """Refuse to run for a loss whose budget does not count this primitive."""
        counted = COUNTED.get()
        if counted is not None and self not in counted:
            raise uncounted(self)

    def _finish(self, outcome: Outcome, tasks: Sequence[PubTask[Any]]) -> FinishedJob:
        """The job of an outcome, which is the last one."""
        self.last_variances = outcome.variances
        if self._imposed:
            values = _expectation_values(outcome.results)
            self.deliveries.append(Delivery([task.pub for task in tasks], values))
        result = PrimitiveResult(outcome.results, metadata={"version": 2})
        return FinishedJob(f"shots-{next(self._job_ids)}", result)


def _expectation_values(results: Sequence[Any]) -> Array | None:
    """All values of an estimator's results, copied and joined; None where there are none."""
    if not results or not all("evs" in result.data for result in results):
        return None
    return np.concatenate([np.ravel(result.data.evs).astype(float) for result in results])
