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
        >>> history[0], history[["spent"]].columns
        ({'shots': 1.0, 'spent': 10.0}, ('spent',))
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
    def __getitem__(self, name: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, name: slice | list[str] | list[int] | NDArray[Any]) -> History: ...

    def __getitem__(
        self, name: str | int | slice | list[str] | list[int] | NDArray[Any]
    ) -> NDArray[Any] | dict[str, Any] | History:
        """A column by its name, a row by its number, and several of either.

        Rows by a slice, a list of numbers, or a condition as in ``history[history["shots"] > 5]``;
        columns by a list of names.
        """
        if isinstance(name, slice):
            return self._with({key: column[name] for key, column in self._columns.items()})
        if isinstance(name, list | np.ndarray):
            names = [one for one in name if isinstance(one, str)]
            if len(names) == len(name):
                return self._with({key: list(self._column(key)) for key in names})
            rows = np.arange(len(self))[np.asarray(name)].tolist()
            return self._with(
                {key: [column[row] for row in rows] for key, column in self._columns.items()}
            )
        if isinstance(name, int | np.integer):
            if not -len(self) <= name < len(self):
                raise IndexError(f"history has {len(self)} rows, and row {name} was asked for.")
            return {key: column[name] for key, column in self._columns.items()}
        return np.array(self._column(name))

    def _column(self, name: str) -> list[Any]:
        if name not in self._columns:
            raise KeyError(f"history has no column {name!r}; it has {', '.join(self.columns)}.")
        return self._columns[name]

    @staticmethod
    def _with(columns: dict[str, list[Any]]) -> History:
        history = History()
        history._columns = columns
        return history

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
        """All columns as arrays, by name."""
        return {name: self[name] for name in self._columns}

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``, its index the number of the job, from 1.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_pandas needs pandas: pip install pandas, or use to_dict."
            ) from error
        index = pandas.RangeIndex(1, len(self) + 1, name="job")
        return pandas.DataFrame(self.to_dict(), index=index)

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
