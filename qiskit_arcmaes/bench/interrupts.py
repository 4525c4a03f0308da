"""Interrupts that stop a sweep, also where a library swallows them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def recorded_interrupts() -> Iterator[list[int]]:
    """Record every SIGINT that Python would turn into a KeyboardInterrupt.

    A method may catch KeyboardInterrupt to return what it has so far; such a truncated result must
    not be stored. A handler of the caller's own is left alone, and so are other threads than the
    main one, which get no signals.

    Returns:
        The numbers of the signals that have come, whoever may have swallowed them.
    """
    received: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield received
        return

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, record)
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
