"""Without noise: are the errors those of the paper's table 1?

``python bench/engine_noiseless.py [--runs 20] [--dim 20]``: d = 20, lambda = 100, 10^4 evaluations
(Trid 10^5) of candidates and of the mean where a method evaluates it. The paper prints means over
20 runs; medians and means are shown, with modcma's own C++ CMA-ES, which the paper is built on.

What the ratios say:

* Our ``cma`` and modcma agree with each other, and both beat the paper's CMA column by up to five
  times. Why is not known; that the paper prints means explains only part of it.
* Nobody reaches the paper's cosine mixture. The last row has cos(5 x) where the paper's appendix
  has cos(5 pi x): with it the local minima are gone and the errors come near the
  paper's. That this is what the paper ran is likely, not proven.
"""

from __future__ import annotations

import _common as common
import numpy as np
from modcma.c_maes import ModularCMAES, Modules, Parameters, Settings, options
from modcma.c_maes import utils as modcma_utils

from qiskit_arcmaes import Estimate, get_function
from qiskit_arcmaes.functions import SMOOTH_FUNCTIONS, TestFunction

EVALUATIONS = {"trid": 10**5}
DEFAULT_EVALUATIONS = 10**4
FACTOR = 3.0  # the target: within this factor of the paper

PAPER = {  # its table 1, tau² = 0: AR-CMA-ES and CMA-ES
    "sphere": (1.24e-5, 1.80e-6),
    "ellipsoid": (1.31e-3, 4.03e-4),
    "hyper_ellipsoid": (3.11e-4, 3.84e-5),
    "rotated_ellipsoid": (1.60e-3, 5.40e-4),
    "rotated_hyper_ellipsoid": (3.27e-4, 5.63e-5),
    "rastrigin": (1.53e2, 1.59e2),
    "trid": (1.46e-11, 1.46e-11),
    "bohachevsky": (2.29e-2, 3.89e-3),
    "cosine_mixture": (9.14e-7, 1.56e-7),
    "schwefel02": (3.96e-3, 1.68e-3),
}
TARGETED = ("sphere", "bohachevsky", "schwefel02", *(n for n in PAPER if "ellipsoid" in n))
OURS = ("ar-paper", "cma", "ar", "ar-literal")


def plain_cosine_mixture(dim: int) -> TestFunction:
    """The cosine mixture without the pi."""
    known = get_function("cosine_mixture", dim)
    return TestFunction(
        name="cosine mixture as cos(5x)",
        dim=dim,
        lower=known.lower,
        upper=known.upper,
        optimum=known.optimum,
        minimum=known.minimum,
        smooth=True,
        _value=lambda x: np.sum(x**2 - 0.1 * np.cos(5 * x), axis=-1),
        _gradient=None,
    )


def error(function: TestFunction, point: common.Array) -> float:
    """How far above the minimum; rounding may leave a hair below it."""
    return abs(float(function(point)) - function.minimum)


def our_error(name: str, function: TestFunction, evaluations: int, seed: int) -> float:
    """Error of the mean when the evaluations are used."""
    rng = np.random.default_rng(seed)
    start = common.first_point(function, rng)
    method = common.make_method(
        name, start, common.first_step(function), rng, budget=evaluations, noise=0.0
    )
    batch = method.ask()
    while evaluations >= len(batch.points):
        evaluations -= len(batch.points)
        method.tell(batch, Estimate(function(batch.points)))
        batch = method.ask()
    return error(function, method.recommendation)


def modcma_error(function: TestFunction, evaluations: int, seed: int) -> float:
    """The same for modcma's C++ with its defaults, no bounds and no restarts."""
    modules = Modules()
    modules.bound_correction = options.CorrectionMethod.NONE
    settings = Settings(
        function.dim,
        modules,
        sigma0=common.first_step(function),
        lambda0=common.POPSIZE,
        mu0=common.POPSIZE // 2,
        x0=common.first_point(function, np.random.default_rng(seed)),
    )
    modcma_utils.set_seed(seed)
    strategy = ModularCMAES(Parameters(settings))
    for _ in range(evaluations // common.POPSIZE):
        strategy.step(lambda x: float(function(x)))
    return error(function, np.asarray(strategy.p.adaptation.m))


def judge(name: str, measured: float, published: float) -> str:
    """Within the factor, better than that, or missed; only said where there is a target."""
    if name not in TARGETED:
        return ""
    return (
        "better" if measured < published / FACTOR else common.verdict(measured < published * FACTOR)
    )


def main() -> None:
    """Print one table for each of the paper's two columns, and one with everything else."""
    options_given = common.arguments(__doc__, runs=20, dim=20)
    seeds = range(options_given.runs)
    functions = [get_function(name, options_given.dim) for name in SMOOTH_FUNCTIONS]
    functions.append(plain_cosine_mixture(options_given.dim))
    errors: dict[tuple[str, str], list[float]] = {}
    for function in functions:
        count = EVALUATIONS.get(function.name, DEFAULT_EVALUATIONS)
        for name in OURS:
            errors[name, function.name] = [our_error(name, function, count, s) for s in seeds]
        errors["modcma", function.name] = [modcma_error(function, count, s) for s in seeds]
    middle = {key: float(np.median(values)) for key, values in errors.items()}
    for column, ours in enumerate(("ar-paper", "cma")):
        rows = []
        for function in functions:
            published = PAPER[function.name.split(" as ")[0].replace(" ", "_")][column]
            median, mean = middle[ours, function.name], np.mean(errors[ours, function.name])
            ratios = (median / published, float(mean) / published)
            rows.append(
                (function.name, published, median, *ratios, judge(function.name, median, published))
            )
        head = ("function", "paper", "median", "median/paper", "mean/paper", f"within {FACTOR:g}x")
        show_title = f"{ours} against the paper's {('AR-CMA-ES', 'CMA-ES')[column]} column"
        common.show(f"{show_title}, {len(seeds)} runs", head, rows)
    contenders = (*OURS, "modcma")
    common.show(
        "median error of all",
        ("function", *contenders, "modcma/cma"),
        (
            (
                f.name,
                *(middle[c, f.name] for c in contenders),
                common.ratio(middle["modcma", f.name], middle["cma", f.name]),
            )
            for f in functions
        ),
    )


if __name__ == "__main__":
    main()
