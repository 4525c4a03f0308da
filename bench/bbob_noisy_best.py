"""The published best on COCO's noisy functions, from the data that come with cocopp.

For each function and dimension these data join the 45 algorithms that were submitted from 2009 to
2016; the ERT of a precision is that of whichever algorithm is fastest to it.
"""

from __future__ import annotations

import contextlib
import csv
import io
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bbob_noisy_runs import DIMS, FUNCTIONS, PRECISIONS

ARCHIVE = "best09-16-bbob-noisy.tar.gz"
COLUMNS = ("function", "name", "dim", *(f"ert_{precision:g}" for precision in PRECISIONS))


@dataclass(frozen=True)
class Best:
    """A function's name, and the best ERT at each of ``PRECISIONS``, infinite where unreached."""

    name: str
    erts: tuple[float, ...]


Published = Mapping[tuple[int, int], Best]  # by function and dimension


def published(file: Path) -> Published:
    """The published best as kept in ``file``, which is made with cocopp where it is missing."""
    if not file.exists():
        save(file, from_cocopp())
    with file.open() as lines:
        return {
            (int(row["function"]), int(row["dim"])): Best(
                row["name"], tuple(float(row[column]) for column in COLUMNS[3:])
            )
            for row in csv.DictReader(lines)
        }


def save(file: Path, best: Published) -> None:
    """Keep the published best, so that the page can be written without cocopp."""
    with file.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (function, dim), found in best.items():
            erts = [f"{ert:.6g}" for ert in found.erts]
            writer.writerow([function, found.name, dim, *erts])


def from_cocopp() -> Published:
    """Read the data; cocopp unpacks the archive where it lies, hence the copy."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # it looks for an archive in the network, and does without
        import cocopp
        from cocopp import bestalg

        package = Path(cocopp.__file__).parent
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(package / "refalgs" / ARCHIVE, folder)
            entries = bestalg.load_reference_algorithm(str(copy), force=True)
            names = function_names(package / "bbob-noisy-benchmarkshortinfos.txt")
            return {
                (function, dim): Best(
                    names[function], tuple(map(float, entries[dim, function].detERT(PRECISIONS)))
                )
                for dim in DIMS
                for function in FUNCTIONS
            }


def function_names(file: Path) -> dict[int, str]:
    """Names with the kind of noise, by number."""
    lines = (line.split(maxsplit=1) for line in file.read_text().splitlines() if line[:1].isdigit())
    return {int(number): name.strip() for number, name in lines}
