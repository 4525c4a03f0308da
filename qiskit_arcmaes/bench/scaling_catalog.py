"""The experiment on growth with the number of qubits."""

from __future__ import annotations

from collections.abc import Iterator

from qiskit_arcmaes.bench.experiments import Changes, Experiment, Grid
from qiskit_arcmaes.problems.scaling import SIZES

CHAIN_BUDGETS = (3 * 10**3, 10**4, 3 * 10**4, 10**5)
GRAPH_BUDGETS = (10**4, 3 * 10**4, 10**5, 3 * 10**5)
WIDE = 10
"""From this many qubits on, two budgets are left out."""

SEVERAL = ("frugal", "adam-250%weighted", "santaqlaus%weighted")
UNPLANNED = "icans%weighted"
CHAINS = (*SEVERAL, UNPLANNED)
GRAPHS = ("frugal", "adam-starts", "uh:auto", "spsa@100")
"""Ours and the three best others, by a rule that the notes state. iCANS takes the same steps
whatever its budget: the largest shows all."""


def _grids() -> Iterator[Grid]:
    for size in SIZES:
        chains, graphs = (f"ising_n{size}", f"heisenberg_n{size}"), (f"qaoa_n{size}",)
        yield Grid(chains, CHAIN_BUDGETS[-1:], (UNPLANNED,))
        if size < WIDE:
            yield Grid(chains, CHAIN_BUDGETS, SEVERAL)
            yield Grid(graphs, GRAPH_BUDGETS, GRAPHS)
        else:
            yield Grid(chains, CHAIN_BUDGETS[1:-1], SEVERAL[:1])
            yield Grid(chains, CHAIN_BUDGETS[2:], SEVERAL[1:])
            yield Grid(graphs, GRAPH_BUDGETS[1:-1], GRAPHS)


SCALING_EXPERIMENT = Experiment(
    name="scaling",
    title="Growth with the number of qubits: shots to a fixed error per site",
    shows=("scaling",),
    grids=tuple(_grids()),
    runs=4,
    quick=Changes(runs=2, budgets=(10**4,), problems=("ising_n4", "heisenberg_n4", "qaoa_n4")),
    notes=(
        "Ising chains (open, critical field, 2 layers) and Heisenberg rings (1 layer), circuits of "
        "their own terms, every angle of its own, from random starts as on the page of "
        "lattices; QAOA with 2 layers on a random 3-regular graph of each size, from a ramp. "
        "Errors are above the lowest energy of the circuit, by noise-free BFGS.",
        "Three others by the pages that were there before: on chains the best other of the page of "
        "lattices (250 steps of Adam), that of the small budgets there (iCANS), and SantaQlaus, "
        "which no page had yet; on graphs the three with the lowest geometric mean of the median "
        "errors with 2 layers from a ramp at 10^4 and 10^5 shots on the page of QAOA. All on "
        "chains deal their shots among the bases by scatter.",
        "Budgets are half a decade apart: 3*10^3 to 10^5 on chains and 10^4 to 3*10^5 on graphs up "
        "to 8 qubits. With 10 and 12 a run takes up to 15 and 70 seconds, and two of them are left "
        "out: on graphs and for frugal the smallest and the largest, for the others on chains, "
        "which need more, the two smallest. iCANS takes the same steps whatever its budget and has "
        "the largest only.",
    ),
)
"""Ours and others on chains and graphs from 4 to 12 qubits."""
