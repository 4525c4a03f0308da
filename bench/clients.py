"""Every client with its usual optimizer and with ours, at equal shots.

The loss of the returned point is estimated again with many shots, outside of the budget. Optimizers
of the clients run at 1,024 shots per circuit, the primitives' default, for as many evaluations as
the budget pays; one that would exceed it is stopped, and the best point it saw counts.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import _common  # noqa: F401  (first: one thread)
import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import efficient_su2, real_amplitudes, z_feature_map
from qiskit.quantum_info import SparsePauliOp
from scipy.optimize import minimize as scipy_minimize

from qiskit_arcmaes import ARCMAES, ShotEstimator, ShotFrugal, ShotSampler, scipy_method
from qiskit_arcmaes.optimizers import ShotOptimizer
from qiskit_arcmaes.problems import get_problem

BOTH = ("ShotFrugal", "ARCMAES")
SHOTS = 1024
SCORE_SHOTS = 100_000
H2 = get_problem("h2").operator


class Finished(Exception):  # noqa: N818  (not an error: a run that is over)
    """Leaves the client with the score of a run."""


class Spent(Exception):  # noqa: N818
    """The budget is used."""


@dataclass(frozen=True)
class Client:
    """A client: what it runs on, how it starts an optimizer, its usual one, and those of ours."""

    kind: Callable[..., Any]
    start: Callable[[Any, Any, np.random.Generator], Any]
    usual: str
    budget: int
    ours: tuple[str, ...] = ("ShotFrugal",)


def scipy_client(primitive: Any, optimizer: Any, rng: np.random.Generator) -> None:
    """IBM's tutorial on VQE: H2, a random start."""
    ansatz = efficient_su2(2, reps=1)

    def cost(x: Any, ansatz: Any, hamiltonian: Any, estimator: Any) -> Any:
        return estimator.run(pubs=[(ansatz, [hamiltonian], [x])]).result()[0].data.evs[0]

    x0 = 2 * np.pi * rng.random(ansatz.num_parameters)
    optimizer(fun=lambda x: cost(x, ansatz, H2, primitive), x0=x0)


def algorithms_client(primitive: Any, optimizer: Any, rng: np.random.Generator) -> None:
    """VQE on the same problem."""
    from qiskit_algorithms import VQE

    ansatz = efficient_su2(2, reps=1)
    start = 2 * np.pi * rng.random(ansatz.num_parameters)
    VQE(primitive, ansatz, optimizer, initial_point=start).compute_minimum_eigenvalue(H2)


def nature_client(primitive: Any, optimizer: Any, rng: np.random.Generator) -> None:
    """H2 with UCCSD, from near the Hartree–Fock state; integrals in hartree."""
    from qiskit_algorithms import VQE
    from qiskit_nature.second_q.algorithms import GroundStateEigensolver
    from qiskit_nature.second_q.circuit.library import UCCSD, HartreeFock
    from qiskit_nature.second_q.hamiltonians import ElectronicEnergy
    from qiskit_nature.second_q.mappers import JordanWignerMapper
    from qiskit_nature.second_q.problems import ElectronicStructureProblem

    two = np.zeros((2, 2, 2, 2))
    two[0, 0, 0, 0], two[1, 1, 1, 1] = 0.67571015, 0.69857372
    two[0, 0, 1, 1] = two[1, 1, 0, 0] = 0.66458173
    two[0, 1, 0, 1] = two[1, 0, 0, 1] = two[0, 1, 1, 0] = two[1, 0, 1, 0] = 0.18093120
    one = np.diag([-1.25633907, -0.47189601])
    problem = ElectronicStructureProblem(ElectronicEnergy.from_raw_integrals(one, two))
    problem.num_particles = (1, 1)
    mapper = JordanWignerMapper()
    ansatz = UCCSD(2, (1, 1), mapper, initial_state=HartreeFock(2, (1, 1), mapper))
    start = 0.1 * rng.standard_normal(ansatz.num_parameters)
    vqe = VQE(primitive, ansatz, optimizer, initial_point=start)
    GroundStateEigensolver(mapper, vqe).solve(problem)


def optimization_client(primitive: Any, optimizer: Any, rng: np.random.Generator) -> None:
    """MaxCut of five nodes, p = 1, by the package's own QAOA."""
    from qiskit_optimization.minimum_eigensolvers import QAOA

    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)]
    terms = [("ZZ", [i, j], 0.5) for i, j in edges]
    operator = SparsePauliOp.from_sparse_list(terms, num_qubits=5)
    qaoa = QAOA(primitive, optimizer, reps=1, initial_point=rng.uniform(0, np.pi, 2))
    qaoa.compute_minimum_eigenvalue(operator)


def learning_client(
    primitive: Any, optimizer: Any, rng: np.random.Generator, sampled: bool, data: int
) -> None:
    """VQC, or a classifier on an EstimatorQNN, on eight samples that a seed draws."""
    from qiskit_machine_learning.algorithms import VQC, NeuralNetworkClassifier
    from qiskit_machine_learning.neural_networks import EstimatorQNN

    samples = np.random.default_rng(data).uniform(-1, 1, (8, 2))
    labels = (samples.sum(axis=1) > 0).astype(int)
    features, ansatz = z_feature_map(2, reps=1), real_amplitudes(2, reps=1)
    start = rng.random(ansatz.num_parameters)
    if sampled:
        model = VQC(
            sampler=primitive, feature_map=features, ansatz=ansatz, optimizer=optimizer,
            initial_point=start,
        )  # fmt: skip
        model.fit(samples, labels)
        return
    whole = QuantumCircuit(2).compose(features).compose(ansatz)
    network = EstimatorQNN(
        circuit=whole, estimator=primitive,
        input_params=features.parameters, weight_params=ansatz.parameters,
    )  # fmt: skip
    classifier = NeuralNetworkClassifier(network, optimizer=optimizer, initial_point=start)
    classifier.fit(samples, 2 * labels - 1)


