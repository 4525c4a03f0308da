"""Growth beyond a state vector: ShotFrugal on Ising chains of 16, 24 and 32 qubits.

    python bench/wide_chains.py                     # one run each
    python bench/wide_chains.py --jobs 60 --runs 2  # at most so many jobs per run

Problems as in ``arcmaes bench run scaling`` (2 layers, starts from the same range), measured by
``ShotEstimator`` on Aer's matrix-product states; errors are matrix-product expectations. The lowest
energy of the circuit is not searched at these widths: from 8 to 12 qubits it falls by 4.970, and
every further four qubits are taken to add as much. From 4 to 8 it falls by 4.994: the difference is
far below the error that is asked for, 0.1 per qubit.
"""

from __future__ import annotations

import _common  # isort: skip - one thread, before numpy is loaded
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray
from qiskit_aer import AerSimulator

from qiskit_arcmaes.bench.baselines import Start
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.report.anytime import Course
from qiskit_arcmaes.bench.report.scaling import PER_SITE
from qiskit_arcmaes.primitives import PrimitiveOracle, ShotEstimator
from qiskit_arcmaes.problems import families, get_problem
from qiskit_arcmaes.problems.model import Model

SIZES = (16, 24, 32)
LAYERS = 2


def simulator() -> AerSimulator:
    """Aer's matrix-product states, on one thread."""
    return AerSimulator(method="matrix_product_state", max_parallel_threads=1)


def lowest(size: int) -> float:
    """The lowest energy of the circuit, extrapolated in steps of four qubits."""
    known = {n: get_problem(f"ising_n{n}").best_energy for n in (8, 12)}
    return known[12] + (size - 12) / 4 * (known[12] - known[8])


def exact_energy(model: Model, point: NDArray[np.float64]) -> float:
    """The expectation of a matrix-product state."""
    circuit = model.ansatz.assign_parameters(point)
    circuit.save_expectation_value(model.operator, range(model.num_qubits))
    return float(simulator().run(circuit, shots=1).result().data(0)["expectation_value"])


def run(size: int, seed: int, budget: int, jobs: int | None) -> str:
    """One run, as a row of a table."""
    model = families.ising(size, LAYERS)
    x0 = model.start(np.random.default_rng(seed))
    estimator = ShotEstimator(backend=simulator(), seed=seed)

    def fun(points: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(
            estimator.run([(model.ansatz, model.operator, points)]).result()[0].data.evs
        )

    inner = PrimitiveOracle(fun, [estimator], x0, vectorized=True)
    oracle = BudgetOracle(inner, budget)
    began = time.process_time()
    found = PackageMethod("frugal", "frugal", jobs=jobs).solve(
        oracle, Start(x0, 0.2 * np.pi, angles=True), seed
    )
    seconds = time.process_time() - began
    least, first = lowest(size), exact_energy(model, x0)
    notes = [(0, first), *((spent, exact_energy(model, x)) for spent, x in oracle.notes)]
    shots, energies = np.array(notes, dtype=float).T
    taken = Course(shots, energies - least).reached(size * PER_SITE["ising"])
    last = (exact_energy(model, found.x) - least) / size
    return (
        f"| {size} | {model.dim} | {seed} | {taken:.3g} | {last:.3g} | {oracle.spent} | "
        f"{oracle.jobs} | {seconds:.0f} |"
    )


if __name__ == "__main__":
    asked = _common.arguments(__doc__, seed=1, runs=1, budget=100_000, jobs=0)
    print(
        "| qubits | parameters | seed | shots to 0.1 per qubit | error per qubit | shots | jobs | "
        "seconds |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for size in SIZES:
        for seed in range(asked.seed, asked.seed + asked.runs):
            print(run(size, seed, asked.budget, asked.jobs or None), flush=True)
