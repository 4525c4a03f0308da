"""The experiments, as descriptions. Budgets, noise levels and dimensions are the paper's.

Methods whose number of generations grows with the budget get a fixed M = budget/N, which is part of
their name and so of every table: plain CMA-ES the paper's own ratio (M = 10^4 at 10^9 shots).
"""

from __future__ import annotations

from qiskit_arcmaes.bench.circuit_catalog import CIRCUIT_EXPERIMENTS
from qiskit_arcmaes.bench.experiments import Changes, Experiment, Grid
from qiskit_arcmaes.bench.function_catalog import FUNCTION_EXPERIMENTS
from qiskit_arcmaes.bench.scaling_catalog import SCALING_EXPERIMENT
from qiskit_arcmaes.bench.tasks import FUNCTION
from qiskit_arcmaes.functions import FUNCTIONS, SMOOTH_FUNCTIONS

SMOOTH = tuple(FUNCTION + name for name in SMOOTH_FUNCTIONS)
NON_SMOOTH = tuple(FUNCTION + name for name in FUNCTIONS if name not in SMOOTH_FUNCTIONS)
ALL_FUNCTIONS = SMOOTH + NON_SMOOTH
SPHERE, TRID, RASTRIGIN = FUNCTION + "sphere", FUNCTION + "trid", FUNCTION + "rastrigin"
MULTIMODAL = (RASTRIGIN, FUNCTION + "bohachevsky", FUNCTION + "cosine_mixture")
QUADRATICS = tuple(name for name in SMOOTH if name not in MULTIMODAL)
HARDER = tuple(
    FUNCTION + name
    for name in ("rosenbrock", "turned_ellipsoid", "random_quadratic", "warped_ellipsoid")
)
OTHER_NOISE = tuple(
    f"{name}~{kind}"
    for name in (SPHERE, FUNCTION + "ellipsoid")
    for kind in ("relative", "growing")
)

PAPER_AR = "ar-paper@B/1e5"
CMA = "cma@B/1e5"
STRATEGIES = ("frugal", "ar", PAPER_AR, CMA, "three-stage", "uh", "lra@B/1e7", "psa@B/1e7")
"""Our own methods, as all comparisons on test functions show them."""

GRID = (*STRATEGIES[:-2], "lra@B/1e6", "psa@B/1e6")
"""The same for the paper's whole grid, which one shot per point would make take hours."""

SMALL = ("lra:auto@B/1e5", "cma:auto@B/1e4")
"""With their default population, the stronger choice where budgets are small."""

_FIXED_M = (
    "cma takes M = B/10^5 shots per point (the paper's 10^4 at 10^9), and ar-paper at least as "
    "many, because each of its generations fits a Gaussian process."
)
_ONE_SHOT = (
    "lra and psa take one shot per point, as in the paper, up to B = 10^7, and M = B/10^7 above "
    "(--quick: B/10^5), so that a run has a bounded number of generations."
)
_QUICK_METHODS = (*STRATEGIES[:-2], "lra@B/1e5", "psa@B/1e5")

PEERS = ("cma:20@10", "pycma:20@10", "uh:20", "pycma-uh:20", "lra:20", "cmaes-lra:20")
"""Ours and the same method of another package, at the same population size."""

