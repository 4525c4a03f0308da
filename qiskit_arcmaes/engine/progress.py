"""A live display of a run, as a callback: in a terminal with rich, in a notebook with HTML.

The terminal's needs the ``plot`` extra (rich). Where nobody can watch (a file, a pipe, a batch
job), ``progress=True`` shows nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine.markup import table
from qiskit_arcmaes.settings import Callback

Array = NDArray[np.float64]


_REFRESH = 0.2  # seconds between two updates of a notebook


class Display:
    """What the two displays share: the figures of a run, taken from what a callback is told.

    Args:
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.
    """

    def __init__(self, max_shots: int, title: str) -> None:
        self.max_shots = max_shots
        self.title = title
        self._points = 0
        self._spent = 0

    def __call__(self, nfev: int, x: Array, fun: float, std: float, shots: int) -> None:
        """Show the state after a job; arguments as those of every callback."""
        each = (shots - self._spent) / max(nfev - self._points, 1)
        self._points, self._spent = nfev, shots
        self._show(shots, f"value {fun:.4f} ± {std:.4f}, {each:,.0f} shots per point")

    def _show(self, shots: int, figures: str) -> None:
        raise NotImplementedError


class LiveProgress(Display):
    """Shows in a terminal shots spent, the present value with its error, the shots of a point.

    Use it as a context manager, and pass it as ``callback``; ``progress=True`` does both.

    Args:
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> with LiveProgress(5000, "sphere") as progress:  # doctest: +ELLIPSIS
        ...     result = minimize(oracle, [1.0] * 3, max_shots=5000, callback=progress, seed=1)
        sphere...
    """

    def __init__(self, max_shots: int, title: str) -> None:
        super().__init__(max_shots, title)
        try:
            from rich import progress
        except ImportError as error:
            raise ImportError(
                "progress in a terminal needs rich: pip install 'qiskit-arcmaes[plot]', or leave "
                "progress at False."
            ) from error
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.percentage:>3.0f}%"),
            progress.TextColumn("{task.fields[figures]}"),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
        )
        self._task = self._bar.add_task(title, total=max_shots, figures="")

    def __enter__(self) -> LiveProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def _show(self, shots: int, figures: str) -> None:
        self._bar.update(self._task, completed=shots, figures=figures)


class NotebookProgress(Display):
    """The same in a notebook: one output that is rewritten as the run goes on.

    Args:
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.

    Example:
        >>> progress = NotebookProgress(5000, "sphere")
        >>> progress(10, None, 0.5, 0.1, 2500)
        >>> "50%" in progress._repr_html_()
        True
    """

    def __init__(self, max_shots: int, title: str) -> None:
        super().__init__(max_shots, title)
        self._began = time.monotonic()
        self._next = 0.0
        self._figures = ""
        self._handle: Any = None

    def __enter__(self) -> NotebookProgress:
        from IPython.display import display

        self._handle = display(self, display_id=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handle.update(self)

    def _show(self, shots: int, figures: str) -> None:
        self._figures = figures
        if self._handle is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + _REFRESH
            self._handle.update(self)

    def __repr__(self) -> str:
        share = self._spent / self.max_shots
        return f"{self.title}: {share:.0%} of {self.max_shots:,} shots, {self._figures}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self._spent}" max="{self.max_shots}"></progress>'
        share = f"{self._spent / self.max_shots:.0%} of {self.max_shots:,} shots"
        seconds = f"{time.monotonic() - self._began:.1f} s"
        return bar + table([(self.title, share, self._figures, seconds)])


@contextmanager
def watched(
    callback: Callback | None, progress: bool, max_shots: int, title: str
) -> Iterator[Callback | None]:
    """The callback to run with: the user's, and with it a display where someone can see it.

    Args:
        callback: The user's, or None.
        progress: Whether a display is wanted.
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.

    Example:
        >>> with watched(None, True, 1000, "a run") as callback:  # no terminal here
        ...     print(callback)
        None
    """
    if not progress or not (in_notebook() or sys.stdout.isatty()):
        yield callback
        return
    kind = NotebookProgress if in_notebook() else LiveProgress
    with kind(max_shots, title) as display:

        def watch(nfev: int, x: Array, fun: float, std: float, shots: int) -> Any:
            display(nfev, x, fun, std, shots)
            return None if callback is None else callback(nfev, x, fun, std, shots)

        yield watch


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook; IPython is not loaded to find out.

    Example:
        >>> in_notebook()
        False
    """
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")
