"""What ``clients.py`` runs: every client as its users build it, on a small problem.

A function gets the primitives, an optimizer as a callable, and the generator of the start. Most of
them minimise once, and the loss at the point that comes back is the score; those that minimise more
often return a score of their own.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import (
    efficient_su2,
    evolved_operator_ansatz,
    qaoa_ansatz,
    real_amplitudes,
    z_feature_map,
)
from qiskit.quantum_info import SparsePauliOp, Statevector

from qiskit_arcmaes.problems import get_problem

Rng = np.random.Generator
H2 = get_problem("h2").operator
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)]
CUT = SparsePauliOp.from_sparse_list([("ZZ", [i, j], 0.5) for i, j in EDGES], num_qubits=5)


def _start(circuit: QuantumCircuit, rng: Rng) -> Any:
    return 2 * np.pi * rng.random(circuit.num_parameters)


def scipy_estimator(primitives: Any, optimizer: Any, rng: Rng) -> None:
    """IBM's tutorial on VQE: H2, a random start."""
    ansatz = efficient_su2(2, reps=1)

    def cost(x: Any, ansatz: Any, hamiltonian: Any, estimator: Any) -> Any:
        return estimator.run(pubs=[(ansatz, [hamiltonian], [x])]).result()[0].data.evs[0]

    optimizer(fun=lambda x: cost(x, ansatz, H2, primitives[0]), x0=_start(ansatz, rng))


def scipy_counts(primitives: Any, optimizer: Any, rng: Rng) -> None:
    """A MaxCut of five nodes, p = 1, by a cost function of the sampler's counts."""
    circuit = qaoa_ansatz(CUT, reps=1)
    circuit.measure_all()

    def cost(x: Any) -> float:
        counts = primitives[0].run([(circuit, x)]).result()[0].data.meas.get_counts()
        value = {
            bits: sum(0.5 if bits[4 - i] == bits[4 - j] else -0.5 for i, j in EDGES)
            for bits in counts
        }
        return sum(n * value[bits] for bits, n in counts.items()) / sum(counts.values())

    optimizer(fun=cost, x0=rng.uniform(0, np.pi, 2))


def vqe(primitives: Any, optimizer: Any, rng: Rng, own: bool = False) -> None:
    """VQE of H2, by qiskit-algorithms or by qiskit-optimization's own class."""
    import qiskit_algorithms
    from qiskit_optimization import minimum_eigensolvers

    kind = minimum_eigensolvers.VQE if own else qiskit_algorithms.VQE
    ansatz = efficient_su2(2, reps=1)
    solver = kind(primitives[0], ansatz, optimizer, initial_point=_start(ansatz, rng))
    solver.compute_minimum_eigenvalue(H2)


def sampling_vqe(primitives: Any, optimizer: Any, rng: Rng, own: bool = False) -> None:
    """The MaxCut by SamplingVQE, of either package."""
    import qiskit_algorithms
    from qiskit_optimization import minimum_eigensolvers

    kind = minimum_eigensolvers.SamplingVQE if own else qiskit_algorithms.SamplingVQE
    ansatz = real_amplitudes(5, reps=1)
    solver = kind(primitives[0], ansatz, optimizer, initial_point=_start(ansatz, rng))
    solver.compute_minimum_eigenvalue(CUT)


def qaoa(
    primitives: Any,
    optimizer: Any,
    rng: Rng,
    own: bool = True,
    within: str | None = None,
    aggregation: float | None = None,
) -> float | None:
    """The MaxCut with p = 1: the eigensolver of either package, or an optimizer around it."""
    import qiskit_algorithms
    from qiskit_optimization import algorithms as around
    from qiskit_optimization import minimum_eigensolvers

    kind = minimum_eigensolvers.QAOA if own else qiskit_algorithms.QAOA
    start = rng.uniform(0, np.pi, 2)
    solver = kind(primitives[0], optimizer, reps=1, initial_point=start, aggregation=aggregation)
    if within is None:
        solver.compute_minimum_eigenvalue(CUT)
        return None
    if within == "warm start":
        warm = around.WarmStartQAOAOptimizer(
            pre_solver=around.SlsqpOptimizer(), relax_for_pre_solver=True, qaoa=solver, epsilon=0.25
        )
        warm.solve(_weighted_cut(rng, 5))
        return None
    inner = around.MinimumEigenOptimizer(solver)
    recursive = around.RecursiveMinimumEigenOptimizer(inner, min_num_vars=3)
    return -float(recursive.solve(_weighted_cut(rng, 7)).fval)


def _weighted_cut(rng: Rng, nodes: int) -> Any:
    """A MaxCut of a complete graph with random weights, eighths between 0 and 1.

    They add up without rounding: fields that round to -1e-17 in place of zero have no hash in
    Qiskit 2.6, which the cache of qiskit-optimization needs.
    """
    from qiskit_optimization import QuadraticProgram

    weights = np.triu(rng.integers(1, 9, (nodes, nodes)) / 8, 1)
    program = QuadraticProgram()
    for node in range(nodes):
        program.binary_var(f"x{node}")
    program.maximize(linear=(weights + weights.T).sum(axis=0), quadratic=-2 * weights)
    return program


def vqd(primitives: Any, optimizer: Any, rng: Rng) -> float:
    """Two states of H2 by VQD; the mean error of the reported eigenvalues."""
    from qiskit_algorithms import VQD
    from qiskit_algorithms.state_fidelities import ComputeUncompute

    estimator, sampler = primitives
    ansatz = efficient_su2(2, reps=1)
    solver = VQD(
        estimator, ComputeUncompute(sampler), ansatz, optimizer, k=2, betas=[3.0, 3.0],
        initial_point=_start(ansatz, rng),
    )  # fmt: skip
    found = np.real(solver.compute_eigenvalues(H2).eigenvalues)
    exact = np.linalg.eigvalsh(H2.to_matrix())[:2]
    return float(np.mean(np.abs(found - exact)))


