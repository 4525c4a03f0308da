"""Small problems on which every solver can be tried."""

from __future__ import annotations

import numpy as np

from qiskit_arcmaes import GaussianOracle, get_function
from qiskit_arcmaes.bench.baselines import SOLVERS, Start, incompatibility, solver_for
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.shot_oracle import ShotOracle, budgeted
from qiskit_arcmaes.oracles import Oracle
from qiskit_arcmaes.problems import get_problem

H2 = get_problem("h2")
H2_START = np.array([1.0, -2.0, 0.5, 2.5])  # 0.53 above the best
SPHERE_START = np.array([2.0, -1.5, 1.0])
OPTIONS = {  # how a solver is tried where its defaults take long
    "cma": "cma:10@10",
    "ar": "ar:10",
    "ar-paper": "ar-paper:10@10",
    "ar-literal": "ar-literal:10@10",
    "three-stage": "three-stage:10",
    "uh": "uh:10",
    "lra": "lra:10@10",
    "psa": "psa@10",
    "pycma": "pycma@100",
    "cmaes-lra": "cmaes-lra@100",
    **{
        name: f"{name}@10"
        for name in ("spsa", "qnspsa", "cobyla", "nft", "umda", "bobyqa", "tbpsa")
    },
    "sequential": "sequential@10",
}
H2_OPTIONS = OPTIONS | {  # H2's noise needs more shots than a nearly noiseless sphere
    "three-stage": "three-stage",
    "lra": "lra:10@100",
    "qnspsa": "qnspsa@100",
    "cobyla": "cobyla@1000",
    "bobyqa": "bobyqa@1000",
    "tbpsa": "tbpsa@100",
    "nft": "nft@1000",
    "sequential": "sequential@1000",
    "umda": "umda@100",
}
ELSEWHERE = ("excitation-solve",)  # works on excitations, and is tried on them
NAMES = [
    OPTIONS.get(name, name)
    for name, family in SOLVERS.items()
    if name not in ELSEWHERE and family.installed
]


class Recorder(Oracle):
    """The oracle behind a budget, and its circuit; remembers every point, counts for itself."""

    def __init__(self, oracle):
        self.oracle = oracle
        self.points = []
        self.counted = 0
        self.reports_variances = oracle.reports_variances
        self.angles = oracle.angles
        self.spectra, self.circuit = oracle.spectra, oracle.circuit
        if isinstance(oracle, ShotOracle):
            self.single_rotations = oracle.single_rotations
            self.coefficient_sum = oracle.coefficient_sum

    @property
    def spent(self):
        return self.oracle.spent

    def price(self, n):
        return self.oracle.price(n)

    def evaluate(self, points, shots):
        self.points.append(np.array(points))
        self.counted += self.oracle.price(len(points)).at(shots)
        return self.oracle.evaluate(points, shots)

    def evaluate_each(self, points, shots):
        self.points.append(np.array(points))
        self.counted += self.oracle.price(1).at(int(np.sum(shots)))
        return self.oracle.evaluate_each(points, shots)

    def measure(self, plan):
        self.points.append(np.array(plan.points))
        self.counted += plan.total
        return self.oracle.measure(plan)


def sphere(budget, tau=0.01, seed=1, bounds=None):
    inner = GaussianOracle(get_function("sphere", 3), tau=tau, seed=seed)
    return BudgetOracle(inner, budget), Start(SPHERE_START, 0.5, bounds)


def h2(budget, seed=1):
    return budgeted(H2, budget, seed=seed), Start(H2_START, 0.2 * np.pi, None, True)


def instance(name, budget, seed=1):
    """The sphere where the solver works on anything, else H2."""
    oracle, start = sphere(budget, seed=seed)
    if incompatibility(name, oracle) is None:
        return oracle, start
    return h2(budget, seed)


def solve(name, oracle, start, seed=3):
    return solver_for(name).solve(oracle, start, seed)


def h2_error(x):
    return float(H2.energy(x)[0]) - H2.best_energy
