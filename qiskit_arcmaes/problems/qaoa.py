"""QAOA for MaxCut on graphs, weighted and not, from random starts and from linear ramps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.problems.maxcut import EDGES_8, maxcut_hamiltonian, qaoa_ansatz, regular_graph
from qiskit_arcmaes.problems.model import Model

StartKind = Literal["random", "ramp"]

RAMP_TIME = 0.75
"""Time step of the linear ramp, in units of one over the mean weight (Sack and Serbyn, 2021)."""


@dataclass(frozen=True)
class Graph:
    """A graph whose largest cut is looked for.

    Attributes:
        nodes: Number of nodes.
        edges: Pairs of nodes.
        weights: Weight of each edge; None where all weigh 1.
    """

    nodes: int
    edges: tuple[tuple[int, int], ...]
    weights: tuple[float, ...] | None = None

    @property
    def mean_weight(self) -> float:
        """Mean size of the weights."""
        return 1.0 if self.weights is None else float(np.mean(np.abs(self.weights)))


def weighted_regular(nodes: int, seed: int) -> Graph:
    """Draw a 3-regular graph with weights uniform between 0 and 1.

    Example:
        >>> len(weighted_regular(8, seed=1).weights)
        12
    """
    edges = tuple(regular_graph(nodes, seed))
    weights = np.random.default_rng(seed).uniform(0, 1, len(edges))
    return Graph(nodes, edges, tuple(weights.tolist()))


def complete(nodes: int, seed: int) -> Graph:
    """Draw a complete graph with normal weights of both signs, a Sherrington-Kirkpatrick model.

    Example:
        >>> len(complete(6, seed=1).edges)
        15
    """
    edges = tuple(combinations(range(nodes), 2))
    weights = np.random.default_rng(seed).standard_normal(len(edges))
    return Graph(nodes, edges, tuple(weights.tolist()))


def linear_ramp(graph: Graph, reps: int) -> NDArray[np.float64]:
    """Return the usual first point: phases that rise in line, mixers that fall, shape (2 reps,).

    The mixer's sign is that of an annealing from the lowest state of minus the sum of X.

    Example:
        >>> linear_ramp(Graph(2, ((0, 1),)), 2).tolist()
        [-0.5625, -0.1875, 0.1875, 0.5625]
    """
    share = (np.arange(reps) + 0.5) / reps
    return np.concatenate([-(1 - share), share / graph.mean_weight]) * RAMP_TIME


def qaoa_model(name: str, graph: Graph, reps: int, start: StartKind) -> Model:
    """Return QAOA on a graph.

    Args:
        name: Name of the problem.
        graph: The graph.
        reps: Layers, p.
        start: ``random``: uniform over one period of every angle of an unweighted graph; ``ramp``.
    """
    ranges = np.repeat([[-np.pi / 2, np.pi / 2], [-np.pi, np.pi]], reps, axis=0)
    if start == "ramp":
        ranges = np.repeat(linear_ramp(graph, reps)[:, None], 2, axis=1)
    weighted = "" if graph.weights is None else "weighted "
    return Model(
        name=name,
        description=f"MaxCut on a {weighted}graph of {graph.nodes}, QAOA with p = {reps}, "
        f"{start} start",
        operator=maxcut_hamiltonian(graph.nodes, graph.edges, graph.weights),
        shift=0.0,
        ansatz=qaoa_ansatz(graph.nodes, graph.edges, reps, graph.weights),
        start_range=ranges,
    )


GRAPHS = {
    "cubic8": Graph(8, EDGES_8),
    "sk6": complete(6, seed=31),
    "weighted8": weighted_regular(8, seed=32),
    "random7": Graph(
        7, ((0, 1), (0, 4), (0, 6), (1, 2), (1, 3), (2, 3), (2, 5), (2, 6), (3, 4), (4, 5))
    ),
}
"""The graphs of the reported problems: every other one is weighted."""

DEPTHS = (1, 2, 3, 4)


def reported() -> Iterator[tuple[str, Graph, int, StartKind]]:
    """The reported problems: name, graph, layers, start.

    Of all graphs and depths every other pair is taken, as on a chessboard: each depth meets one
    weighted and one unweighted graph, each graph two depths.
    """
    for place, (name, graph) in enumerate(GRAPHS.items()):
        for depth in DEPTHS:
            if (place + depth) % 2 == 0:
                for start in ("random", "ramp"):
                    yield f"qaoa_{name}_p{depth}_{start}", graph, depth, start
