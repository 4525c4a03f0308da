"""The named problems."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit

from qiskit_arcmaes.problems import lattices, maxcut, molecules
from qiskit_arcmaes.problems.data import read_data
from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.problem import Problem


def _uniform(ansatz: QuantumCircuit, lower: float, upper: float) -> NDArray[np.float64]:
    return np.tile([lower, upper], (ansatz.num_parameters, 1))


def _molecule(name: str, description: str, reps: int) -> Model:
    operator, shift = molecules.molecular_hamiltonian(name)
    ansatz = molecules.real_ansatz(operator.num_qubits, reps)
    return Model(name, description, operator, shift, ansatz, _uniform(ansatz, -np.pi, np.pi))


def _ising(sites: int, layers: int) -> Model:
    ansatz = lattices.ising_ansatz(sites, layers)
    return Model(
        name=f"ising{sites}",
        description=f"Ising chain of {sites}, open, at the critical transverse field",
        operator=lattices.ising_hamiltonian(sites),
        shift=0.0,
        ansatz=ansatz,
        start_range=_uniform(ansatz, 0.0, 1.0),
    )


def _heisenberg(sites: int, layers: int) -> Model:
    ansatz = lattices.heisenberg_ansatz(sites, layers)
    return Model(
        name=f"heisenberg{sites}",
        description=f"Heisenberg antiferromagnet on a ring of {sites}",
        operator=lattices.heisenberg_hamiltonian(sites),
        shift=0.0,
        ansatz=ansatz,
        start_range=_uniform(ansatz, 0.0, 1.0),
    )


def _hubbard(sites: int, repulsion: float, layers: int) -> Model:
    ansatz = lattices.hubbard_ansatz(sites, layers)
    return Model(
        name=f"hubbard{sites}",
        description=f"Fermi-Hubbard chain 1x{sites} at half filling, U/t = {repulsion:g}",
        operator=lattices.hubbard_hamiltonian(sites, repulsion),
        shift=lattices.hubbard_shift(sites, repulsion),
        ansatz=ansatz,
        start_range=_uniform(ansatz, 0.0, 1.0),
    )


MODELS: dict[str, Callable[[], Model]] = {
    "h2": lambda: _molecule("h2", "H2 at 0.735 angstrom", reps=1),
    "lih": lambda: _molecule("lih", "LiH at 1.6 angstrom, core frozen, pi removed", reps=2),
    "h4": lambda: _molecule("h4", "H4 chain, 0.8 angstrom apart", reps=3),
    "ising6": lambda: _ising(6, layers=4),
    "ising10": lambda: _ising(10, layers=4),
    "heisenberg6": lambda: _heisenberg(6, layers=2),
    "hubbard4": lambda: _hubbard(4, repulsion=4.0, layers=3),
    "maxcut8": lambda: maxcut.maxcut_model("maxcut8", 8, maxcut.EDGES_8, reps=3),
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
    reference = read_data(f"reference_{name}")
    return Problem.from_model(
        MODELS[name](),
        reference["ground_energy"],
        reference["best_energy"],
        reference["best_parameters"],
    )
