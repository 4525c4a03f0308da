"""Does the result of `ar` hang on its constants? Each one halved and doubled.

Ratio of the geometric mean error (seven functions, medians of the runs) to that with the constants
as they are. Of factors (SHRINK, GROW, ...) the logarithm is halved and doubled.
"""

from __future__ import annotations

from types import ModuleType

import _common as common
import numpy as np

from qiskit_arcmaes import GaussianOracle, minimize
from qiskit_arcmaes.bench.landscapes import landscape
from qiskit_arcmaes.registry import guided, halves, lead, newton, noise_trend, quadratic, width

NAMES = (
    "schwefel02", "bohachevsky", "cosine_mixture", "rastrigin", "rosenbrock", "nesterov_f1",
    "random_quadratic",
)  # fmt: skip
CONSTANTS: dict[ModuleType, tuple[str, ...]] = {
    guided: ("_PAIRS", "_REPEATED", "_CHANGE", "_EXPLORED", "KINKS"),
    width: ("MISFIT", "RIPPLE", "LOCATED", "PATIENCE", "FINE", "BACKOFF", "SHRINK", "GROW"),
    newton: ("FLOOR", "TRUST"),
    quadratic: ("WIDENED",),
    halves: ("NEAR", "_ROWS"),
    lead: ("POPULATION", "SHARE", "PROOF"),
    noise_trend: ("SIGN", "MEMORY"),
}
FACTORS = {"SHRINK", "GROW", "_CHANGE", "BACKOFF", "MEMORY"}  # the logarithm is changed


def error(name: str, dim: int, budget: int, seed: int) -> float:
    """The error of one run with tau = 1."""
    function = landscape(name, dim, seed)
    result = minimize(
        GaussianOracle(function, tau=1.0, seed=seed),
        np.random.default_rng(seed).uniform(function.lower, function.upper, dim),
        max_shots=budget,
        sigma0=0.1 * (function.upper - function.lower),
        seed=seed,
    )
    return float(function(result.x) - function.minimum)


def score(dim: int, budget: int, runs: int) -> float:
    """Geometric mean over the functions of the median error."""
    medians = (np.median([error(name, dim, budget, s) for s in range(runs)]) for name in NAMES)
    return common.geometric_mean(max(float(median), 1e-300) for median in medians)


def changed(value: float, factor: float, name: str) -> float:
    """A constant halved or doubled."""
    return value**factor if name in FACTORS else value * factor


def main() -> None:
    """Print one line for each constant."""
    options = common.arguments(__doc__, runs=5, dim=8, budget=30_000)
    settings = (options.dim, options.budget, options.runs)
    usual = score(*settings)
    print(f"as they are: {usual:.3g}", flush=True)
    rows = []
    for module, names in CONSTANTS.items():
        for name in names:
            value = getattr(module, name)
            ratios = []
            for factor in (0.5, 2.0):
                setattr(module, name, changed(value, factor, name))
                ratios.append(score(*settings) / usual)
            setattr(module, name, value)
            rows.append([name.strip("_").lower(), value, *ratios])
            print(*rows[-1], flush=True)
    title = (
        f"error by error as it is, d = {options.dim}, B = {options.budget:g}, {options.runs} runs"
    )
    common.show(title, ["constant", "value", "halved", "doubled"], rows)


if __name__ == "__main__":
    main()
