"""How much does the error of the quadratic surrogate depend on its parameters?

Each parameter is halved and doubled. Printed is the ratio of the geometric mean error (seven
functions, medians of the runs) to that with the usual parameters. Of factors (shrink, grow, ...)
the logarithm is halved and doubled.
"""

from __future__ import annotations

from dataclasses import replace

import _common as common
import numpy as np

from qiskit_arcmaes import GaussianOracle
from qiskit_arcmaes.bench.landscapes import landscape
from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.strategies.cma import default_popsize
from qiskit_arcmaes.surrogate.assisted import SurrogateAssistedStrategy
from qiskit_arcmaes.surrogate.params import DEFAULTS, SurrogateParams

NAMES = (
    "schwefel02", "bohachevsky", "cosine_mixture", "rastrigin", "rosenbrock", "nesterov_f1",
    "random_quadratic",
)  # fmt: skip
PARAMETERS: dict[str, tuple[str, ...]] = {
    "design": ("pairs_per_dimension", "repeated_share", "cost_change"),
    "regression": ("nearness", "rows_per_coefficient", "prior_widening"),
    "newton": ("floor", "longest"),
    "trust_region": (
        "significance", "ruggedness", "resolved", "patience", "rugged_resolution", "backoff",
        "shrink", "grow",
    ),
    "noise": ("significance", "memory"),
    "restarts": ("share",),
    "assistance": (
        "fit_growth", "unexplained", "noise_share", "trial_share", "short_trial", "significance",
    ),
}  # fmt: skip
FACTORS = {"shrink", "grow", "cost_change", "backoff", "memory"}  # the logarithm is changed


def error(params: SurrogateParams, name: str, dim: int, budget: int, seed: int) -> float:
    """The error of one run with tau = 1."""
    function = landscape(name, dim, seed)
    oracle = GaussianOracle(function, tau=1.0, seed=seed)
    setup = Setup(
        start=np.random.default_rng(seed).uniform(function.lower, function.upper, dim),
        sigma0=common.first_step(function),
        popsize=default_popsize(dim),
        domain=make_domain(dim),
        budget=float(budget),
    )
    method = SurrogateAssistedStrategy(setup, np.random.default_rng(seed), params)
    while not method.finished:
        batch = method.ask()
        if oracle.spent + oracle.price(len(batch.points)).at(batch.shots) > budget:
            break
        method.tell(batch, oracle.evaluate(batch.points, batch.shots))
    return float(function(method.recommendation) - function.minimum)


def score(params: SurrogateParams, dim: int, budget: int, runs: int) -> float:
    """Geometric mean over the functions of the median error."""
    medians = (
        np.median([error(params, name, dim, budget, seed) for seed in range(runs)])
        for name in NAMES
    )
    return common.geometric_mean(max(float(median), 1e-300) for median in medians)


def changed(part: str, name: str, factor: float) -> SurrogateParams:
    """The usual parameters with one of them halved or doubled; integers stay integers."""
    own = getattr(DEFAULTS, part)
    value = getattr(own, name)
    scaled = value**factor if name in FACTORS else value * factor
    if isinstance(value, int):
        scaled = max(round(scaled), 1)
    return replace(DEFAULTS, **{part: replace(own, **{name: scaled})})


def main() -> None:
    """Print one line for each parameter."""
    options = common.arguments(__doc__, runs=5, dim=8, budget=30_000)
    settings = (options.dim, options.budget, options.runs)
    usual = score(DEFAULTS, *settings)
    print(f"as they are: {usual:.3g}", flush=True)
    rows = []
    for part, names in PARAMETERS.items():
        for name in names:
            ratios = [score(changed(part, name, f), *settings) / usual for f in (0.5, 2.0)]
            value = getattr(getattr(DEFAULTS, part), name)
            rows.append([f"{part}.{name}", value, *ratios])
            print(*rows[-1], flush=True)
    title = (
        f"error by error as it is, d = {options.dim}, B = {options.budget:g}, {options.runs} runs"
    )
    common.show(title, ["parameter", "value", "halved", "doubled"], rows)


if __name__ == "__main__":
    main()
