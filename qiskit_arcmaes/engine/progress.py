"""A live display of a run: in a terminal with rich, in a notebook with HTML, elsewhere in lines.

The terminal's needs the ``plot`` extra (rich). In a file, a pipe or a batch job a line is written
to standard error now and then, and one at the end.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine.ledger import Limits
from qiskit_arcmaes.engine.markup import table
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.settings import Callback

Array = NDArray[np.float64]

_REFRESH = 0.2  # seconds between two updates of a notebook
_LINES = 30.0  # seconds between two lines of a log


class Display:
    """What the displays share: the figures of a run, taken from what a callback is told.

    Args:
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.
    """

    def __init__(self, max_shots: int, title: str) -> None:
        self.max_shots = max_shots
        self.title = title
        self._points = 0
        self._spent = 0
        self._figures = ""
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is open."""

    def __call__(self, nfev: int, x: Array, fun: float, std: float, shots: int) -> None:
        """Show the state after a job; arguments as those of every callback."""
        each = (shots - self._spent) / max(nfev - self._points, 1)
        self._points, self._spent = nfev, shots
        self._figures = f"value {fun:.4f} ± {std:.4f}, {each:,.0f} shots per point"
        self._show()

    def finish(self, result: Result) -> None:
        """Show the end: a full bar, unless the run failed or was interrupted."""
        self._spent = result.shots
        if result.success:
            self.max_shots = result.shots
        self._figures = f"value {result.fun:.4f} ± {result.fun_std:.4f}; {result.stop.value}"
        self._show()

    @property
    def share(self) -> float:
        """What is done of the budget, 0 to 1."""
        return self._spent / self.max_shots if self.max_shots else 1.0

    @property
    def times(self) -> str:
        """Seconds since the beginning, and those left if the shots go on at their pace."""
        gone = time.monotonic() - self._began
        if not self._spent or self.share >= 1:
            return f"{gone:.1f} s"
        return f"{gone:.1f} s, about {gone * (1 / self.share - 1):.0f} s left"

    def _show(self) -> None:
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

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def _show(self) -> None:
        self._bar.update(
            self._task, completed=self._spent, total=self.max_shots, figures=self._figures
        )


class NotebookProgress(Display):
    """The same in a notebook: one output that is rewritten as the run goes on, with time left.

    Args:
        max_shots: The budget, where the bar ends.
        title: What stands before the bar.

    Example:
        >>> progress = NotebookProgress(5000, "sphere")
        >>> progress(10, None, 0.5, 0.1, 2500)
        >>> "50%" in progress._repr_html_(), " left" in progress._repr_html_()
        (True, True)
    """

    def __init__(self, max_shots: int, title: str) -> None:
        super().__init__(max_shots, title)
        self._next = 0.0
        self._handle: Any = None

    def __enter__(self) -> Self:
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

    def _show(self) -> None:
        if self._handle is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + _REFRESH
            self._handle.update(self)

    def __repr__(self) -> str:
        return f"{self.title}: {self.share:.0%} of {self.max_shots:,} shots, {self._figures}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self._spent}" max="{self.max_shots}"></progress>'
        share = f"{self.share:.0%} of {self.max_shots:,} shots"
        return bar + table([(self.title, share, self._figures, self.times)])


class LogProgress(Display):
    """The same where nobody can watch: a line on standard error now and then, and at the end.

    Args:
        max_shots: The budget, where the bar would end.
        title: What stands before the figures.

    Example:
        >>> progress = LogProgress(5000, "sphere")
        >>> progress(10, None, 0.5, 0.1, 2500)  # too early for a line
    """

    def __init__(self, max_shots: int, title: str) -> None:
        super().__init__(max_shots, title)
        self._next = self._began + _LINES

    def finish(self, result: Result) -> None:
        """Write the last line."""
        self._next = 0.0
        super().finish(result)

    def _show(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINES
            share = f"{self.share:.0%} of {self.max_shots:,} shots"
            line = f"{self.title}: {share}, {self._figures}, {self.times}"
            print(line, file=sys.stderr, flush=True)


class Watchable(Protocol):
    """A run, as far as a display needs it."""

    limits: Limits
    callback: Callback | None

    def run(self) -> Result:
        """Run to the end."""
        ...


def run_watched(run: Watchable, progress: bool, title: str) -> Result:
    """Run to the end, with a display if one is wanted.

    Args:
        run: The run; the display is called after each job, before the run's own callback.
        progress: Whether a display is wanted.
        title: What stands before the bar.

    Raises:
        ImportError: In a terminal without rich, before the first shot.
    """
    if not progress:
        return run.run()
    callback = run.callback
    with _display_for(run.limits.shots, title) as display:

        def watch(nfev: int, x: Array, fun: float, std: float, shots: int) -> Any:
            display(nfev, x, fun, std, shots)
            return None if callback is None else callback(nfev, x, fun, std, shots)

        run.callback = watch
        result = run.run()
        display.finish(result)
    return result


def _display_for(max_shots: int, title: str) -> Display:
    """The display for where the output goes."""
    if in_notebook():
        return NotebookProgress(max_shots, title)
    kind = LiveProgress if sys.stdout.isatty() else LogProgress
    return kind(max_shots, title)


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
