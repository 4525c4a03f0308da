"""Do ``frugal`` and ``ar`` get along with COCO's noisy functions, and how fast are they there?

    python bench/bbob_noisy.py run [page] [--instances 15] [--budget 10000] [--jobs 2]

Needs the extra ``coco``. ``run`` makes the runs that are missing in runs.csv: the functions f101 to
f130 of the suite bbob-noisy, d = 5 and 20, by ``minimize`` with one evaluation per shot. ``page``
writes index.md beside it, and puts it into the list of results pages. ``--instances`` is a number
(15: instances 1 to 15) or a list (16,17 or 16-20), ``--budget`` is in evaluations per coordinate.

A run depends on its method, function, dimension, instance and budget only: ``run`` goes on where it
was interrupted, and the rows are the same for every number of processes. The page has the instances
1 to 15; who changes a method by what he sees looks at others.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import time
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import bbob_noisy_page as page
from bbob_noisy_runs import DIMS, FUNCTIONS, METHODS, Outcome, Task, run

FOLDER = Path(__file__).parent.parent / "docs/results/bbob_noisy"


def main() -> None:
    """Make the runs, write the page."""
    given = arguments().parse_args()
    file = given.folder / "runs.csv"
    given.folder.mkdir(parents=True, exist_ok=True)
    if "run" in given.parts:
        made = page.read(file)
        missing = [task for task in tasks_of(given) if task not in made]
        if missing:
            keep_commit(given.folder)
            make_runs(missing, file, given.jobs, time.perf_counter() + given.seconds)
    if "page" in given.parts:
        found = page.read(file).items()
        done = {task: outcome for task, outcome in found if task.budget == given.budget}
        page.write(given.folder, done)
        if given.folder == FOLDER:
            page.link(FOLDER.parent / "index.md")


def arguments() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=("run", "page"))
    parser.add_argument("--instances", type=numbers, default="15", help="15, or 16,17, or 16-20")
    parser.add_argument("--functions", type=listed, default=list(FUNCTIONS), help="101-130")
    parser.add_argument("--dims", type=listed, default=list(DIMS), help="5,20")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--budget", type=int, default=10**4, help="evaluations per coordinate")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then stop")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of runs.csv and the page")
    return parser


def listed(text: str) -> list[int]:
    """Integers of a list with ranges, as in 101,107-109."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [number for end in ends for number in range(end[0], end[-1] + 1)]


def numbers(text: str) -> list[int]:
    """Instances: a list, or 1 to n for a single number n."""
    return list(range(1, int(text) + 1)) if text.isdigit() else listed(text)


def tasks_of(given: argparse.Namespace) -> list[Task]:
    """All runs, instance by instance: an interrupted sweep has something of every function."""
    return [
        Task(method, function, dim, instance, given.budget)
        for instance in given.instances
        for dim in given.dims
        for function in given.functions
        for method in given.methods
    ]


def make_runs(tasks: list[Task], file: Path, jobs: int, deadline: float) -> None:
    """Make runs; their rows have the order of the tasks.

    Args:
        tasks: The runs.
        file: Where their outcomes are kept.
        jobs: Processes.
        deadline: No run begins after it, on the clock of ``time.perf_counter``.
    """
    pool = ProcessPoolExecutor(jobs)
    try:
        keep([(task, pool.submit(run, task)) for task in tasks], file, deadline)
    finally:
        pool.shutdown(cancel_futures=True)


def keep(runs: list[tuple[Task, Future[Outcome]]], file: Path, deadline: float) -> None:
    """Write one row after the other, as the runs end."""
    new = not file.exists()
    with file.open("a", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        if new:
            writer.writerow(page.COLUMNS)
        for count, (task, future) in enumerate(runs, start=1):
            if time.perf_counter() > deadline and future.cancel():
                continue
            outcome = future.result()
            writer.writerow(page.row_of(task, outcome))
            lines.flush()
            print(f"{count}/{len(runs)} {said(task, outcome)}", flush=True)


def said(task: Task, outcome: Outcome) -> str:
    """One run in one line."""
    where = f"f{task.function} d={task.dim} i={task.instance} {task.method}"
    ratio = outcome.error / outcome.start
    return f"{where}: error {outcome.error:.2g}, {ratio:.2g} of the start's, " + (
        outcome.failure or f"{outcome.seconds:.2f} s"
    )


def keep_commit(folder: Path) -> None:
    """Add the commit that the next runs are made with to the list of commits."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    where = Path(__file__).parent
    commit = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True)
    file = folder / "commit.txt"
    known = file.read_text().split() if file.exists() else []
    if commit.stdout.strip() not in known:
        file.write_text("\n".join([*known, commit.stdout.strip()]) + "\n")


if __name__ == "__main__":
    main()
