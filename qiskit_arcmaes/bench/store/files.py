"""Files that a reader finds complete or not at all, and tables as CSV."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from qiskit_arcmaes.bench.store.errors import StoreError
from qiskit_arcmaes.bench.store.records import Status
from qiskit_arcmaes.bench.tasks import Task

Row = TypeVar("Row", bound=Task)

_DRAFTS = ".*.tmp"


def write_atomically(path: Path, text: Iterable[str]) -> None:
    """Write a file under another name and rename it: a kill leaves a draft, never half a file."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines(text)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def is_draft(path: Path) -> bool:
    """Whether a file is a draft that a killed process left.

    Example:
        >>> is_draft(Path("out/.runs.csv.123.tmp")), is_draft(Path("out/runs.csv"))
        (True, False)
    """
    return path.match(_DRAFTS)


def remove_drafts(directory: Path) -> None:
    """Remove the drafts that killed processes left; nobody may write there meanwhile."""
    for draft in directory.glob(_DRAFTS):
        draft.unlink(missing_ok=True)


def remove_directory(directory: Path, leaving: Path) -> None:
    """Remove a directory: first its name, so that no half of it is left under that name."""
    directory.rename(leaving)
    shutil.rmtree(leaving)


def as_csv(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """The lines of a table, floats with all their digits."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def read_rows(kind: type[Row], path: Path) -> list[Row]:
    """The rows of a table as dataclasses, whose fields are its columns.

    Raises:
        StoreError: The table has other columns.
    """
    convert = [_converter(str(column.type)) for column in fields(kind)]
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        head = next(lines, None)
        if head != [column.name for column in fields(kind)]:
            raise StoreError(f"{str(path)!r} has other columns than this package writes: {head}.")
        return [
            kind(*(make(text) for make, text in zip(convert, line, strict=True))) for line in lines
        ]


def _converter(annotation: str) -> Callable[[str], Any]:
    """What makes a field's value of its text; the empty text of an optional field is None."""
    types: dict[str, Callable[[str], Any]] = {
        "int": int,
        "float": float,
        "str": sys.intern,
        "Status": Status,
    }
    name, _, optional = annotation.partition(" | ")
    make = types[name]
    return (lambda text: None if text == "" else make(text)) if optional else make
