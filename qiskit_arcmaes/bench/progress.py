"""How far a sweep is: a bar with the time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_PERIOD = 30.0  # seconds between lines where there is no terminal


class SweepProgress:
    """Shows done, total and the time left of a sweep; call it with ``(done, total)``.

    Args:
        title: What stands before it.
        stream: Where to show it; default: standard error.

    Example:
        >>> import io
        >>> text = io.StringIO()
        >>> with SweepProgress("demo", text) as progress:
        ...     progress(0, 2)
        ...     progress(2, 2)
        >>> print(text.getvalue(), end="")
        demo: 0 of 2 done
        demo: 2 of 2 done in 0 s
    """

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._begin = self._last = time.monotonic()
        self._first: int | None = None
        self._bar: Progress | None = None
        if self._stream.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=Console(file=self._stream),
                speed_estimate_period=600,
            )
            self._task = self._bar.add_task(title, total=None)

    def __enter__(self) -> SweepProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show the state."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)
            return
        now = time.monotonic()
        first = self._first is None
        if self._first is None:
            self._first, self._begin = done, now
        if first or done == total or now - self._last >= _PERIOD:
            self._last = now
            print(self._line(done, total, now - self._begin), file=self._stream, flush=True)

    def _line(self, done: int, total: int, seconds: float) -> str:
        text = f"{self._title}: {done} of {total} done"
        new = done - (self._first or 0)
        if new == 0:
            return text
        if done == total:
            return f"{text} in {seconds:.0f} s"
        return f"{text}, about {seconds / new * (total - done):.0f} s left"
