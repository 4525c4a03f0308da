"""How far a sweep is: a bar with the time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

Show = Callable[[int, int], None]

_PERIOD = 30.0  # seconds between lines where there is no terminal


@contextmanager
def sweep_progress(title: str, stream: TextIO | None = None) -> Iterator[Show]:
    """Show done, total and the time left of a sweep.

    Args:
        title: What stands before it.
        stream: Where to show it; default: standard error.

    Returns:
        A function to call with ``(done, total)``.

    Example:
        >>> import io
        >>> text = io.StringIO()
        >>> with sweep_progress("demo", text) as show:
        ...     show(0, 2)
        ...     show(2, 2)
        >>> print(text.getvalue(), end="")
        demo: 0 of 2 done
        demo: 2 of 2 done in 0 s
    """
    stream = stream or sys.stderr
    if not stream.isatty():
        yield _lines(title, stream)
        return
    columns = *Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(file=stream), speed_estimate_period=600) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(title: str, stream: TextIO) -> Show:
    shown: list[tuple[int, float]] = []  # how much was done, and when

    def show(done: int, total: int) -> None:
        now, text = time.monotonic(), f"{title}: {done} of {total} done"
        if shown:
            if done < total and now - shown[-1][1] < _PERIOD:
                return
            start, begin = shown[0]
            left = (now - begin) / max(done - start, 1) * (total - done)
            text += f", about {left:.0f} s left" if done < total else f" in {now - begin:.0f} s"
        shown.append((done, now))
        print(text, file=stream, flush=True)

    return show
