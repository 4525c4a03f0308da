"""Below the noise floor: ShotFrugal against AR-CMA-ES and the others at equal budget.

Median error of all fourteen functions (and error x budget / tau²), every shot counted.
"""

from __future__ import annotations

import _common as common
import numpy as np

from qiskit_arcmaes import FUNCTIONS, GaussianOracle, get_function, minimize

CONTENDERS: dict[str, dict[str, object]] = {
    "frugal": {"method": "frugal"},
    "ar": {"method": "ar", "popsize": 100},
    "three-stage": {"method": "three-stage", "popsize": 100},
    "uh": {"method": "uh", "popsize": 100},
    "lra": {"method": "lra"},
}


def error(name: str, dim: int, budget: int, tau: float, seed: int, contender: str) -> float:
    """The error of one run."""
    function = get_function(name, dim)
    oracle = GaussianOracle(function, tau=tau, seed=seed)
    result = minimize(
        oracle,
        common.first_point(function, np.random.default_rng(seed)),
        max_shots=budget,
        sigma0=common.first_step(function),
        seed=seed,
        **CONTENDERS[contender],
    )
    return float(function(result.x) - function.minimum)


def main() -> None:
    """Print a table for one dimension, budget and noise level."""
    options = common.arguments(__doc__, runs=5, dim=20, budget=100_000, variance=1)
    tau = float(np.sqrt(options.variance))
    rows, medians = [], {name: [] for name in CONTENDERS}
    for name in FUNCTIONS:
        for contender, found in medians.items():
            runs = range(options.runs)
            errors = [error(name, options.dim, options.budget, tau, s, contender) for s in runs]
            found.append(max(float(np.median(errors)), 1e-300))
        scaled = medians["frugal"][-1] * options.budget / options.variance
        rows.append([name, *(found[-1] for found in medians.values()), scaled])
    means = [common.geometric_mean(found) for found in medians.values()]
    rows.append(["geometric mean", *means, float("nan")])
    title = (
        f"median error of {options.runs} runs, d = {options.dim}, "
        f"B = {options.budget:g}, tau² = {options.variance}"
    )
    common.show(title, ["function", *medians, "frugal x B/tau²"], rows)


if __name__ == "__main__":
    main()
