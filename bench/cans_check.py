"""Does our iCANS end where PennyLane's does? H2 at equal shots, each with its own simulator.

``python bench/cans_check.py [--runs 12] [--budget 4000]``: medians and quartiles of the exact
error above the best energy of the circuit, and the p-value of a Mann-Whitney test of one against
the other. PennyLane draws its own single shots. They are counted here: two points for every
coordinate, in every measurement basis, which it forgets. Needs the extra ``peers``; PennyLane
takes about five seconds for a run of 4000 shots.
"""

from __future__ import annotations

import _common as common
import numpy as np
import pennylane as qml
from scipy import stats

from qiskit_arcmaes.bench.baselines import Start, solver_for
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.problems import Problem, get_problem


def hamiltonian(problem: Problem) -> tuple[qml.Hamiltonian, float]:
    """The observable without its constant in PennyLane's form, and its sum of coefficients."""
    coefficients, terms = [], []
    for label, coefficient in problem.operator.to_list():
        letters = {w: letter for w, letter in enumerate(reversed(label)) if letter != "I"}
        if letters:
            coefficients.append(float(coefficient.real))
            terms.append(qml.prod(*(getattr(qml, axis)(wire) for wire, axis in letters.items())))
    return qml.Hamiltonian(coefficients, terms), float(np.abs(coefficients).sum())


def theirs(problem: Problem, start: np.ndarray, budget: int, seed: int) -> float:
    """The error of PennyLane's optimizer; the step that would exceed the budget is not made."""
    operator, lipschitz = hamiltonian(problem)
    device = qml.device("default.qubit", wires=2, seed=seed)

    @qml.set_shots(2)
    @qml.qnode(device, diff_method="parameter-shift")
    def cost(x: np.ndarray) -> object:
        qml.RY(x[0], 0)
        qml.RY(x[1], 1)
        qml.CNOT([0, 1])
        qml.RY(x[2], 0)
        qml.RY(x[3], 1)
        return qml.expval(operator)

    optimizer = qml.ShotAdaptiveOptimizer(min_shots=2, stepsize=1 / lipschitz)
    x = qml.numpy.array(start, requires_grad=True)
    next_cost = 2 * 2 * len(start)
    while (optimizer.total_shots_used + next_cost) * problem.groups <= budget:
        x = optimizer.step(cost, x)
        next_cost = 2 * int(np.sum(optimizer.s[0]))
    return float(problem.energy(np.array(x))[0]) - problem.best_energy


def ours(problem: Problem, start: np.ndarray, budget: int, seed: int) -> float:
    """The error of our iCANS."""
    oracle = budgeted(problem, budget, seed)
    recommendation = solver_for("icans").solve(oracle, Start(start, 1.0, angles=True), seed)
    return float(problem.energy(recommendation.x)[0]) - problem.best_energy


def main() -> None:
    """Print both, from the same starts."""
    given = common.arguments(__doc__, runs=12, budget=4_000)
    problem = get_problem("h2")
    starts = [problem.start(np.random.default_rng(seed)) for seed in range(given.runs)]
    found = {
        name: [solve(problem, x, given.budget, seed) for seed, x in enumerate(starts)]
        for name, solve in (("icans", ours), ("PennyLane", theirs))
    }
    rows = [(name, *np.percentile(errors, [25, 50, 75])) for name, errors in found.items()]
    title = f"H2, {given.budget:g} shots, {given.runs} runs"
    common.show(title, ("", "quartile", "median", "quartile"), rows)
    print(f"p = {stats.mannwhitneyu(*found.values()).pvalue:.2g} (Mann-Whitney)")


if __name__ == "__main__":
    main()