def adapt_vqe(primitives: Any, optimizer: Any, rng: Rng) -> float:
    """An Ising chain of four sites, at most four operators; the energy of the state it ends in."""
    from qiskit_algorithms import VQE, AdaptVQE

    chain = SparsePauliOp.from_sparse_list(
        [("ZZ", [i, i + 1], -1.0) for i in range(3)] + [("X", [i], -0.8) for i in range(4)], 4
    )
    pool = [
        SparsePauliOp.from_sparse_list([(name, list(where), 1.0)], 4)
        for name, where in (
            *(("Y", (i,)) for i in range(4)),
            *(("YZ", (i, i + 1)) for i in range(3)),
            *(("ZY", (i, i + 1)) for i in range(3)),
        )
    ]
    solver = VQE(primitives[0], evolved_operator_ansatz(pool), optimizer)
    found = AdaptVQE(solver, operators=pool, max_iterations=4).compute_minimum_eigenvalue(chain)
    return _energy(found, chain)


def _energy(found: Any, operator: Any) -> float:
    state = found.optimal_circuit.assign_parameters(found.optimal_point)
    return float(np.real(Statevector(state).expectation_value(operator)))


def nature(primitives: Any, optimizer: Any, rng: Rng, adapt: bool = False) -> float | None:
    """H2 with UCCSD, from near the Hartree–Fock state; integrals in hartree."""
    from qiskit_algorithms import VQE, AdaptVQE
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
    if not adapt:
        start = 0.1 * rng.standard_normal(ansatz.num_parameters)
        solver = VQE(primitives[0], ansatz, optimizer, initial_point=start)
        GroundStateEigensolver(mapper, solver).solve(problem)
        return None
    solver = AdaptVQE(VQE(primitives[0], ansatz, optimizer), max_iterations=2)
    solver.supports_aux_operators = lambda: True
    found = GroundStateEigensolver(mapper, solver).solve(problem).raw_result
    return _energy(found, mapper.map(problem.second_q_ops()[0]))


def learning(primitives: Any, optimizer: Any, rng: Rng, model: str, data: int) -> None:
    """A model of qiskit-machine-learning on eight samples that a seed draws."""
    from qiskit_machine_learning import algorithms, neural_networks

    samples = np.random.default_rng(data).uniform(-1, 1, (8, 2))
    labels = (samples.sum(axis=1) > 0).astype(int)
    features, ansatz = z_feature_map(2, reps=1), real_amplitudes(2, reps=1)
    fit = {"optimizer": optimizer, "initial_point": rng.random(ansatz.num_parameters)}
    parts = {"feature_map": features, "ansatz": ansatz}
    network = {
        "circuit": QuantumCircuit(2).compose(features).compose(ansatz),
        "input_params": features.parameters,
        "weight_params": ansatz.parameters,
    }
    if model == "VQC":
        algorithms.VQC(sampler=primitives[0], **parts, **fit).fit(samples, labels)
    elif model == "VQR":
        algorithms.VQR(estimator=primitives[0], **parts, **fit).fit(samples, samples[:, 0])
    elif model == "SamplerQNN":
        of_sampler = neural_networks.SamplerQNN(
            sampler=primitives[0], interpret=lambda outcome: f"{outcome:b}".count("1") % 2,
            output_shape=2, **network,
        )  # fmt: skip
        algorithms.NeuralNetworkClassifier(of_sampler, **fit).fit(samples, labels)
    else:
        of_estimator = neural_networks.EstimatorQNN(estimator=primitives[0], **network)
        kind, targets = {
            "EstimatorQNN": (algorithms.NeuralNetworkClassifier, 2 * labels - 1),
            "regressor": (algorithms.NeuralNetworkRegressor, samples[:, 0]),
        }[model]
        kind(of_estimator, **fit).fit(samples, targets)


class Device:
    """PennyLane's simulator of two qubits, with the counted shots of a primitive.

    Attributes:
        groups: The measurement groups of H2; each runs with the shots of a point.
        shots: What a loss runs with that is not told its shots.
    """

    groups = 2

    def __init__(self, seed: int) -> None:
        import pennylane

        self.qubits = pennylane.device("default.qubit", wires=2, seed=seed)
        self.shots: int | None = None
        self.tracker = pennylane.Tracker(self.qubits)
        self.tracker.active = True

    @property
    def ledger(self) -> Any:
        """The shots so far, as PennyLane counts them."""
        return SimpleNamespace(shots=self.tracker.totals.get("shots", 0))


def pennylane(primitives: Any, optimizer: Any, rng: Rng) -> float:
    """VQE of H2 by a QNode, the circuit of ``vqe``; the exact energy of the returned point."""
    import pennylane as qml

    (device,) = primitives
    labels, weights = zip(*H2.to_list(), strict=True)
    words = [qml.pauli.string_to_pauli_word(label[::-1]) for label in labels]
    hamiltonian = qml.Hamiltonian(np.real(weights), words, grouping_type="qwc")

    def turn(x: Any) -> None:
        for wire in range(2):
            qml.RY(x[wire], wires=wire)
            qml.RZ(x[wire + 2], wires=wire)

    @qml.qnode(device.qubits)
    def circuit(x: Any) -> Any:
        turn(x[:4])
        qml.CNOT(wires=[0, 1])
        turn(x[4:])
        return qml.expval(hamiltonian)

    def loss(x: Any, shots: int | None = None) -> Any:
        return qml.set_shots(circuit, shots=shots or device.shots)(x)

    return float(circuit(optimizer(loss, 2 * np.pi * rng.random(8)).x))
