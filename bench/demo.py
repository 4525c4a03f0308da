"""VQE for H2 with a million shots: AR-CMA-ES beside SPSA and COBYLA at equal shots.

Run by ``make demo``. Prints a table and writes a picture to out/demo.png.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from qiskit_algorithms import VQE
from qiskit_algorithms.optimizers import COBYLA, SPSA
from qiskit_algorithms.utils import algorithm_globals
from rich.console import Console
from rich.table import Table

from qiskit_arcmaes import ARCMAES, ShotEstimator
from qiskit_arcmaes.engine.progress import LiveProgress
from qiskit_arcmaes.problems import Problem, get_problem
from qiskit_arcmaes.viz.plotting import plot_run

BUDGET = 1_000_000
SEED = 7
RIVAL_SHOTS = {"SPSA": 100, "COBYLA": 1000}  # fixed beforehand, as these optimizers need it


def solve(
    problem: Problem, estimator: ShotEstimator, optimizer: Any, callback: Any = None
) -> tuple[Any, float]:
    """Run VQE from the demo's start; the result and the exact energy of its point."""
    start = problem.start(np.random.default_rng(SEED))
    vqe = VQE(estimator, problem.ansatz, optimizer, initial_point=start, callback=callback)
    result = vqe.compute_minimum_eigenvalue(problem.operator)
    return result, float(problem.energy(np.asarray(result.optimal_point)[None])[0])


def rival(problem: Problem, name: str) -> tuple[int, Any, float]:
    """SPSA or COBYLA with as many evaluations as the budget pays."""
    estimator = ShotEstimator(shots=RIVAL_SHOTS[name], seed=SEED)
    evaluations = BUDGET // (RIVAL_SHOTS[name] * problem.groups)
    if name == "SPSA":
        algorithm_globals.random_seed = SEED  # the only way to seed it
        calibration = 2 * 25 + 1  # SPSA's own; it does not count it
        optimizer = SPSA(maxiter=(evaluations - calibration) // 2)
    else:
        optimizer = COBYLA(maxiter=evaluations, tol=1e-6)

    with LiveProgress(BUDGET, f"{name:>9}") as progress:

        def show(count: int, point: Any, value: float, metadata: Any) -> None:
            deviation = metadata.get("target_precision") or float("nan")
            progress(count, np.asarray(point), value, deviation, estimator.ledger.shots)

        result, exact = solve(problem, estimator, optimizer, show)
    return estimator.ledger.shots, result, exact


def main() -> None:
    """Run the three, print the table, write the picture."""
    problem = get_problem("h2")
    estimator = ShotEstimator(seed=SEED)
    with LiveProgress(BUDGET, "AR-CMA-ES") as progress:
        optimizer = ARCMAES(BUDGET, primitive=estimator, seed=SEED, callback=progress)
        result, exact = solve(problem, estimator, optimizer)
    rows = [("AR-CMA-ES", estimator.ledger.shots, result, exact)]
    rows += [(name, *rival(problem, name)) for name in RIVAL_SHOTS]

    table = Table(title=f"VQE for H2, exact ground energy {problem.ground_energy:.6f} Hartree")
    for column in ("optimizer", "shots", "energy it reports", "exact energy of its point", "error"):
        table.add_column(column, justify="right")
    for name, shots, found, energy in rows:
        reported = f"{found.eigenvalue.real:.5f}"
        if name == "AR-CMA-ES":
            reported += f" ± {found.optimizer_result.fun_std:.5f}"
        error = f"{energy - problem.ground_energy:.1e}"
        table.add_row(name, f"{shots:,}", reported, f"{energy:.6f}", error)
    Console().print(table)

    picture = Path("out/demo.png")
    picture.parent.mkdir(exist_ok=True)
    plot_run(
        result.optimizer_result.history, problem.ground_energy, "AR-CMA-ES: VQE for H2"
    ).savefig(picture, dpi=120)
    print(f"Picture: {picture}")


if __name__ == "__main__":
    main()
