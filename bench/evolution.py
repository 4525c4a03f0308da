"""Is ``ar`` the best evolution strategy of the package, and what is each of its parts worth?

    python bench/evolution.py PART ... [--runs 20] [--long 10] [--variances 3] [--jobs 2]

Parts: ``functions`` (the paper's fourteen, d = 10 and 20, 10^4, 10^5 and 10^7 shots), ``price``
(100 shots per point, both stopped at the same cost), ``circuits`` (H2, LiH, Ising 6, MaxCut 8,
10^5 and 10^6 shots), ``ablation`` (the functions, d = 10, 10^4 and, with ``--long`` runs, 10^5
shots, on seeds of its own), ``circuit-ablation`` (four circuits of the development set, the same
with 10^5 and 10^6 shots), ``time`` (a generation in units of plain CMA-ES), ``page`` (writes
docs/results/evolution). Errors are kept in runs.csv there: a part goes on where it was interrupted,
and with more runs it makes those that are missing. ``--jobs`` processes share the runs; each has
its own seed, so that the errors and their order are the same for every number of processes.

The others get their best settings: lambda = default, 40 or 100 and, where M is fixed, M for about
300, 1,000 or 10,000 generations (not 10,000 on circuits), chosen in each group on other seeds: one
run of SELECTION at tau² = 10, on circuits one run of the problem. At 10^7 shots only those take
part that are within a factor of FAR of the best other at 10^5. ``ar`` has its defaults.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import evolution_page as page
import numpy as np
from evolution_runs import CIRCUIT_VARIANTS, VARIANTS, Task, error, generation_time

from qiskit_arcmaes.functions import FUNCTIONS
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.registry import METHODS

FILE = Path(__file__).parent.parent / "docs/results/evolution/runs.csv"
DIMS, BUDGETS, LONG = (10, 20), (10**4, 10**5, 10**7), 10**7
ABLATION_CIRCUITS = ("dev_h2", "dev_ising3", "dev_xy5", "dev_qaoa5_p3_random")
CIRCUITS, CIRCUIT_BUDGETS = ("h2", "lih", "ising6", "maxcut8"), (10**5, 10**6)
OTHERS = ("cma", "three-stage", "uh", "lra", "psa")
FIXED = ("cma", "lra", "psa")  # their M is the same throughout
GENERATIONS, POPULATIONS = (300, 1000, 10_000), (0, 40, 100)  # 0: the default
SELECTION = ("sphere", "ellipsoid", "cosine_mixture", "rastrigin", "sum_absolute")
# first seeds: of the choice of settings, of the tables, of the ablation
SELECTION_RUN, RUN, ABLATION_RUN = 29_000, 20_000, 25_000
PRICE = 100.0
FAR = 5.0


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = ("functions", "price", "circuits", "ablation", "circuit-ablation", "time", "page")
    parser.add_argument("parts", nargs="+", choices=parts)
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="of functions")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--long", type=int, default=10, help="runs at 10^7 shots, and of the longer ablations"
    )
    parser.add_argument(
        "--variances", type=int, default=3, help="1: one tau² per function, in turn"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then stop")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        run_parts(given, Store(time.perf_counter() + given.seconds, pool))


def run_parts(given: argparse.Namespace, store: Store) -> None:
    """Run one part after the other."""
    if set(given.parts) - {"page", "time"}:  # these make no runs
        page.write_commit(commit())
    for part in given.parts:
        if part == "functions":
            for budget in given.budgets:
                for dim in DIMS:
                    problems = functions(dim, given.variances)
                    if budget == LONG:
                        close = near(store, dim)
                        compare(store, part, problems, budget, given.long, close)
                    else:
                        compare(store, part, problems, budget, given.runs)
        elif part == "price":
            for dim in DIMS:
                problems = functions(dim, given.variances)
                compare(store, part, problems, 10**6, given.runs, ("lra",), PRICE)
        elif part == "circuits":
            for budget in CIRCUIT_BUDGETS:
                for name in CIRCUITS:
                    compare(store, part, [(name, get_problem(name).dim, 0)], budget, given.runs)
        elif part == "ablation":
            store.run([task for name in VARIANTS for task in ablation(name, given)])
        elif part == "circuit-ablation":
            store.run([task for name in CIRCUIT_VARIANTS for task in circuit_ablation(name, given)])
        elif part == "time":
            page.write_times({name: generation_time(name) for name in ("cma", "lra", "ar")})
        else:
            page.write(store.done, PRICE)


def near(store: Store, dim: int) -> tuple[str, ...]:
    """The others that are not far behind the best of them at 10^5 shots."""
    means = page.group_means(store.done, "functions", dim, 10**5)
    limit = FAR * min(mean for method, mean in means.items() if method != "ar")
    return tuple(method for method in OTHERS if means.get(method, np.inf) <= limit)


def functions(dim: int, variances: int) -> list[tuple[str, int, int]]:
    """Problems (name, dimension, tau²): all three noise levels, or one per function in turn."""
    levels = (1, 10, 100)
    return [
        (name, dim, variance)
        for index, name in enumerate(FUNCTIONS)
        for variance in (levels if variances == 3 else (levels[index % 3],))
    ]


def compare(
    store: Store,
    part: str,
    problems: list[tuple[str, int, int]],
    budget: int,
    runs: int,
    others: tuple[str, ...] = OTHERS,
    price: float = 0.0,
) -> None:
    """Run ``ar`` and each of the others at its best settings."""

    def tasks(method: str, popsize: int, shots: int, seeds: range, chosen: Any) -> list[Task]:
        return [
            Task(part, method, popsize, shots, *problem, budget, price, seed)
            for seed in seeds
            for problem in chosen
        ]

    seeds = range(RUN, RUN + runs)
    trial = range(SELECTION_RUN, SELECTION_RUN + 1)
    simple = [(name, dim, 10) for name, dim, v in problems if name in SELECTION and v]
    simple = sorted(set(simple)) or problems
    trials = {
        (method, *option): [
            replace(task, part="choice") for task in tasks(method, *option, trial, simple)
        ]
        for method in others
        for option in settings(method, problems[0], budget, price)
    }
    store.run([task for selection in trials.values() for task in selection])
    chosen = tasks("ar", 0, 0, seeds, problems)
    for method in others:
        options = [option for option in trials if option[0] == method]
        best = min(options, key=lambda option: store.mean(trials[option]))
        chosen += tasks(*best, seeds, problems)
    store.run(sorted(chosen, key=lambda task: task.seed))


def settings(
    method: str, problem: tuple[str, int, int], budget: int, price: float
) -> list[tuple[int, int]]:
    """All (lambda, M) of a method; 0 is its own."""
    name, dim, variance = problem
    evaluations = budget if variance else budget / get_problem(name).groups
    found: dict[tuple[int, int], None] = {}
    for popsize in POPULATIONS:
        points = popsize or METHODS[method].popsize(dim, evaluations, None)
        for generations in GENERATIONS if variance else GENERATIONS[:2]:
            shots = max(int(evaluations / (points * generations) - price), 1)
            found[popsize, shots if method in FIXED else 0] = None
    return list(found)


def ablation(name: str, given: argparse.Namespace) -> list[Task]:
    """The runs of one variant."""
    problems = functions(10, given.variances)
    return [
        Task("ablation", name, 0, 0, *problem, budget, 0.0, ABLATION_RUN + run)
        for budget, runs in ((10**4, given.runs), (10**5, given.long))
        for run in range(runs)
        for problem in problems
    ]


def circuit_ablation(name: str, given: argparse.Namespace) -> list[Task]:
    """The runs of one variant on circuits of the development set."""
    return [
        Task(
            "circuit-ablation", name, 0, 0, circuit, get_problem(circuit).dim, 0, budget, 0.0, seed
        )
        for budget, runs in zip(CIRCUIT_BUDGETS, (given.runs, given.long), strict=True)
        for seed in range(ABLATION_RUN, ABLATION_RUN + runs)
        for circuit in ABLATION_CIRCUITS
    ]


def commit() -> str:
    """The commit that the runs are made with."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class Store:
    """The errors of all runs so far, on disk.

    Args:
        deadline: No run begins after it, on the clock of ``time.perf_counter``.
        pool: The processes that make the runs.
    """

    def __init__(self, deadline: float, pool: ProcessPoolExecutor) -> None:
        self.deadline, self.pool = deadline, pool
        self.done: dict[Task, float] = page.read(FILE, Task)

    def mean(self, tasks: list[Task]) -> float:
        """Geometric mean of the errors; infinite where one is missing."""
        return page.geometric_mean(self.done.get(task, np.inf) for task in tasks)

    def run(self, tasks: list[Task]) -> None:
        """Make the runs that are missing; their rows have the order of the tasks."""
        FILE.parent.mkdir(parents=True, exist_ok=True)
        new = not FILE.exists()
        missing = [task for task in tasks if task not in self.done]
        runs = [(task, self.pool.submit(error, task)) for task in missing]
        with FILE.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow([*(f.name for f in fields(Task)), "error"])
            for task, run in runs:
                if time.perf_counter() > self.deadline and run.cancel():
                    continue
                self.done[task] = run.result()
                writer.writerow([*asdict(task).values(), f"{self.done[task]:.6g}"])
                file.flush()


if __name__ == "__main__":
    main()
