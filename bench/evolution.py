"""Is ``ar`` the best evolution strategy of the package, and what is each of its parts worth?

    python bench/evolution.py PART ... [--runs 20] [--long 10] [--variances 3] [--seconds N]

Parts: ``functions`` (the paper's fourteen, d = 10 and 20, 10^4, 10^5 and 10^7 shots), ``price``
(100 shots per point, both stopped at the same cost), ``circuits`` (H2, LiH, Ising 6, MaxCut 8,
10^5 and 10^6 shots), ``ablation`` (d = 20, 10^5 and 10^6 shots), ``time`` (a generation in units of
plain CMA-ES), ``page`` (writes docs/results/evolution). Errors are kept in runs.csv there: a part
goes on where it was interrupted, and with more runs it makes those that are missing.

The others get their best settings: lambda = default, 40 or 100 and, where M is fixed, M for about
300, 1,000 or 10,000 generations (not 10,000 on circuits), chosen in each group on other seeds: one
run of SELECTION at tau² = 10, on circuits one run of the problem. At 10^7 shots only those take
part that are within a factor of FAR of the best other at 10^5. ``ar`` has its defaults.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import _common as common
import evolution_page as page
import numpy as np

from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.functions import FUNCTIONS, get_function
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.adaptive_params import DEFAULTS, AdaptiveParams

FILE = Path(__file__).parent.parent / "docs/results/evolution/runs.csv"
DIMS, BUDGETS, LONG = (10, 20), (10**4, 10**5, 10**7), 10**7
CIRCUITS, CIRCUIT_BUDGETS = ("h2", "lih", "ising6", "maxcut8"), (10**5, 10**6)
OTHERS = ("cma", "three-stage", "uh", "lra", "psa")
FIXED = ("cma", "lra", "psa")  # their M is the same throughout
GENERATIONS, POPULATIONS = (300, 1000, 10_000), (0, 40, 100)  # 0: the default
SELECTION = ("sphere", "ellipsoid", "cosine_mixture", "rastrigin", "sum_absolute")
SELECTION_RUN, RUN = 9000, 100  # first seeds: of the choice of settings, of the tables
PRICE = 100.0
FAR = 5.0
VARIANTS: dict[str, AdaptiveParams] = {
    "ar": DEFAULTS,
    "no mirrored samples": replace(DEFAULTS, mirrored=False),
    "weights of the best half": replace(DEFAULTS, expected_weights=False),
    "full steps": replace(DEFAULTS, learning_rates=False),
    "sigma may exceed sigma0": replace(DEFAULTS, widest=1e9),
    "no least rate": replace(DEFAULTS, full_generations=0.0),
    "M = 1": replace(DEFAULTS, most_shots=0.0),
    "M up to 3 o": replace(DEFAULTS, most_shots=3.0),
    "no part but the learning rates": replace(
        DEFAULTS, mirrored=False, expected_weights=False, most_shots=0.0
    ),
}


@dataclass(frozen=True)
class Task:
    """One run; ``variance`` is tau², ``popsize`` 0 the default, ``shots`` 0 the method's own M."""

    part: str
    method: str
    popsize: int
    shots: int
    problem: str
    dim: int
    variance: int
    budget: int
    price: float
    seed: int


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = ("functions", "price", "circuits", "ablation", "time", "page")
    parser.add_argument("parts", nargs="+", choices=parts)
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS, help="of functions")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--long", type=int, default=10, help="runs at 10^7 shots")
    parser.add_argument(
        "--variances", type=int, default=3, help="1: one tau² per function, in turn"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then stop")
    given = parser.parse_args()
    store = Store(time.perf_counter() + given.seconds)
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
            for name in VARIANTS:
                store.run(ablation(name, given))
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
    store.run(tasks("ar", 0, 0, seeds, problems))
    simple = [(name, dim, 10) for name, dim, v in problems if name in SELECTION and v]
    simple = sorted(set(simple)) or problems
    for method in others:
        trial = range(SELECTION_RUN, SELECTION_RUN + 1)
        options = settings(method, problems[0], budget, price)
        errors = {}
        for option in options:
            selection = [replace(t, part="choice") for t in tasks(method, *option, trial, simple)]
            store.run(selection)
            errors[option] = page.geometric_mean(store.done.get(t, np.inf) for t in selection)
        best = min(errors, key=errors.__getitem__)
        store.run(tasks(method, *best, seeds, problems))


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
    seeds = range(RUN, RUN + given.runs)
    problems = functions(20, given.variances)
    return [
        Task("ablation", name, 0, 0, *problem, budget, 0.0, seed)
        for budget in (10**5, 10**6)
        for seed in (seeds if budget == 10**5 else seeds[: given.long])
        for problem in problems
    ]


class Store:
    """The errors of all runs so far, on disk."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.done: dict[Task, float] = page.read(FILE, Task)

    def run(self, tasks: list[Task]) -> None:
        """Make the runs that are missing."""
        FILE.parent.mkdir(parents=True, exist_ok=True)
        new = not FILE.exists()
        with FILE.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow([*(f.name for f in fields(Task)), "error"])
            for task in tasks:
                if task in self.done or time.perf_counter() > self.deadline:
                    continue
                self.done[task] = error(task)
                writer.writerow([*asdict(task).values(), f"{self.done[task]:.6g}"])
                file.flush()


def error(task: Task) -> float:
    """Exact loss at the recommendation above the lowest possible one."""
    rng = np.random.default_rng([task.seed, task.dim, task.variance, len(task.problem)])
    if task.variance:
        function = get_function(task.problem, task.dim)
        start, step = common.first_point(function, rng), common.first_step(function)
        method = build(task, start, step, task.budget, rng.spawn(1)[0])
        deviation = np.sqrt(task.variance)

        def measure(points: common.Array, shots: int) -> Estimate:
            noise = deviation / np.sqrt(shots) * rng.standard_normal(len(points))
            return Estimate(function(points) + noise)

        drive(method, measure, task.budget, task.price)
        return max(float(function(method.recommendation)) - function.minimum, 1e-12)
    problem = get_problem(task.problem)
    start, oracle = problem.start(rng), ShotOracle(problem, rng.spawn(1)[0])
    evaluations = task.budget / problem.groups
    method = build(task, start, 0.2 * np.pi, evaluations, rng, periodic=True, variances=True)
    drive(method, oracle.evaluate, evaluations, task.price)
    return float(problem.energy(method.recommendation[None])[0]) - problem.best_energy


def build(
    task: Task,
    start: common.Array,
    step: float,
    evaluations: float,
    rng: np.random.Generator,
    periodic: bool = False,
    variances: bool = False,
) -> Method:
    """The method of a task, as ``minimize`` would make it."""
    name = "ar" if task.method in VARIANTS else task.method
    popsize = task.popsize or METHODS[name].popsize(task.dim, evaluations, None)
    setup = Setup(
        start=start,
        sigma0=step,
        popsize=popsize,
        domain=make_domain(task.dim, None, periodic or None),
        budget=0.99 * evaluations,
        shots=task.shots or None,
        overhead=task.price,
        reports_variances=variances,
        angles=periodic,
    )
    if name == "ar":
        return AdaptiveReevaluation(setup, rng, VARIANTS[task.method])
    return METHODS[name].build(setup, rng)


def drive(method: Method, measure: Any, budget: float, price: float) -> None:
    """Job by job until shots + price · points would exceed the budget."""
    spent = 0.0
    while True:
        batch = method.ask()
        spent += len(batch.points) * (batch.shots + price)
        if spent > 0.99 * budget:  # the rest is for the last estimate of the recommendation
            return
        method.tell(batch, measure(batch.points, batch.shots))


def generation_time(name: str) -> float:
    """Processor time of ask + tell, d = 20, lambda = 100: the fastest of 40 turns of 20."""
    function = get_function("sphere", 20)
    rng = np.random.default_rng(1)
    method = common.make_method(name, np.full(20, 2.0), 1.0, rng, budget=1e9, noise=1.0)

    def turn() -> Iterator[float]:
        for _ in range(20):
            begin = time.process_time()
            batch = method.ask()
            asked = time.process_time()
            noise = rng.standard_normal(len(batch.points)) / np.sqrt(batch.shots)
            estimate = Estimate(function(batch.points) + noise)
            resumed = time.process_time()
            method.tell(batch, estimate)
            yield time.process_time() - resumed + asked - begin

    return min(float(np.median(list(turn()))) for _ in range(40))


if __name__ == "__main__":
    main()
