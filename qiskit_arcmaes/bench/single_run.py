"""One problem through Qiskit's VQE or QAOA: ``arcmaes vqe`` and ``arcmaes qaoa``.

The summary tells what the optimizer reported, with its error bar, and what is true: the
exact energy of the point that it returned.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from qiskit_algorithms import QAOA, VQE

from qiskit_arcmaes.optimizers import (
    ARCMAES,
    CMAES,
    LRACMAES,
    PSACMAES,
    UHCMAES,
    ShotFrugal,
    ShotOptimizer,
    ShotOptimizerResult,
    ThreeStageCMAES,
)
from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler
from qiskit_arcmaes.problems import PROBLEMS, Problem, get_problem, maxcut_problem
from qiskit_arcmaes.settings import Callback

METHODS: dict[str, tuple[type[ShotOptimizer], dict[str, Any]]] = {
    "frugal": (ShotFrugal, {}),
    "ar": (ARCMAES, {}),
    "ar-paper": (ARCMAES, {"variant": "ar-paper"}),
    "ar-literal": (ARCMAES, {"variant": "ar-literal"}),
    "cma": (CMAES, {}),
    "three-stage": (ThreeStageCMAES, {}),
    "uh": (UHCMAES, {}),
    "lra": (LRACMAES, {}),
    "psa": (PSACMAES, {}),
}
"""The methods that can be watched: the optimizer's class and its settings."""

FIXED_SHOTS = ("cma", "lra", "psa")
"""Methods that take ``name@M`` for M shots per evaluation."""

LARGEST_GRAPH = 14  # nodes: the best reachable energy is searched for before the run


@dataclass(frozen=True)
class SingleRun:
    """A finished run and the truth about it.

    Attributes:
        algorithm: ``VQE`` or ``QAOA``.
        problem: What was solved.
        method: As it was asked for.
        result: What the optimizer returned.
        exact: Exact energy at the returned point, without the problem's shift.
        measured: QAOA's best measured bitstring and its value, or None.
    """

    algorithm: str
    problem: Problem
    method: str
    result: ShotOptimizerResult
    exact: float
    measured: tuple[str, float] | None


def run_vqe(
    problem: str, shots: float, method: str = "frugal", *, seed: int = 1, show: bool | None = None
) -> SingleRun:
    """Minimise the energy of a named problem with Qiskit's VQE.

    Args:
        problem: One of ``qiskit_arcmaes.problems.PROBLEMS``.
        shots: Budget in shots, everything counted: an integer, at least 1 (``1e6`` will do).
        method: One of ``METHODS``; ``cma@M``, ``lra@M`` and ``psa@M`` fix M shots.
        seed: Seed of the start, the shots and the optimizer, >= 0.
        show: Whether to show progress; None: only in a terminal.

    Raises:
        ValueError: When an argument is out of its limits; the message says which ones there are.

    Example:
        >>> from qiskit_arcmaes.bench.single_run import run_vqe
        >>> run = run_vqe("h2", 2e4, "frugal", seed=3)
        >>> run.result.shots <= 20_000, run.exact < -1.8
        (True, True)
    """
    if problem not in PROBLEMS:
        raise ValueError(f"problem = {problem!r} is unknown; take one of {', '.join(PROBLEMS)}.")
    return _run("VQE", get_problem(problem), shots, method, seed, show)


def run_qaoa(
    problem: str, shots: float, method: str = "frugal", *, seed: int = 1, show: bool | None = None
) -> SingleRun:
    """Cut a graph with Qiskit's QAOA, three layers deep.

    Args:
        problem: ``maxcut8``, or ``maxcutN`` for another even N from 4 to 14: a random 3-regular
            graph drawn from ``seed``, for which the best reachable energy is searched first
            (seconds; about twenty for N = 10).
        shots: Budget in shots, as for ``run_vqe``.
        method: As for ``run_vqe``.
        seed: Seed of the start, the shots and the optimizer, >= 0.
        show: Whether to show progress; None: only in a terminal.

    Example:
        >>> from qiskit_arcmaes.bench.single_run import run_qaoa
        >>> run = run_qaoa("maxcut8", 2e3, "uh", seed=3)
        >>> run.measured is not None and run.result.shots <= 2_000
        True
    """
    return _run("QAOA", _graph_problem(problem, seed), shots, method, seed, show)


def default_picture(run: SingleRun) -> Path:
    """Where the picture of a run goes unless another place is asked for.

    Example:
        >>> from qiskit_arcmaes.bench.single_run import default_picture, run_vqe
        >>> default_picture(run_vqe("h2", 2e4, "cma@50")).as_posix()
        'out/vqe-h2-cma-50.png'
    """
    method = run.method.replace("@", "-")
    return Path("out") / f"{run.algorithm.lower()}-{run.problem.name}-{method}.png"


