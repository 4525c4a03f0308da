"""Plain CMA-ES under noise: does it end where theory says?

``python bench/engine_residual.py [--runs 10]``: ``cma`` on the sphere at M = 10^4, tau = 1,
lambda = 100. The loss at the mean, averaged over the last third of the runs, against
s d/(4 mu_eff c_w), s = tau/sqrt(M).

The law is for a C that stays put, as in the rows ``C fixed``. With C adapting, the mean arrives
within about 100 generations while C goes on drifting apart under noise (its condition is shown);
at d = 20 the error seems to fall below the law with it, so two lengths are shown. modcma's own C++
stands beside ours; it has the tutorial's earlier c_sigma. Runs scatter by about a fifth, and ten
of them do not tell these rows apart with certainty: mind the standard error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import _common as common
import numpy as np
from modcma.c_maes import ModularCMAES, Parameters, Settings
from modcma.c_maes import utils as modcma_utils

from qiskit_arcmaes import GaussianOracle, get_function
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy

SHOTS, TAU = 10**4, 1.0
LENGTHS = (300, 1000)  # generations; 1000 are the paper's budget of 10^9
TOLERANCE = 0.35
Trajectory = tuple[common.Array, float]  # loss at the mean after every generation, condition of C


def theory(dim: int) -> float:
    """The residual error s d/(4 mu_eff c_w) of rank-based weights."""
    weights = cma.rank_weights(common.POPSIZE)
    gain = cma.selection_gain(weights, common.POPSIZE)
    return TAU / math.sqrt(SHOTS) * dim / (4 * cma.effective_parents(weights) * gain)


def ours(dim: int, generations: int, seed: int, fixed: bool = False) -> Trajectory:
    """One run of ``cma``; ``fixed`` keeps C as it starts."""
    function = get_function("sphere", dim)
    oracle = GaussianOracle(function, TAU, seed=seed)
    rng = np.random.default_rng(seed)
    start = common.first_point(function, rng)
    method = common.make_method("cma", start, common.first_step(function), rng, shots=SHOTS)
    assert isinstance(method, EvolutionStrategy)
    if fixed:
        method.rates = replace(method.rates, c_1=0.0, c_mu=0.0)
    losses = np.empty(generations)
    for generation in range(generations):
        batch = method.ask()
        method.tell(batch, oracle.evaluate(batch.points, batch.shots))
        losses[generation] = float(function(method.recommendation))
    return losses, method.state.distribution.condition


def ours_fixed(dim: int, generations: int, seed: int) -> Trajectory:
    """One run of ``cma`` with C kept as it starts."""
    return ours(dim, generations, seed, fixed=True)


def modcma(dim: int, generations: int, seed: int) -> Trajectory:
    """One run of modcma's C++ with its defaults."""
    function = get_function("sphere", dim)
    rng = np.random.default_rng(seed)
    start = common.first_point(function, rng)
    modcma_utils.set_seed(seed)
    settings = Settings(dim, sigma0=common.first_step(function), lambda0=common.POPSIZE, x0=start)
    strategy = ModularCMAES(Parameters(settings))
    deviation = TAU / math.sqrt(SHOTS)
    losses = np.empty(generations)
    for generation in range(generations):
        strategy.step(lambda x: float(x @ x) + deviation * rng.standard_normal())
        losses[generation] = float(function(np.asarray(strategy.p.adaptation.m)))
    return losses, float(np.linalg.cond(strategy.p.adaptation.C))


def row(name: str, dim: int, length: int, runs: int, run: Callable[..., Trajectory]) -> tuple:
    """One line of the table."""
    trajectories = [run(dim, length, seed) for seed in range(runs)]
    losses = np.array([losses for losses, _ in trajectories])
    condition = float(np.median([condition for _, condition in trajectories]))
    _, second, last = (part.mean() / theory(dim) for part in np.array_split(losses, 3, axis=1))
    scatter = np.array_split(losses, 3, axis=1)[-1].mean(axis=1).std(ddof=1) / theory(dim)
    error = float(scatter / math.sqrt(runs))
    met = common.verdict(abs(last - 1) <= TOLERANCE) if run is ours else ""
    return f"{dim}", name, length, second, last, error, condition, met


def main() -> None:
    """Print the table."""
    given = common.arguments(__doc__, runs=10)
    contenders = {"cma": ours, "cma, C fixed": ours_fixed, "modcma": modcma}
    common.show(
        f"loss at the mean in units of s d/(4 mu_eff c_w), sphere, {given.runs} runs",
        (
            "d",
            "",
            "generations",
            "second third",
            "last third",
            "+-",
            "condition",
            f"{TOLERANCE:.0%}",
        ),
        [
            row(name, dim, length, given.runs, run)
            for dim in (10, 20)
            for length in LENGTHS
            for name, run in contenders.items()
        ],
    )


if __name__ == "__main__":
    main()
