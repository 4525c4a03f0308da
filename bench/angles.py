"""Angles of circuits: median errors of `ar`, and what halving or doubling each constant does.

Exact energies, with Gaussian noise of the exact variance of the shots: quick, and as good as the
estimator for this purpose. Every shot is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import _common as common
import numpy as np

from qiskit_arcmaes import minimize
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.problems import Problem, get_problem
from qiskit_arcmaes.registry import angle_model, angle_rounds, angles

PROBLEMS = ("h2", "lih", "ising6", "maxcut8")
CONSTANTS: list[tuple[Any, str]] = [
    (angles, "_RATE"),
    (angles, "_STARTS"),
    (angles, "_SHORTER"),
    (angles, "_SETTLED"),
    (angles, "_SUSPICION"),
    (angles, "_TOLERANCE"),
    (angles, "_STEPS_A_COEFFICIENT"),
    (angle_rounds, "MOST"),
    (angle_rounds, "_KEPT"),
    (angle_rounds, "_TRUST"),
    (angle_model, "_PROOF"),
]


class EnergyOracle:
    """Exact energies with the noise of their shots, drawn as a normal variable."""

    angles = True
    reports_variances = True

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.rng = np.random.default_rng(seed)
        self.spent = 0

    def cost(self, n: int, shots: int) -> int:
        """Shots of a batch: points x measurement bases x shots."""
        return n * shots * self.problem.groups

    def evaluate(self, points: common.Array, shots: int) -> Estimate:
        """Measure all points."""
        variances = self.problem.variances(points) / shots
        self.spent += self.cost(len(variances), shots)
        noise = np.sqrt(variances) * self.rng.standard_normal(len(variances))
        return Estimate(self.problem.energy(points) + noise, variances)

    @property
    def state(self) -> Mapping[str, Any]:
        """Nothing is resumed here."""
        return {}


def median_error(problem: Problem, budget: int, seeds: range) -> float:
    """Of the exact energy at the answer above the best of the circuit."""
    errors = []
    for seed in seeds:
        oracle = EnergyOracle(problem, seed + 77)
        start = problem.start(np.random.default_rng(seed))
        point = minimize(oracle, start, max_shots=budget, seed=seed).x
        errors.append(float(problem.energy(point)[0]) - problem.best_energy)
    return float(np.median(errors))


@contextmanager
def changed(module: Any, name: str, factor: float) -> Iterator[None]:
    """A constant times a factor, for a while; shares stay below one, integers whole."""
    before = getattr(module, name)
    after = before * factor if isinstance(before, float) else max(int(before * factor), 1)
    setattr(module, name, min(after, 1.0) if name == "_KEPT" else after)
    try:
        yield
    finally:
        setattr(module, name, before)


def main() -> None:
    """Print the medians, then the ratio of the medians for each constant halved and doubled."""
    options = common.arguments(
        __doc__, runs=20, budget=100_000, first_seed=1000, problems=4, sensitivity=1
    )
    seeds = range(options.first_seed, options.first_seed + options.runs)
    problems = [get_problem(name) for name in PROBLEMS[: options.problems]]
    medians = {p.name: median_error(p, options.budget, seeds) for p in problems}
    title = f"median error of {options.runs} runs at {options.budget:g} shots"
    common.show(title, ["problem", "error"], [[name, e] for name, e in medians.items()])
    if not options.sensitivity:
        return
    rows = []
    for module, name in CONSTANTS:
        for factor in (0.5, 2.0):
            with changed(module, name, factor):
                found = [median_error(p, options.budget, seeds) for p in problems]
            ratios = [e / medians[p.name] for p, e in zip(problems, found, strict=True)]
            rows.append([f"{name.strip('_')} x {factor:g}", *ratios])
    common.show("ratio to the medians above", ["constant", *medians], rows)


if __name__ == "__main__":
    main()