def write_picture(run: SingleRun, path: Path) -> Path:
    """Draw the run (value, shots of every job, shots spent) into a PNG, PDF or SVG file.

    Args:
        run: What ``run_vqe`` or ``run_qaoa`` returned.
        path: File to write; the ending decides the format; missing folders are made.
    """
    title = f"{run.algorithm}, {run.problem.description}: {run.method}"
    figure = run.result.plot(run.problem.best_energy, title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return path


def summary(run: SingleRun) -> str:
    """What was reported and what is true, in a few lines.

    Args:
        run: What ``run_vqe`` or ``run_qaoa`` returned.

    Example:
        >>> from qiskit_arcmaes.bench.single_run import run_vqe, summary
        >>> print(summary(run_vqe("h2", 2e4)).splitlines()[0])
        VQE, H2 at 0.735 angstrom (2 qubits, 4 parameters, 2 bases) with frugal
    """
    problem, result = run.problem, run.result
    size = f"{problem.num_qubits} qubits, {problem.dim} parameters, {problem.groups} bases"
    lines = [f"{run.algorithm}, {problem.description} ({size}) with {run.method}"]
    lines += [f"  {label:<27} {figure}" for label, figure in _figures(run)]
    lines.append(
        f"  {result.shots:,} shots in {result.jobs:,} jobs, {result.nfev:,} points, "
        f"{result.seconds:.1f} s. {result.message}"
    )
    return "\n".join(lines)


def _figures(run: SingleRun) -> Iterator[tuple[str, str]]:
    problem, result = run.problem, run.result
    shift = problem.shift
    if np.isfinite(result.fun):
        low, high = result.interval()
        place = "inside" if low <= run.exact <= high else "outside"
        yield "measured energy", f"{result.fun + shift:.6f} ± {result.fun_std:.6f}"
        yield "its 95% interval", f"{low + shift:.6f} to {high + shift:.6f} (exact: {place})"
    else:
        yield "measured energy", "none: the run ended before the last estimate"
    yield "exact energy of that point", f"{run.exact + shift:.6f}"
    yield "best of this circuit", f"{problem.best_energy + shift:.6f}"
    yield "error above it", f"{run.exact - problem.best_energy:.2e}"
    yield "ground energy", f"{problem.ground_energy + shift:.6f}"
    if run.measured is not None:
        bits, value = run.measured
        yield "best cut measured", f"{-value:g} of {-problem.ground_energy:g} edges ({bits})"


def _run(
    algorithm: str, problem: Problem, shots: float, method: str, seed: int, show: bool | None
) -> SingleRun:
    budget = _budget(shots)
    make, settings = _optimizer(method)
    if seed < 0:
        raise ValueError(f"seed must be an integer, at least 0, not {seed!r}.")
    primitive = (ShotSampler if algorithm == "QAOA" else ShotEstimator)(seed=seed)
    start = problem.start(np.random.default_rng(seed))
    title = f"{problem.name} {method}"
    with _progress(budget, title, sys.stdout.isatty() if show is None else show) as callback:
        optimizer = make(budget, primitive=primitive, seed=seed, callback=callback, **settings)
        if algorithm == "QAOA":
            solver: Any = QAOA(primitive, optimizer, reps=problem.dim // 2, initial_point=start)
        else:
            solver = VQE(primitive, problem.ansatz, optimizer, initial_point=start)
        found = solver.compute_minimum_eigenvalue(problem.operator)
    exact = float(problem.energy(np.asarray(found.optimal_point)[None])[0])
    best = getattr(found, "best_measurement", None)
    measured = None if best is None else (str(best["bitstring"]), float(np.real(best["value"])))
    return SingleRun(algorithm, problem, method, found.optimizer_result, exact, measured)


@contextmanager
def _progress(budget: int, title: str, show: bool) -> Iterator[Callback | None]:
    if not show:
        yield None
        return
    from qiskit_arcmaes.engine.progress import LiveProgress

    with LiveProgress(budget, title) as progress:
        yield progress


def _budget(shots: float) -> int:
    if not (shots >= 1 and float(shots).is_integer()):
        raise ValueError(f"shots must be an integer, at least 1, not {shots!r}.")
    return int(shots)


def _optimizer(method: str) -> tuple[type[ShotOptimizer], dict[str, Any]]:
    name, _, shots = method.partition("@")
    if name not in METHODS:
        raise ValueError(f"method = {method!r} is unknown; take one of {', '.join(METHODS)}.")
    make, settings = METHODS[name]
    if "@" not in method:
        return make, settings
    if name not in FIXED_SHOTS:
        choices = ", ".join(f"{each}@M" for each in FIXED_SHOTS)
        raise ValueError(
            f"method = {method!r}: {name} chooses its shots itself; leave @{shots} out, "
            f"or take one of {choices}."
        )
    if not re.fullmatch(r"[1-9]\d*", shots):
        raise ValueError(
            f"method = {method!r}: after the @ stands an integer of shots, "
            f"at least 1, not {shots!r}."
        )
    return make, {**settings, "shots": int(shots)}


def _graph_problem(name: str, seed: int) -> Problem:
    if name in PROBLEMS and name.startswith("maxcut"):
        return get_problem(name)
    graph = re.fullmatch(r"maxcut(\d+)", name)
    if graph and 4 <= int(graph[1]) <= LARGEST_GRAPH and int(graph[1]) % 2 == 0:
        return maxcut_problem(int(graph[1]), seed=seed)
    hint = f" For this one there is: arcmaes vqe {name}." if name in PROBLEMS else ""
    raise ValueError(
        f"problem = {name!r} is not a graph to cut; take maxcut8, or maxcutN for an even N "
        f"from 4 to {LARGEST_GRAPH}.{hint}"
    )
