"""Run all tutorials from the first cell to the last, each in a kernel and a folder of its own.

``python tools/run_tutorials.py`` checks that they run; ``--write`` keeps the new outputs. Run by
``make tutorials``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

TUTORIALS = Path(__file__).parent.parent / "tutorials"
LONGEST = 600  # seconds for one cell
KERNEL = {
    "OPENBLAS_NUM_THREADS": "1",  # small matrices: threads cost more than they bring
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
}


def run(path: Path, write: bool) -> str:
    """Run one notebook; the empty text, or what went wrong."""
    began = time.monotonic()
    book = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            book,
            timeout=LONGEST,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--IPKernelApp.log_level=40"],
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute(env={**os.environ, **KERNEL})
            complaint = ""
        except CellExecutionError as error:
            complaint = f"{path.name}: {error.ename}: {error.evalue}"
    verdict = "FAILED" if complaint else "ran"
    print(f"{path.name}: {verdict} in {time.monotonic() - began:.0f} s", flush=True)
    if write and not complaint:
        book.metadata.language_info = {"name": "python"}  # not the version of this machine
        nbformat.write(book, path)
    return complaint


def main() -> None:
    """Run the notebooks, two at a time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only those whose name contains one of these")
    parser.add_argument("--write", action="store_true", help="keep the new outputs")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    arguments = parser.parse_args()
    paths = [
        path
        for path in sorted(TUTORIALS.glob("*.ipynb"))
        if not arguments.names or any(name in path.name for name in arguments.names)
    ]
    if not paths:
        raise SystemExit(f"no tutorial is called {' or '.join(arguments.names)}.")
    began = time.monotonic()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        complaints = [
            text for text in pool.map(lambda path: run(path, arguments.write), paths) if text
        ]
    print(f"{len(paths)} tutorials in {time.monotonic() - began:.0f} s")
    if complaints:
        raise SystemExit("\n\n".join(complaints))


if __name__ == "__main__":
    main()
