"""The development set: problems to tune methods on, never reported.

Molecules at other geometries, lattices of other sizes, other graphs; no problem of a results page
is among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector
from qiskit.circuit.library import efficient_su2
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems import families, lattices
from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.qaoa import Graph, complete, qaoa_model
from qiskit_arcmaes.problems.shared_angles import CIRCUITS, shared_angle_model
from qiskit_arcmaes.problems.ucc import Space, ucc_model

PREFIX = "dev_"

_GRAPHS = {
    "5": Graph(5, ((0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4))),
    "6": complete(6, seed=7),
    "7": Graph(7, ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (0, 6), (0, 3), (2, 5))),
}
_SITES = 5


def _heisenberg_chain() -> Model:
    operator = SparsePauliOp.from_sparse_list(
        [
            (pauli, list(bond), 1.0)
            for pauli in ("XX", "YY", "ZZ")
            for bond in lattices.chain(_SITES)
        ],
        num_qubits=_SITES,
    )
    return _efficient("heisenberg5", "Heisenberg chain of 5, open", operator, reps=2)


def _random_hamiltonian() -> Model:
    """Twenty random Pauli strings on four qubits with normal coefficients."""
    rng = np.random.default_rng(5)
    labels = {"".join(rng.choice(list("IXYZ"), 4)) for _ in range(20)} - {"IIII"}
    operator = SparsePauliOp(sorted(labels), rng.standard_normal(len(labels)))
    return _efficient("random4", "Random Hamiltonian on four qubits", operator, reps=1)


def _efficient(name: str, description: str, operator: SparsePauliOp, reps: int) -> Model:
    ansatz = efficient_su2(operator.num_qubits, reps=reps)
    return Model(
        name=PREFIX + name,
        description=description,
        operator=operator,
        shift=0.0,
        ansatz=ansatz,
        start_range=families.uniform(ansatz, -np.pi, np.pi),
    )


def _xy_chain() -> Model:
    """An XY chain whose hops share one parameter between RXX and RYY."""
    bonds = lattices.chain(_SITES)
    layers = 3
    free = iter(ParameterVector("θ", layers * (len(bonds) + _SITES)))
    ansatz = QuantumCircuit(_SITES)
    ansatz.x(range(0, _SITES, 2))
    for _ in range(layers):
        for bond in bonds:
            angle = next(free)
            ansatz.rxx(angle, *bond)
            ansatz.ryy(angle, *bond)
        for site in range(_SITES):
            ansatz.rz(next(free), site)
    terms = [(pauli, list(bond), 1.0) for pauli in ("XX", "YY") for bond in bonds]
    return Model(
        name=PREFIX + "xy5",
        description="XY chain of 5, open",
        operator=SparsePauliOp.from_sparse_list(terms, num_qubits=_SITES),
        shift=0.0,
        ansatz=ansatz,
        start_range=families.uniform(ansatz, 0.0, 1.0),
    )


DEVELOPMENT: dict[str, Callable[[], Model]] = {
    "dev_ucc_h2": lambda: ucc_model("dev_ucc_h2", "dev_h2", "H2 at 1.5 angstrom", Space(2, 2)),
    "dev_ucc_h3plus": lambda: ucc_model(
        "dev_ucc_h3plus", "dev_h3plus", "H3+ triangle", Space(3, 2)
    ),
    "dev_h2": lambda: families.molecule("dev_h2", "H2 at 1.5 angstrom", reps=1),
    "dev_lih": lambda: families.molecule("dev_lih", "LiH at 2.2 angstrom", reps=2),
    "dev_ising3": lambda: families.ising(3, layers=2, prefix=PREFIX),
    "dev_ising5": lambda: families.ising(5, layers=3, prefix=PREFIX),
    "dev_heisenberg4": lambda: families.heisenberg(4, layers=2, prefix=PREFIX),
    "dev_heisenberg5": _heisenberg_chain,
    "dev_xy5": _xy_chain,
    "dev_random4": _random_hamiltonian,
    **{
        f"dev_qaoa{size}_p{reps}_{start}": partial(
            qaoa_model, f"dev_qaoa{size}_p{reps}_{start}", graph, reps, start
        )
        for size, graph in _GRAPHS.items()
        for reps in (1, 2, 3)
        for start in ("random", "ramp")
    },
    **{f"dev_{kind}4": partial(shared_angle_model, kind, PREFIX, 0.6) for kind in CIRCUITS},
}
"""How each problem of the development set is built."""

DEVELOPMENT_PROBLEMS = tuple(DEVELOPMENT)
"""The names of the development set."""
