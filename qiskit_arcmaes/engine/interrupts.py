"""Ctrl-C at a moment that loses nothing.

A job may take an hour: while it runs, Ctrl-C must work at once. An update of a method takes
milliseconds and must not be cut in two: there Ctrl-C waits until the next job begins.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """Handles SIGINT while a run goes on, in the main thread; elsewhere it changes nothing.

    Example:
        >>> with Interrupts() as interrupts:
        ...     # Ctrl-C here is raised when the block below begins
        ...     with interrupts.allowed():
        ...         pass  # Ctrl-C here is raised at once
    """

    def __init__(self) -> None:
        self._before: Any = None
        self._allowed = False
        self._pending = False
        self._block = Allowed(self)

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

    def allowed(self) -> Allowed:
        """A block in which an interrupt is raised at once; one that waits is raised before it."""
        return self._block

    def raise_pending(self) -> None:
        """Raise an interrupt that came where it had to wait."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def allow(self, allowed: bool) -> None:
        """Say whether an interrupt may be raised now."""
        self._allowed = allowed

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._allowed:
            raise KeyboardInterrupt
        self._pending = True


class Allowed:
    """The block of ``Interrupts.allowed``; a class of its own because every job enters it.

    Args:
        interrupts: Whose interrupts are raised within it.
    """

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts

    def __enter__(self) -> None:
        self._interrupts.raise_pending()
        self._interrupts.allow(True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._interrupts.allow(False)