def clients(data: int) -> dict[str, Client]:
    """All clients, those that learn with the samples of a seed."""
    vqc = partial(learning_client, sampled=True, data=data)
    network = partial(learning_client, sampled=False, data=data)
    return {
        "scipy, IBM's VQE": Client(
            ShotEstimator, scipy_client, "COBYLA", 100_000, ("scipy_method",)
        ),
        "qiskit-algorithms VQE": Client(ShotEstimator, algorithms_client, "SLSQP", 100_000),
        "qiskit-nature H2, UCCSD": Client(ShotEstimator, nature_client, "SLSQP", 100_000),
        "qiskit-optimization QAOA": Client(ShotSampler, optimization_client, "COBYLA", 20_000),
        "machine-learning VQC": Client(ShotSampler, vqc, "SLSQP", 200_000, BOTH),
        "machine-learning QNN": Client(ShotEstimator, network, "SLSQP", 200_000, BOTH),
    }


def usual(name: str, budget: int, primitive: Any) -> Callable[..., Any]:
    """One of scipy's optimizers within a budget."""
    primitive.shots = SHOTS

    def run(fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> Any:
        seen: list[tuple[float, Any]] = []

        def counted(call: Any, x: Any, evaluations: int) -> Any:
            if primitive.ledger.shots + evaluations * each > budget:
                raise Spent
            return call(x)

        def loss(x: Any) -> float:
            value = float(counted(fun, np.array(x), 1))
            seen.append((value, np.array(x)))
            return value

        def slopes(x: Any) -> Any:  # by parameter shift, after a forward pass that may be cached
            return np.ravel(counted(jac, x, 2 * len(x) + 1))

        with primitive.recording() as record:
            try:
                fun(np.array(x0, dtype=float))
            except Exception:  # a dry run ends where the first result is asked for
                each = record.shots
        options = {"maxiter": budget // each} if name == "COBYLA" else {}
        slope = None if jac is None or name == "COBYLA" else slopes
        try:
            return scipy_minimize(loss, x0, method=name, jac=slope, options=options).x
        except Spent:
            return min(seen, key=lambda pair: pair[0])[1]

    return run


def ours(kind: type[ShotOptimizer], budget: int, primitive: Any, seed: int) -> Callable[..., Any]:
    """One of our optimizers with its defaults."""

    def run(fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> Any:
        return kind(budget, primitive=primitive, seed=seed).minimize(fun, x0).x

    return run


def through_scipy(budget: int, primitive: Any, seed: int) -> Callable[..., Any]:
    """Our default method as scipy's."""

    def run(fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> Any:
        options: Any = {"max_shots": budget, "seed": seed}
        return scipy_minimize(fun, x0, method=scipy_method("frugal"), options=options).x

    return run


OURS: dict[str, Callable[[int, Any, int], Callable[..., Any]]] = {
    "ShotFrugal": partial(ours, ShotFrugal),
    "ARCMAES": partial(ours, ARCMAES),
    "scipy_method": through_scipy,
}


def score(client: Client, choice: str, seed: int) -> tuple[float, int]:
    """The loss at the point that one run returns, and the shots that it took."""
    primitive = client.kind(seed=seed)
    if choice in OURS:
        minimizer = OURS[choice](client.budget, primitive, seed)
    else:
        minimizer = usual(choice, client.budget, primitive)

    def optimizer(fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> None:
        point = minimizer(fun, np.array(x0, dtype=float), jac)
        spent = primitive.ledger.shots
        primitive.shots = SCORE_SHOTS
        raise Finished(float(np.squeeze(fun(point))), spent)

    try:
        client.start(primitive, optimizer, np.random.default_rng(1000 + seed))
    except Finished as end:
        return end.args
    raise RuntimeError("the client did not call its optimizer")


def main() -> None:
    """Print the medians of every client and optimizer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="runs each, default 10")
    parser.add_argument("--first", type=int, default=0, help="the first seed, default 0")
    parser.add_argument("--only", default="", help="clients whose name contains this")
    parser.add_argument("--data", type=int, default=3, help="seed of the samples, default 3")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'client':30}{'optimizer':12}{'median':>9}{'worst':>9}{'most shots':>12}  verdict")
    for name, client in clients(chosen.data).items():
        if chosen.only not in name:
            continue
        medians = {}
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        for choice in dict.fromkeys((client.usual, "COBYLA", *client.ours)):
            runs = [score(client, choice, seed) for seed in seeds]
            losses = [loss for loss, _ in runs]
            medians[choice] = float(np.median(losses))
            good = medians[choice] <= medians[client.usual]
            verdict = ("reached" if good else "MISSED") if choice in OURS else ""
            most = max(spent for _, spent in runs)
            figures = f"{medians[choice]:9.4f}{max(losses):9.4f}{most:12,}"
            print(f"{name:30}{choice:12}{figures}  {verdict}", flush=True)


if __name__ == "__main__":
    main()
