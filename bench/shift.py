"""Parameter shift on circuits: median errors, and what halving or doubling each parameter does.

Exact energies, with Gaussian noise of the exact variance of the shots: quick, and as good as the
estimator for this purpose. Every shot is counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import _common as common
import numpy as np

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.problems import Problem, get_problem
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.shift.params import DEFAULTS, ShiftParams

PROBLEMS = ("h2", "lih", "ising6", "maxcut8")
VARIED = (
    ("adam", "rate"),
    ("multistart", "starts"),
    ("multistart", "step_share"),
    ("multistart", "final_rate"),
    ("test", "suspicion"),
    ("test", "tolerance"),
    ("newton", "steps_per_coefficient"),
    ("newton", "most_designs"),
    ("newton", "recent_share"),
    ("newton", "radius"),
    ("model", "resolution"),
)


def error(problem: Problem, budget: int, seed: int, params: ShiftParams) -> float:
    """Exact energy at the recommendation above the best energy of the circuit."""
    noise = np.random.default_rng(seed + 77)
    start = problem.start(np.random.default_rng(seed))
    setup = Setup(
        start,
        sigma0=0.6,
        popsize=10,
        domain=make_domain(len(start)),
        budget=budget / problem.groups,
        reports_variances=True,
        angles=True,
    )
    method = ParameterShift(setup, np.random.default_rng(seed), params)
    while not method.finished:
        batch = method.ask()
        variances = problem.variances(batch.points) / batch.shots
        deviations = np.sqrt(variances) * noise.standard_normal(len(variances))
        method.tell(batch, Estimate(problem.energy(batch.points) + deviations, variances))
    return float(problem.energy(method.recommendation[None])[0]) - problem.best_energy


def median_error(problem: Problem, budget: int, seeds: range, params: ShiftParams) -> float:
    """The median over the seeds."""
    return float(np.median([error(problem, budget, seed, params) for seed in seeds]))


def changed(group: str, name: str, factor: float) -> ShiftParams:
    """Parameters with one of them multiplied; shares stay below one, integers stay integers."""
    part = getattr(DEFAULTS, group)
    before: Any = getattr(part, name)
    after = max(int(before * factor), 1) if isinstance(before, int) else before * factor
    if name.endswith("share"):
        after = min(after, 1.0)
    new: dict[str, Any] = {group: replace(part, **{name: after})}
    return replace(DEFAULTS, **new)


def main() -> None:
    """Print the medians, then the ratio of the medians for each parameter halved and doubled."""
    options = common.arguments(
        __doc__, runs=20, budget=100_000, first_seed=1000, problems=4, sensitivity=1
    )
    seeds = range(options.first_seed, options.first_seed + options.runs)
    problems = [get_problem(name) for name in PROBLEMS[: options.problems]]
    medians = {p.name: median_error(p, options.budget, seeds, DEFAULTS) for p in problems}
    title = f"median error of {options.runs} runs at {options.budget:g} shots"
    common.show(title, ["problem", "error"], [[name, e] for name, e in medians.items()])
    if not options.sensitivity:
        return
    rows = []
    for group, name in VARIED:
        for factor in (0.5, 2.0):
            params = changed(group, name, factor)
            found = [median_error(p, options.budget, seeds, params) for p in problems]
            ratios = [e / medians[p.name] for p, e in zip(problems, found, strict=True)]
            rows.append([f"{group}.{name} x {factor:g}", *ratios])
    common.show("ratio to the medians above", ["parameter", *medians], rows)


if __name__ == "__main__":
    main()
