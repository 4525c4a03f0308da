"""A loss of one point at many points: what its calls submit is joined into one job.

Every point has a thread of its own, but only one of them runs at a time, in the order of the
points: each goes on until it asks a primitive to run something, and there it waits. When all of
them wait (or are done), everything they asked for runs as one job, in the caller's thread. So a
queue is waited for once per batch and not once per point, and the same calls give the same result
every time.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.engines import Engine, Outcome, PubTask, StandIn
from qiskit_arcmaes.primitives.ledger import Account
from qiskit_arcmaes.primitives.stacking import stack

MOST_THREADS = 128
_PATIENCE = 5.0  # seconds that a call gets to come to its end when it is not wanted any more


class _AbandonedError(BaseException):
    """Ends a thread whose result nobody wants any more; not for ``except Exception``."""


class _Call:
    """One call of the loss, in a thread that runs only when it is resumed.

    Attributes:
        request: What it waits for: an engine, the tasks, and the ledger to charge.
        answer: The outcome of the request.
        value: What the call returned, once it is done.
        error: What it raised.
        outcomes: All outcomes that it was given.
        done: Whether it is over.
    """

    def __init__(self, call: Callable[[], Any]) -> None:
        self.request: tuple[Engine, list[PubTask[Any]], Account] | None = None
        self.answer: Outcome | None = None
        self.value: Any = None
        self.error: BaseException | None = None
        self.outcomes: list[Outcome] = []
        self.done = self.abandoned = False
        self._go, self._back = threading.Semaphore(0), threading.Semaphore(0)
        context = contextvars.copy_context()
        self.thread = threading.Thread(target=context.run, args=(self._run, call), daemon=True)

    def resume(self) -> None:
        """Let the thread run until it waits or is done."""
        if not self.thread.is_alive() and not self.done:
            self.thread.start()
        self._go.release()
        self._back.acquire()

    def wait_for(self, engine: Engine, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        """In the thread: ask for something to be run, and wait for its outcome."""
        if not self.abandoned:
            self.request = (engine, list(tasks), ledger)
            with ledger.away():
                self._back.release()
                self._go.acquire()
        if self.abandoned or self.answer is None:
            raise _AbandonedError
        self.outcomes.append(self.answer)
        self.answer = None
        return self.outcomes[-1]

    def abandon(self) -> None:
        """End the thread where it waits; one that is in the loss ends when it asks next."""
        self.abandoned = True
        self._go.release()

    def _run(self, call: Callable[[], Any]) -> None:
        self._go.acquire()
        try:
            if not self.abandoned:
                self.value = call()
        except BaseException as error:
            self.error = error
        self.done = True
        self._back.release()


class _GatheringEngine(StandIn):
    """Calls from the threads of a gathering wait."""

    def __init__(self, engine: Engine, calls: Mapping[threading.Thread, _Call]) -> None:
        super().__init__(engine)
        self._calls = calls

    def run(self, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        call = self._calls.get(threading.current_thread())
        if call is None:  # a thread that the loss has started by itself
            return self._engine.run(tasks, ledger)
        return call.wait_for(self._engine, tasks, ledger)


def gather(
    calls: Sequence[Callable[[], Any]],
    primitives: Sequence[ShotControl],
    tape: list[Outcome] | None = None,
) -> Generator[tuple[int, Any]]:
    """Call several functions that run on primitives, and join what they submit.

    A function must not hold a lock of its own while it waits for a primitive that another one
    needs too.

    Args:
        calls: The functions; at most ``MOST_THREADS`` are under way at once.
        primitives: The shot-controlled primitives that they run on.
        tape: Gets all outcomes that the first function was given, in order.

    Yields:
        The number of a function and what it returned, at the moment when it returned:
        ``last_variances`` of the primitives are then its own.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=0)
        >>> def energy(x):
        ...     return float(estimator.run([(ansatz, "ZZ", x)]).result()[0].data.evs)
        >>> calls = [lambda x=x: energy([x, 0.0]) for x in (0.0, 3.14159)]
        >>> [round(value, 3) for _, value in gather(calls, [estimator])], estimator.ledger.jobs
        ([1.0, -1.0], 1)
    """
    for start in range(0, len(calls), MOST_THREADS):
        some = [_Call(call) for call in calls[start : start + MOST_THREADS]]
        if tape is not None and start == 0:
            some[0].outcomes = tape
        with _standing_in(primitives, {each.thread: each for each in some}):
            for index, value in _drive(some, primitives):
                yield start + index, value


def _drive(calls: list[_Call], primitives: Sequence[ShotControl]) -> Iterator[tuple[int, Any]]:
    """Resume the calls one after the other until all are done."""
    waiting = dict(enumerate(calls))
    while waiting:
        for index, call in list(waiting.items()):
            for primitive in primitives:
                primitive.last_variances = None
            call.resume()
            if call.error is not None:
                raise call.error
            if call.done:
                yield index, waiting.pop(index).value
        _deliver(list(waiting.values()))


@contextmanager
def _standing_in(
    primitives: Sequence[ShotControl], calls: Mapping[threading.Thread, _Call]
) -> Iterator[None]:
    """Let the primitives wait instead of run, in the threads of some calls.

    Calls that are under way when this is left are abandoned. One that is still in the user's code
    after a while must not run anything when it comes to it: the primitives then keep their
    stand-ins, which run what other threads ask for.
    """
    engines = [primitive._engine for primitive in primitives]
    for primitive, engine in zip(primitives, engines, strict=True):
        primitive._engine = _GatheringEngine(engine, calls)
    try:
        yield
    finally:
        if _end(calls.values()):
            for primitive, engine in zip(primitives, engines, strict=True):
                primitive._engine = engine


def _end(calls: Iterable[_Call]) -> bool:
    """End the calls that are under way; whether all threads are over."""
    under_way = [call for call in calls if not call.done and call.thread.is_alive()]
    for call in under_way:
        call.abandon()
    for call in under_way:
        call.thread.join(_PATIENCE)
    return not any(call.thread.is_alive() for call in under_way)


def _deliver(calls: list[_Call]) -> None:
    """Run what the calls wait for: one job for each engine."""
    by_engine: dict[int, list[_Call]] = {}
    for call in calls:
        assert call.request is not None
        by_engine.setdefault(id(call.request[0]), []).append(call)
    for members in by_engine.values():
        requests = [call.request for call in members if call.request is not None]
        engine, _, ledger = requests[0]
        stacked = stack([task for _, tasks, _ in requests for task in tasks])
        outcomes = iter(stacked.split(engine.run(stacked.tasks, ledger)))
        for call, (_, tasks, _) in zip(members, requests, strict=True):
            call.answer = _together([next(outcomes) for _ in tasks])
            call.request = None


def _together(outcomes: list[Outcome]) -> Outcome:
    """The outcome of several tasks from those of each."""
    results = [result for outcome in outcomes for result in outcome.results]
    known = [outcome.variances for outcome in outcomes if outcome.variances is not None]
    return Outcome(results, np.concatenate(known) if len(known) == len(outcomes) else None)
