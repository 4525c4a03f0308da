"""Ctrl-C at a moment that loses nothing.

A job may take an hour: while it runs, Ctrl-C must work at once. An update of a method takes
milliseconds and must not be cut in two: there Ctrl-C waits until the next job begins. So it does
once shots of a job are charged, so that they are not lost; a second Ctrl-C does not wait.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """Handles SIGINT while a run goes on, in the main thread; elsewhere it changes nothing.

    Args:
        call_off: Calls the present job off and returns True; False once shots of it are charged.

    Attributes:
        allowed: Whether an interrupt is raised at once; else it waits for ``raise_pending``. A
            plain attribute, because it is set twice for every job.
        raised: Whether an interrupt was raised since this was set to False; libraries may swallow
            it.

    Example:
        >>> with Interrupts(lambda: True) as interrupts:
        ...     interrupts.allowed = True  # a job may run now
        ...     interrupts.raise_pending()  # raises what came before
    """

    def __init__(self, call_off: Callable[[], bool]) -> None:
        self._call_off = call_off
        self._before: Any = None
        self.allowed = self.raised = False
        self._pending = False

    def __enter__(self) -> Interrupts:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def raise_pending(self) -> None:
        """Raise an interrupt that came where it had to wait."""
        if self._pending:
            self._pending = self.allowed = False
            raise KeyboardInterrupt

    def postpone(self) -> None:
        """Let an interrupt that was raised wait like one that came where it has to."""
        self._pending = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.allowed and (self._pending or self._call_off()):
            self.allowed = False  # what follows, a save above all, is not interrupted again
            self.raised = True
            raise KeyboardInterrupt
        self._pending = True
