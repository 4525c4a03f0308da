"""VQE and QAOA at equal shots: ShotFrugal and AR-CMA-ES beside SPSA and two others.

Every method runs inside Qiskit's algorithm on the built-in exact-shot estimator or sampler, all
shots are counted, and the returned point is scored exactly: median error above the best energy that
the ansatz can reach.
"""

from __future__ import annotations

import _common as common
import numpy as np
from qiskit_algorithms import QAOA, VQE
from qiskit_algorithms.optimizers import SPSA
from qiskit_algorithms.utils import algorithm_globals

from qiskit_arcmaes import (
    ARCMAES,
    UHCMAES,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    ThreeStageCMAES,
)
from qiskit_arcmaes.problems import Problem, get_problem

SPSA_SHOTS = 100
OURS = {
    "ShotFrugal": ShotFrugal,
    "ARCMAES": ARCMAES,
    "ThreeStage": ThreeStageCMAES,
    "UH": UHCMAES,
}


def error(problem: Problem, contender: str, budget: int, seed: int) -> float:
    """One run: exact energy of the returned point above the best of the ansatz."""
    qaoa = problem.name.startswith("maxcut")
    shots = SPSA_SHOTS if contender == "SPSA" else 1024
    primitive = (ShotSampler if qaoa else ShotEstimator)(shots=shots, seed=seed)
    if contender == "SPSA":
        algorithm_globals.random_seed = seed
        evaluations = budget // (SPSA_SHOTS * problem.groups) - 51  # its calibration
        optimizer = SPSA(maxiter=max(evaluations // 2, 1))
    else:
        optimizer = OURS[contender](budget, primitive=primitive, seed=seed)
    start = problem.start(np.random.default_rng(seed))
    if qaoa:
        reps = problem.dim // 2
        algorithm = QAOA(primitive, optimizer, reps=reps, initial_point=start)
    else:
        algorithm = VQE(primitive, problem.ansatz, optimizer, initial_point=start)
    point = algorithm.compute_minimum_eigenvalue(problem.operator).optimal_point
    return float(problem.energy(np.asarray(point)[None])[0]) - problem.best_energy


def main() -> None:
    """Print a table for one budget."""
    options = common.arguments(__doc__, runs=4, budget=100_000)
    names = ["h2", "lih", "maxcut8"]
    contenders = [*OURS, "SPSA"]
    title = f"median error of {options.runs} runs at {options.budget:g} shots"
    for name in names:
        problem = get_problem(name)
        row: list[object] = [name]
        for contender in contenders:
            errors = [error(problem, contender, options.budget, s) for s in range(options.runs)]
            row.append(float(np.median(errors)))
        common.show(title, ["problem", *contenders], [row])


if __name__ == "__main__":
    main()