_ALL = (
    Experiment(
        name="noiseless",
        title="AR-CMA-ES and CMA-ES without noise, d = 20 (the paper's table 1, left)",
        shows=("errors", "paper"),
        grids=(
            Grid(
                tuple(name for name in SMOOTH if name != TRID),
                budgets=(10**4,),
                methods=("frugal", "ar", "ar-paper", "ar-literal", "cma"),
                dims=(20,),
                noise=(0.0,),
            ),
            Grid(
                (TRID,),
                budgets=(10**5,),
                methods=("frugal", "ar", "ar-paper", "ar-literal", "cma"),
                dims=(20,),
                noise=(0.0,),
            ),
        ),
        quick=Changes(runs=1, methods=("frugal", "ar", "ar-paper", "cma")),
    ),
    Experiment(
        name="noisy",
        title="AR-CMA-ES and CMA-ES under noise, d = 20, 10^9 shots (the paper's table 1, right)",
        shows=("errors", "paper"),
        grids=(Grid(SMOOTH, (10**9,), ("frugal", "ar", PAPER_AR, CMA), (20,), (1.0,)),),
        quick=Changes(runs=1, budgets=(10**6,), methods=("frugal", "ar", PAPER_AR, CMA)),
        notes=(_FIXED_M,),
    ),
    Experiment(
        name="wall-clock",
        title="Seconds for 10^7 shots, d = 20 (the paper's table 2)",
        shows=("seconds", "paper"),
        grids=(
            Grid(
                SMOOTH,
                budgets=(10**7,),
                methods=("frugal", "ar", "ar-paper", "cma", "three-stage", "uh", "lra", "psa"),
                dims=(20,),
                noise=(1.0,),
            ),
        ),
        runs=3,
        quick=Changes(runs=1, budgets=(10**4,)),
        notes=(
            "cma, lra and psa take one shot per point here, as in the paper, and ar-paper begins "
            "with one.",
        ),
    ),
    Experiment(
        name="ecdf",
        title="How often which error is reached: ten functions, three noise levels",
        shows=("ecdf", "errors"),
        grids=(Grid(SMOOTH, (10**7, 10**8, 10**9), GRID, dims=(10, 20), noise=(1.0, 10.0, 100.0)),),
        quick=Changes(runs=1, budgets=(3 * 10**4,), dims=(10,), noise=(1.0, 100.0)),
        notes=(
            _FIXED_M,
            "lra and psa take M = B/10^6, 10 at 10^7, where the paper has one shot per point, with "
            "which a run of lra takes 20 seconds; the experiment one-shot has both.",
        ),
    ),
    Experiment(
        name="one-shot",
        title="LRA and PSA with the paper's one shot per point: d = 10, τ² = 1, 10^7 shots",
        shows=("errors", "ecdf"),
        grids=(Grid(SMOOTH, (10**7,), (*GRID, "lra@1", "psa@1"), dims=(10,), noise=(1.0,)),),
        runs=5,
        quick=Changes(runs=1, budgets=(3 * 10**4,)),
        notes=(
            _FIXED_M,
            "lra@B/1e6 and psa@B/1e6 take 10 shots per point, as in the experiment ecdf.",
        ),
    ),
    Experiment(
        name="trid",
        title="Convergence on Trid, d = 20, 10^9 shots",
        shows=("convergence", "ecdf", "errors"),
        grids=(Grid((TRID,), (10**9,), STRATEGIES, dims=(20,), noise=(1.0, 10.0, 100.0)),),
        quick=Changes(runs=1, budgets=(10**5,), methods=_QUICK_METHODS),
        notes=(_FIXED_M, _ONE_SHOT),
    ),
    Experiment(
        name="non-smooth",
        title="Four non-smooth functions, d = 10, 10^9 shots, without and with noise",
        shows=("errors", "ecdf", "paper"),
        grids=(
            Grid(
                NON_SMOOTH,
                budgets=(10**9,),
                methods=("frugal", "ar", PAPER_AR, CMA),
                dims=(10,),
                noise=(0.0,),
            ),
            Grid(NON_SMOOTH, (10**9,), STRATEGIES, dims=(10,), noise=(1.0,)),
        ),
        quick=Changes(runs=1, budgets=(3 * 10**4,)),
        notes=(_FIXED_M, _ONE_SHOT),
    ),
    Experiment(
        name="efficiency",
        title="Gain per shot over M at iteration 100 of the sphere: lower bound and simulation",
        shows=("efficiency",),
        grids=(Grid((SPHERE,), (10**7,), ("efficiency",), dims=(10,), noise=(1.0,)),),
        runs=1,
    ),
    Experiment(
        name="budget",
        title="Error against budget, with fitted slopes: frugal against all",
        shows=("budget", "errors"),
        grids=(
            Grid(
                ALL_FUNCTIONS,
                budgets=(10**4, 10**5, 10**6, 10**7, 10**8),
                methods=STRATEGIES + SMALL,
                dims=(20,),
                noise=(1.0,),
            ),
        ),
        runs=10,
        quick=Changes(
            runs=1,
            budgets=(10**4, 3 * 10**4, 10**5),
            dims=(10,),
            problems=(SPHERE, FUNCTION + "ellipsoid", TRID),
            methods=_QUICK_METHODS,
        ),
        notes=(_FIXED_M, _ONE_SHOT),
    ),
    Experiment(
        name="noise-floor",
        title="Below the noise floor of evolution strategies: error times budget",
        shows=("scaled-error", "errors"),
        grids=(
            Grid(
                QUADRATICS,
                budgets=(10**6, 10**7, 10**8),
                methods=STRATEGIES + SMALL,
                dims=(10, 20),
                noise=(1.0, 10.0, 100.0),
            ),
            Grid((*MULTIMODAL, *HARDER), (10**7,), STRATEGIES + SMALL, dims=(10, 20), noise=(1.0,)),
            Grid(OTHER_NOISE, (10**7,), STRATEGIES + SMALL, dims=(20,), noise=(1.0,)),
            Grid(
                ALL_FUNCTIONS, (10**4, 10**5, 10**7), STRATEGIES + SMALL, dims=(20,), noise=(1.0,)
            ),
        ),
        quick=Changes(
            runs=1,
            budgets=(10**4,),
            dims=(10,),
            noise=(1.0,),
            methods=_QUICK_METHODS,
        ),
        notes=(_FIXED_M, _ONE_SHOT),
    ),
    Experiment(
        name="peers",
        title="Our cma, uh and lra compared with those of pycma and cmaes",
        shows=("errors", "convergence"),
        grids=(Grid((SPHERE, FUNCTION + "ellipsoid"), (10**5,), PEERS, dims=(10,), noise=(1.0,)),),
        quick=Changes(runs=2, budgets=(10**4,)),
        notes=(
            "pycma's CMA-ES has negative weights too, and its NoiseHandler other constants than "
            "the paper of 2009 that uh follows. cmaes is by the authors of lra. psa has no other "
            "maintained package: its expected movement is checked by simulation.",
        ),
    ),
)

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (*_ALL, *CIRCUIT_EXPERIMENTS, SCALING_EXPERIMENT, *FUNCTION_EXPERIMENTS)
}
"""All experiments by name."""


def get_experiment(name: str) -> Experiment:
    """One of the experiments.

    Args:
        name: One of ``EXPERIMENTS``.

    Raises:
        ValueError: There is none of that name.

    Example:
        >>> get_experiment("trid").runs
        20
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment {name!r} is unknown; take one of {', '.join(EXPERIMENTS)}.")
    return EXPERIMENTS[name]
