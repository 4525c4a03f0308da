"""Remake the reference energies of the problems, data/reference_<name>.json.

The ground energy comes from sparse diagonalisation, the best energy of the ansatz from noise-free
BFGS descents with exact gradients from many random starts. Where the start is given (Hartree-Fock,
a ramp) there is one descent, from it.

    python tools/make_references.py            # all problems
    python tools/make_references.py h2 lih     # some of them
    python tools/make_references.py ising10 --starts 8 --max-iterations 6000   # a long flat valley
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

import qiskit_arcmaes.problems as problems
from qiskit_arcmaes.problems.catalog import MODELS
from qiskit_arcmaes.problems.development import DEVELOPMENT
from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.scaling import SCALING
from qiskit_arcmaes.problems.search import search_best
from qiskit_arcmaes.problems.simulator import sparse_matrix

DATA = Path(problems.__file__).parent / "data"
SEED = 20240
DENSE = 256
"""Up to this dimension the whole spectrum is computed, which is exact and quick enough."""

SAME = 1e-6
"""Descents that end this close to the lowest count as having reached it."""


def ground_energy(model: Model) -> float:
    """Return the lowest eigenvalue of the model's operator."""
    matrix = sparse_matrix(model.operator)
    if matrix.shape[0] <= DENSE:
        return float(np.linalg.eigvalsh(matrix.toarray())[0])
    start = np.random.default_rng(SEED).normal(size=matrix.shape[0])
    return float(eigsh(matrix, k=1, which="SA", v0=start, tol=1e-13)[0][0])


def reference(model: Model, starts: int, max_iterations: int) -> dict[str, Any]:
    """Return what is stored about a model."""
    starts = 1 if model.informed else starts
    best = search_best(model, starts=starts, seed=SEED, max_iterations=max_iterations)
    return {
        "made_by": "tools/make_references.py",
        "ground_energy_from": "diagonalisation",
        "ground_energy": ground_energy(model),
        "best_energy_from": {
            "search": _search(model),
            "starts": starts,
            "seed": SEED,
            "max_iterations": max_iterations,
            "reached": int(np.sum(best.energies < best.energy + SAME)),
            "reached_within": SAME,
        },
        "best_energy": best.energy,
        "best_parameters": best.parameters.tolist(),
    }


def _search(model: Model) -> str:
    if model.informed:
        return "a noise-free BFGS descent with exact gradients from the given start"
    return "lowest of many noise-free BFGS descents with exact gradients"


def main() -> None:
    """Write the files."""
    models = MODELS | DEVELOPMENT | SCALING
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(models), help="problems; default: all")
    parser.add_argument("--starts", type=int, default=50, help="random starts for each")
    parser.add_argument("--max-iterations", type=int, default=2000, help="of each descent")
    arguments = parser.parse_args()
    for name in arguments.names:
        content = reference(models[name](), arguments.starts, arguments.max_iterations)
        path = DATA / f"reference_{name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: ground {content['ground_energy']:.8f}, best {content['best_energy']:.8f}")
        print(f"  {content['best_energy_from']}", flush=True)


if __name__ == "__main__":
    main()
