"""The named problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems import lattices, maxcut, molecules
from qiskit_arcmaes.problems.data import read_data
from qiskit_arcmaes.problems.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Model:
    """A problem before its reference energies are known."""

    description: str
    operator: SparsePauliOp
    shift: float
    ansatz: QuantumCircuit
    start_range: Array


def _uniform(ansatz: QuantumCircuit, lower: float, upper: float) -> Array:
    return np.tile([lower, upper], (ansatz.num_parameters, 1))


def _molecule(name: str, description: str, reps: int) -> Model:
    operator, shift = molecules.molecular_hamiltonian(name)
    ansatz = molecules.real_ansatz(operator.num_qubits, reps)
    return Model(description, operator, shift, ansatz, _uniform(ansatz, -np.pi, np.pi))


def _ising(sites: int, layers: int) -> Model:
    ansatz = lattices.ising_ansatz(sites, layers)
    description = f"Ising chain of {sites} in a transverse field, open, at the critical field"
    operator = lattices.ising_hamiltonian(sites)
    return Model(description, operator, 0.0, ansatz, _uniform(ansatz, 0.0, 1.0))


def _heisenberg(sites: int, layers: int) -> Model:
    ansatz = lattices.heisenberg_ansatz(sites, layers)
    description = f"Heisenberg antiferromagnet on a ring of {sites}"
    operator = lattices.heisenberg_hamiltonian(sites)
    return Model(description, operator, 0.0, ansatz, _uniform(ansatz, 0.0, 1.0))


def _hubbard(sites: int, repulsion: float, layers: int) -> Model:
    ansatz = lattices.hubbard_ansatz(sites, layers)
    description = f"Fermi-Hubbard chain 1x{sites} at half filling, U/t = {repulsion:g}"
    operator = lattices.hubbard_hamiltonian(sites, repulsion)
    shift = repulsion * sites / 4
    return Model(description, operator, shift, ansatz, _uniform(ansatz, 0.0, 1.0))


def maxcut_model(nodes: int, edges: maxcut.Edges, reps: int) -> Model:
    """Return MaxCut with QAOA; starts are uniform over one period of every angle."""
    ansatz = maxcut.qaoa_ansatz(nodes, edges, reps)
    description = f"MaxCut on a 3-regular graph of {nodes}, QAOA with p = {reps}"
    operator = maxcut.maxcut_hamiltonian(nodes, edges)
    start_range = np.repeat([[-np.pi / 2, np.pi / 2], [-np.pi, np.pi]], reps, axis=0)
    return Model(description, operator, 0.0, ansatz, start_range)


MODELS: dict[str, Callable[[], Model]] = {
    "h2": lambda: _molecule("h2", "H2 at 0.735 angstrom", reps=1),
    "lih": lambda: _molecule("lih", "LiH at 1.6 angstrom, core frozen, pi removed", reps=2),
    "ising6": lambda: _ising(6, layers=4),
    "ising10": lambda: _ising(10, layers=4),
    "heisenberg6": lambda: _heisenberg(6, layers=2),
    "hubbard4": lambda: _hubbard(4, repulsion=4.0, layers=3),
    "maxcut8": lambda: maxcut_model(8, maxcut.EDGES_8, reps=3),
}
"""How each named problem is built."""

PROBLEMS = tuple(MODELS)
"""The names that ``get_problem`` knows."""


def get_problem(name: str) -> Problem:
    """Return a named problem with its reference energies.

    Args:
        name: One of ``PROBLEMS``.

    Returns:
        The problem.

    Raises:
        ValueError: When there is no problem of that name.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> problem = get_problem("maxcut8")
        >>> problem.ground_energy
        -10.0
        >>> problem.energy(problem.best_parameters).round(3)
        array([-9.361])
    """
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(PROBLEMS)}, not {name!r}.")
    model, reference = MODELS[name](), read_data(f"reference_{name}")
    return Problem(
        name=name,
        **vars(model),
        ground_energy=reference["ground_energy"],
        best_energy=reference["best_energy"],
        best_parameters=np.array(reference["best_parameters"]),
    )
