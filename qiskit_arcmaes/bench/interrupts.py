"""Interrupts that stop a sweep, also where a library swallows them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupts:
    """Whether Ctrl-C was pressed.

    Attributes:
        received: Whether a SIGINT has come.
    """

    received: bool = False

    def check(self) -> None:
        """Raise the interrupt again if one has come.

        Raises:
            KeyboardInterrupt: One has come, whoever may have swallowed it.
        """
        if self.received:
            raise KeyboardInterrupt


@contextmanager
def recorded_interrupts() -> Iterator[Interrupts]:
    """Record every SIGINT that Python would turn into a KeyboardInterrupt.

    A method may catch KeyboardInterrupt to return what it has so far; such a truncated result must
    not be stored. A handler of the caller's own is left alone, and so are other threads than the
    main one, which get no signals.
    """
    interrupts = Interrupts()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return

    def record(number: int, frame: FrameType | None) -> None:
        interrupts.received = True
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, record)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
