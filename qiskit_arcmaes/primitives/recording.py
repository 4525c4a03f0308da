"""Dry runs: what a primitive is asked to run, without running it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from qiskit_arcmaes.primitives.calls import Threads
from qiskit_arcmaes.primitives.errors import RecordedOnlyError
from qiskit_arcmaes.primitives.ledger import Cost

# One dry run at a time: two of them would take away each other's recordings.
DRY_RUN = threading.RLock()
_calls = itertools.count()


@dataclass
class Recording:
    """What a primitive was asked to run while it was recording; nothing of it was run.

    Attributes:
        calls: The cost of each call of ``run``, in order. Empty means that the primitive was
            never asked: the algorithm uses another one.
        pubs: The pubs of all calls, in order.
        seed_check_shots: Shots that the check of an unknown primitive's seed will add to the first
            real job; 0 when there is nothing to check, or nothing was asked.
        threads: Whose calls are recorded; None for those of every thread.
        first: A number that grows from call to call over all primitives: that of the first one.

    Example:
        >>> recording = Recording(calls=[Cost(points=3, circuits=6, shots=600)])
        >>> recording.jobs, recording.points, recording.bases, recording.shots
        (1, 3, 2.0, 600)
    """

    calls: list[Cost] = field(default_factory=list)
    pubs: list[object] = field(default_factory=list)
    seed_check_shots: int = 0
    threads: Threads | None = None
    first: int = -1

    def add(self, cost: Cost, pubs: list[object]) -> None:
        """Enter one call of ``run``."""
        if not self.calls:
            self.first = next(_calls)
        self.calls.append(cost)
        self.pubs.extend(pubs)

    @property
    def jobs(self) -> int:
        """How often ``run`` was called."""
        return len(self.calls)

    @property
    def points(self) -> int:
        """Parameter sets asked for."""
        return self.total.points

    @property
    def circuits(self) -> int:
        """Circuits that would have run."""
        return self.total.circuits

    @property
    def shots(self) -> int:
        """Shots that would have been charged, at the most."""
        return self.total.shots

    @property
    def bases(self) -> float:
        """Measurement bases per point, on average; 0 when nothing was asked."""
        return self.circuits / self.points if self.points else 0.0

    @property
    def total(self) -> Cost:
        """The sum of all calls."""
        return sum(self.calls, Cost())


def was_only_recorded(error: BaseException) -> bool:
    """Whether an error comes from a job that was recorded and not run, however it was wrapped.

    Example:
        >>> try:
        ...     try:
        ...         raise RecordedOnlyError("this job was recorded")
        ...     except RecordedOnlyError as cause:
        ...         raise ValueError("the job failed") from cause
        ... except ValueError as error:
        ...     was_only_recorded(error)
        True
    """
    return any(isinstance(cause, RecordedOnlyError) for cause in causes(error))


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from, each once, outermost first."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__context__, one.__cause__]
