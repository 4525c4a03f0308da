"""What happened, job by job: a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine.markup import table

COMMON = (
    "phase", "iteration", "points", "shots", "spent", "value", "value_std", "radius", "next_shots",
)  # fmt: skip
"""The columns of every method, in their order; those after them are the method's diagnostics."""

_SHOWN = 3  # rows at the beginning and at the end that a notebook shows


class History:
    """A table with one row for each job, read column by column.

    Columns of every method: ``phase`` (what the method did with the job, in words), ``iteration``
    (updates made when the job was told), ``points`` (rows of the batch), ``shots`` (M of the job),
    ``spent`` (all shots so far), ``value`` (the loss at the present recommendation as the method
    estimates it, else the mean of the batch), ``value_std`` (its standard error), ``radius`` (the
    largest standard deviation or step of the next job), ``next_shots`` (the real-valued M chosen
    for it). Then what the method decided M from, under its own names.

    Example:
        >>> history = History()
        >>> history.append({"shots": 1.0, "spent": 10.0})
        >>> history.append({"shots": 2.0, "spent": 30.0})
        >>> history["spent"]
        array([10., 30.])
        >>> history[-1:]["shots"]
        array([2.])
    """

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}

    def append(self, row: Mapping[str, float | str]) -> None:
        """Add a row; the first one decides the columns."""
        if not self._columns:
            self._columns = {name: [] for name in row}
        for name, column in self._columns.items():
            column.append(row[name])

    @overload
    def __getitem__(self, name: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, name: slice) -> History: ...

    def __getitem__(self, name: str | slice) -> NDArray[Any] | History:
        if isinstance(name, slice):
            history = History()
            history._columns = {key: column[name] for key, column in self._columns.items()}
            return history
        if name not in self._columns:
            raise KeyError(f"history has no column {name!r}; it has {', '.join(self.columns)}.")
        return np.array(self._columns[name])

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __repr__(self) -> str:
        return f"History({len(self)} jobs: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        """The first and the last rows."""
        rows = list(range(len(self)))
        gap = len(self) > 2 * _SHOWN + 1
        shown = rows[:_SHOWN] + rows[-_SHOWN:] if gap else rows
        cells = [
            (row + 1, *(_cell(column[row]) for column in self._columns.values())) for row in shown
        ]
        if gap:
            cells.insert(_SHOWN, ("…",) * (len(self._columns) + 1))
        return table(cells, head=("job", *self.columns), caption=f"{len(self)} jobs")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns as arrays: ``pandas.DataFrame(result.history.to_dict())``."""
        return {name: self[name] for name in self._columns}

    @classmethod
    def from_dict(cls, columns: Mapping[str, NDArray[Any]]) -> History:
        """The inverse of ``to_dict``."""
        history = cls()
        history._columns = {name: np.asarray(values).tolist() for name, values in columns.items()}
        if len({len(column) for column in history._columns.values()}) > 1:
            raise ValueError("the columns of a history must have the same length.")
        return history


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.5g}"
