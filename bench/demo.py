"""VQE for H2 at equal shots: ShotFrugal, AR-CMA-ES, SPSA and COBYLA in one table and one picture.

Run by ``make demo``. Prints a table and writes out/demo.png: the exact error of each optimizer's
present point against the shots that it has spent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from qiskit_algorithms import VQE
from qiskit_algorithms.optimizers import COBYLA, SPSA
from qiskit_algorithms.utils import algorithm_globals
from rich.console import Console
from rich.table import Table

from qiskit_arcmaes import ARCMAES, ShotEstimator, ShotFrugal
from qiskit_arcmaes.engine.progress import LiveProgress
from qiskit_arcmaes.problems import Problem, get_problem
from qiskit_arcmaes.viz.colours import colour_of

Array = NDArray[np.float64]
Minimizer = Callable[..., Any]

BUDGET = 300_000
SEED = 7
FIXED_SHOTS = {"SPSA": 100, "COBYLA": 1000}  # per basis and evaluation: these two must be told
SPSA_CALIBRATION = 51  # evaluations that SPSA takes before its first step and after its last
CHEMICAL_ACCURACY = 1.6e-3  # Hartree
PICTURE = Path("out/demo.png")


@dataclass
class Track:
    """Where an optimizer was, and what it had spent by then.

    Attributes:
        estimator: Counts the shots.
        show: Is told the progress.
        shots: Shots spent at each point.
        points: The points, the optimizer's present ones.
        lowest: The lowest value noted.
    """

    estimator: ShotEstimator
    show: LiveProgress
    shots: list[int] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)
    lowest: float = np.inf

    def note(self, x: Any, value: float, std: float = np.nan) -> None:
        """Note the optimizer's present point."""
        self.shots.append(self.estimator.ledger.shots)
        self.points.append(np.array(x, dtype=float))
        self.show(len(self.shots), self.points[-1], value, std, self.shots[-1])

    def follow(self, nfev: int, x: Array, value: float, std: float, shots: int) -> None:
        """Note the present point as a callback of our optimizers."""
        self.note(x, value, std)

    def note_if_lowest(self, x: Any, value: float) -> None:
        """Note a point if it has the lowest value so far."""
        if value < self.lowest:
            self.lowest = value
            self.note(x, value)


def shot_frugal(track: Track, problem: Problem) -> ShotFrugal:
    """The default: chooses points and shots."""
    return ShotFrugal(BUDGET, primitive=track.estimator, seed=SEED, callback=track.follow)


def ar_cma_es(track: Track, problem: Problem) -> ARCMAES:
    """The paper's evolution strategy: chooses its re-evaluations."""
    return ARCMAES(BUDGET, primitive=track.estimator, seed=SEED, callback=track.follow)


def spsa(track: Track, problem: Problem) -> SPSA:
    """SPSA with as many steps as the budget pays; its termination checker only looks."""
    algorithm_globals.random_seed = SEED  # the only way to seed it

    def look(nfev: int, x: Array, value: float, step: float, accepted: bool) -> bool:
        track.note(x, value)
        return False

    steps = (evaluations("SPSA", problem) - SPSA_CALIBRATION) // 2
    return SPSA(maxiter=steps, termination_checker=look)


def cobyla(track: Track, problem: Problem) -> Minimizer:
    """COBYLA with as many evaluations as the budget pays; its point is the lowest one seen."""
    optimizer = COBYLA(maxiter=evaluations("COBYLA", problem), tol=1e-6)

    def minimize(
        fun: Callable[[Array], float], x0: Array, jac: Any = None, bounds: Any = None
    ) -> Any:
        def noted(x: Array) -> float:
            value = float(fun(x))
            track.note_if_lowest(x, value)
            return value

        return optimizer.minimize(noted, x0, bounds=bounds)

    return minimize


OPTIMIZERS: dict[str, Callable[[Track, Problem], Any]] = {
    "ShotFrugal": shot_frugal,
    "AR-CMA-ES": ar_cma_es,
    "SPSA": spsa,
    "COBYLA": cobyla,
}


def evaluations(name: str, problem: Problem) -> int:
    """Evaluations that the budget pays at fixed shots."""
    return BUDGET // (FIXED_SHOTS[name] * problem.groups)


def solve(name: str, problem: Problem) -> tuple[Track, Any]:
    """Run VQE with an optimizer from the demo's start; where it went, and VQE's result."""
    estimator = ShotEstimator(shots=FIXED_SHOTS.get(name, 1024), seed=SEED)
    start = problem.start(np.random.default_rng(SEED))
    with LiveProgress(BUDGET, f"{name:>10}") as show:
        track = Track(estimator, show)
        optimizer = OPTIMIZERS[name](track, problem)
        vqe = VQE(estimator, problem.ansatz, optimizer, initial_point=start)
        result = vqe.compute_minimum_eigenvalue(problem.operator)
        std = np.nan if name in FIXED_SHOTS else result.optimizer_result.fun_std
        track.note(result.optimal_point, float(result.eigenvalue.real), std)
    return track, result


def error_of(problem: Problem, points: Any) -> Array:
    """Exact energies of points above the ground energy, in Hartree."""
    energies = problem.energy(np.atleast_2d(points))
    return np.maximum(np.asarray(energies) - problem.ground_energy, 1e-12)


def table(problem: Problem, runs: dict[str, tuple[Track, Any]]) -> Table:
    """What each optimizer reports, and what is true of its point."""
    shown = Table(title=f"VQE for H2, exact ground energy {problem.ground_energy:.6f} Hartree")
    for column in ("optimizer", "shots", "energy it reports", "exact energy", "error"):
        shown.add_column(column, justify="right")
    for name, (track, result) in runs.items():
        reported = f"{result.eigenvalue.real:.5f}"
        if name not in FIXED_SHOTS:
            reported += f" ± {result.optimizer_result.fun_std:.5f}"
        error = float(error_of(problem, result.optimal_point)[0])
        energy = f"{problem.ground_energy + error:.6f}"
        shown.add_row(name, f"{track.shots[-1]:,}", reported, energy, f"{error:.1e}")
    return shown


def picture(problem: Problem, runs: dict[str, tuple[Track, Any]]) -> Figure:
    """Exact error of the present point against shots, all optimizers in one."""
    figure = Figure((8, 5), layout="constrained")
    axes = figure.subplots()
    axes.axhline(CHEMICAL_ACCURACY, color="0.35", linestyle="--", linewidth=1)
    axes.annotate(
        "chemical accuracy, 1.6 mHa",
        xy=(0.01, CHEMICAL_ACCURACY),
        xycoords=("axes fraction", "data"),
        xytext=(0, 4),
        textcoords="offset points",
        color="0.35",
    )
    for name, (track, _) in runs.items():
        errors = error_of(problem, track.points)
        style = {"color": colour_of(name), "linewidth": 1.6}
        axes.step(track.shots, errors, where="post", label=name, **style)
        axes.plot(track.shots[-1], errors[-1], "o", color=colour_of(name), markersize=6)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="shots spent, everything counted",
        ylabel="exact energy error of the present point (Hartree)",
        title="VQE for H2: energy error against shots",
    )
    axes.grid(color="0.9", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure


def main() -> None:
    """Run the four, print the table, write the picture."""
    problem = get_problem("h2")
    runs = {name: solve(name, problem) for name in OPTIMIZERS}
    Console().print(table(problem, runs))
    PICTURE.parent.mkdir(exist_ok=True)
    picture(problem, runs).savefig(PICTURE, dpi=120)
    print(f"Picture: {PICTURE}")


if __name__ == "__main__":
    main()
