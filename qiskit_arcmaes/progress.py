"""A live display of a run in the terminal, as a callback. Needs the ``plot`` extra (rich)."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class LiveProgress:
    """Shows shots spent, the present value with its error, and the shots of the last job.

    Use it as a context manager, and pass it as ``callback``.

    Args:
        max_shots: The budget, for the bar's end.
        title: What stands before the bar.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> with LiveProgress(5000, "sphere") as progress:  # doctest: +ELLIPSIS
        ...     result = minimize(oracle, [1.0] * 3, max_shots=5000, callback=progress, seed=1)
        sphere...
    """

    def __init__(self, max_shots: int, title: str) -> None:
        self._display = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._task = self._display.add_task(title, total=max_shots, figures="")
        self._points = 0
        self._spent = 0

    def __enter__(self) -> LiveProgress:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._display.stop()

    def __call__(self, nfev: int, x: NDArray[Any], fun: float, std: float, shots: int) -> None:
        """Show the state after a job."""
        each = (shots - self._spent) / max(nfev - self._points, 1)
        self._points, self._spent = nfev, shots
        figures = f"value {fun:.4f} ± {std:.4f}, {each:,.0f} shots a point"
        self._display.update(self._task, completed=shots, figures=figures)
