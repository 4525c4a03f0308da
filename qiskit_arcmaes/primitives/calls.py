"""Calls of primitives under way, and how they are called off.

QAOA and fidelities evaluate in a thread of their own, which an interrupt of the main thread does
not reach: it goes on, draws random numbers and charges shots after the run was set back. So every
call charges through an account of its own, which can be closed, and an interrupt decides under one
lock: either shots of the job are charged already, and it waits for the rest, or none ever is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakKeyDictionary, WeakSet

from qiskit_arcmaes.primitives.errors import CalledOffError
from qiskit_arcmaes.primitives.ledger import Ledger

# Reentrant: an interrupt may come in the thread that holds it.
_lock = threading.RLock()
_changed = threading.Condition(_lock)
_under_way: set[CallAccount] = set()
_left_behind: WeakKeyDictionary[threading.Thread, WeakSet[_Charged]] = WeakKeyDictionary()


class _Charged(Protocol):
    """What calls are charged to: a primitive."""

    ledger: Ledger


class CallAccount:
    """Charges the ledger of a primitive for one call, unless the call is called off.

    Args:
        primitive: The primitive that runs it.
    """

    def __init__(self, primitive: _Charged) -> None:
        self._primitive = primitive
        self._thread = threading.current_thread()
        self._called_off = False
        self._inside = True

    def charge(self, circuits: int, shots: int) -> None:
        """Enter one job in the primitive's ledger."""
        with _lock:
            self._refuse()
            self._primitive.ledger.charge(circuits, shots)

    def fail(self) -> None:
        """Enter a failed attempt in the primitive's ledger."""
        with _lock:
            self._refuse()
            self._primitive.ledger.fail()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Wait for something outside, such as a service: nothing of the primitive is touched."""
        self._move(False)
        try:
            yield
        finally:
            self._move(True)
        with _lock:
            self._refuse()

    def _move(self, inside: bool) -> None:
        with _lock:
            self._inside = inside
            _changed.notify_all()

    def _refuse(self) -> None:
        if self._called_off:
            raise CalledOffError("the job was called off while this call was under way.")


@contextmanager
def under_way(primitive: _Charged) -> Iterator[CallAccount]:
    """Let a call of a primitive be under way within this context.

    Args:
        primitive: The primitive that runs it.

    Yields:
        What the call charges.

    Raises:
        CalledOffError: The calling thread was left behind.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator = ShotEstimator()
        >>> with under_way(estimator) as ledger:
        ...     ledger.charge(circuits=1, shots=100)
        >>> estimator.ledger.shots
        100
    """
    call = CallAccount(primitive)
    with _lock:
        refuse_left_behind(primitive)
        _under_way.add(call)
    try:
        yield call
    finally:
        with _lock:
            _under_way.discard(call)
            _changed.notify_all()


def call_off(
    primitives: Sequence[_Charged], threads: Threads | None = None, spent: int | None = None
) -> bool:
    """Call off what is under way on primitives: it charges nothing any more.

    Args:
        primitives: The primitives.
        threads: Those of the loss, whose later calls are refused.
        spent: Only while the ledgers have so many shots together; None in any case.

    Returns:
        Whether it was called off.
    """
    with _lock:
        if spent is not None and sum([one.ledger.shots for one in primitives]) != spent:
            return False
        for call in _calls_on(primitives):
            call._called_off = True
        if threads is not None:
            threads.leave_behind(primitives)
        return True


def settle(primitives: Sequence[_Charged]) -> None:
    """Wait until no other thread touches the primitives, but for those that wait outside."""
    own = threading.current_thread()
    with _lock:
        _changed.wait_for(
            lambda: (
                not any(call._inside and call._thread is not own for call in _calls_on(primitives))
            )
        )


class Threads:
    """The threads of a call of a loss: its own, and those that are started after it began.

    QAOA's sampler is called from a worker thread that is started for the call. A thread that was
    there before belongs to somebody else.

    Args:
        there: The threads when it began; None for those that are there now.

    Example:
        >>> threads = Threads()
        >>> threads.include_this()
        True
    """

    def __init__(self, there: Iterable[threading.Thread] | None = None) -> None:
        self._own = threading.current_thread()
        self._others = frozenset(there or threading.enumerate()) - {self._own}

    def include_this(self) -> bool:
        """Whether the calling thread takes part."""
        return threading.current_thread() not in self._others

    @contextmanager
    def left_behind_early(self, primitives: Sequence[_Charged]) -> Iterator[None]:
        """Leave the started threads behind where an interrupt ends this context."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, Exception):
                self.leave_behind(primitives)
            raise

    def leave_behind(self, primitives: Sequence[_Charged]) -> None:
        """Refuse what the started threads ask of primitives from now on: nobody wants it."""
        with _lock:
            for thread in {*threading.enumerate()} - self._others - {self._own}:
                _left_behind.setdefault(thread, WeakSet()).update(primitives)


def refuse_left_behind(primitive: _Charged) -> None:
    """Refuse a call in a thread whose loss was left before it came to its end.

    Args:
        primitive: What is called.

    Raises:
        CalledOffError: The thread was left behind.
    """
    if _left_behind and primitive in _left_behind.get(threading.current_thread(), ()):
        raise CalledOffError(
            "the loss that started this thread was interrupted, so that nothing more is run in it; "
            "a pool of threads that outlives an interrupt has to be made anew."
        )


def _calls_on(primitives: Sequence[_Charged]) -> list[CallAccount]:
    return [
        call for call in _under_way if any(call._primitive is primitive for primitive in primitives)
    ]
