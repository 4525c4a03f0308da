"""MaxCut with QAOA."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.problem import Problem
from qiskit_arcmaes.problems.search import search_best

Edges = Sequence[tuple[int, int]]
Weights = Sequence[float] | None

DEGREE = 3

EDGES_8 = (
    (0, 1),
    (0, 3),
    (0, 4),
    (1, 4),
    (1, 7),
    (2, 3),
    (2, 5),
    (2, 6),
    (3, 7),
    (4, 6),
    (5, 6),
    (5, 7),
)
"""The graph of the problem ``maxcut8``."""


def maxcut_hamiltonian(nodes: int, edges: Edges, weights: Weights = None) -> SparsePauliOp:
    """Return minus the weight of the cut edges, ``sum weight (ZZ - 1) / 2``.

    Example:
        >>> maxcut_hamiltonian(2, [(0, 1)]).to_list()
        [('ZZ', (0.5+0j)), ('II', (-0.5+0j))]
    """
    sizes = [1.0] * len(edges) if weights is None else list(weights)
    terms: list[tuple[str, list[int], float]] = [
        ("ZZ", list(edge), size / 2) for edge, size in zip(edges, sizes, strict=True)
    ]
    terms.append(("", [], -sum(sizes) / 2))
    return SparsePauliOp.from_sparse_list(terms, num_qubits=nodes)


def qaoa_ansatz(nodes: int, edges: Edges, reps: int, weights: Weights = None) -> QuantumCircuit:
    """Return the QAOA circuit of a graph, with the parameters in Qiskit's order: all β, all γ.

    Example:
        >>> [str(parameter) for parameter in qaoa_ansatz(2, [(0, 1)], reps=2).parameters]
        ['β[0]', 'β[1]', 'γ[0]', 'γ[1]']
    """
    betas = ParameterVector("β", reps)
    gammas = ParameterVector("γ", reps)  # noqa: RUF001 - Qiskit's own name
    circuit = QuantumCircuit(nodes)
    circuit.h(range(nodes))
    for beta, gamma in zip(betas, gammas, strict=True):
        for index, edge in enumerate(edges):
            circuit.rzz(gamma if weights is None else weights[index] * gamma, *edge)
        circuit.rx(2 * beta, range(nodes))
    return circuit


def cut_energies(nodes: int, edges: Edges) -> NDArray[np.float64]:
    """Return minus the number of cut edges for all 2**nodes colourings.

    Example:
        >>> cut_energies(2, [(0, 1)])
        array([ 0., -1., -1.,  0.])
    """
    colourings = np.arange(1 << nodes)
    cuts = sum(((colourings >> one) ^ (colourings >> other)) & 1 for one, other in edges)
    return -np.asarray(cuts, dtype=float) + 0.0


def regular_graph(nodes: int, seed: int) -> list[tuple[int, int]]:
    """Draw a random 3-regular graph without loops and double edges.

    Args:
        nodes: Number of nodes, even and at least 4.
        seed: Seed of the draw.

    Returns:
        The sorted edges.

    Example:
        >>> regular_graph(4, seed=1)
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    if nodes < DEGREE + 1 or nodes % 2:
        raise ValueError(f"nodes must be even and at least {DEGREE + 1}, not {nodes}.")
    rng = np.random.default_rng(seed)
    while True:
        ends = rng.permutation(np.repeat(np.arange(nodes), DEGREE)).reshape(-1, 2)
        edges = {(int(min(pair)), int(max(pair))) for pair in ends if pair[0] != pair[1]}
        if len(edges) == len(ends):
            return sorted(edges)


def maxcut_model(name: str, nodes: int, edges: Edges, reps: int) -> Model:
    """Return MaxCut of a graph with QAOA; starts are uniform over one period of every angle."""
    return Model(
        name=name,
        description=f"MaxCut on a 3-regular graph of {nodes}, QAOA with p = {reps}",
        operator=maxcut_hamiltonian(nodes, edges),
        shift=0.0,
        ansatz=qaoa_ansatz(nodes, edges, reps),
        start_range=np.repeat([[-np.pi / 2, np.pi / 2], [-np.pi, np.pi]], reps, axis=0),
    )


def maxcut_problem(nodes: int, *, seed: int, reps: int = 3, starts: int = 20) -> Problem:
    """Return MaxCut with QAOA on a random 3-regular graph.

    The ground energy is the best of all colourings; the best energy of the circuit is searched
    with ``starts`` noise-free descents.

    Args:
        nodes: Number of nodes, even and at least 4.
        seed: Seed of the graph and of the search.
        reps: Layers of the circuit, at least 1: half the number of parameters.
        starts: Descents, at least 1. Only some reach the lowest energy, about one in five for
            8 nodes and 3 layers; each takes about a second for 10 nodes.

    Returns:
        The problem.

    Example:
        >>> from qiskit_arcmaes.problems import maxcut_problem
        >>> problem = maxcut_problem(6, seed=1, reps=1, starts=5)
        >>> problem.dim, problem.ground_energy <= problem.best_energy
        (2, True)
    """
    if reps < 1:
        raise ValueError(f"reps must be at least 1, not {reps}.")
    edges = regular_graph(nodes, seed)
    model = maxcut_model(f"maxcut{nodes}-seed{seed}-p{reps}", nodes, edges, reps)
    best = search_best(model, starts=starts, seed=seed)
    ground_energy = float(cut_energies(nodes, edges).min())
    return Problem.from_model(model, ground_energy, best.energy, best.parameters)
