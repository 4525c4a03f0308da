"""Families of problems, built from a few numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from qiskit import QuantumCircuit

from qiskit_arcmaes.problems import lattices, molecules
from qiskit_arcmaes.problems.model import Model


def uniform(ansatz: QuantumCircuit, lower: float, upper: float) -> NDArray[np.float64]:
    """Return the same range of starts for every parameter, shape (d, 2)."""
    return np.tile([lower, upper], (ansatz.num_parameters, 1))


def molecule(name: str, description: str, reps: int) -> Model:
    """Return a stored molecule with a hardware-efficient circuit."""
    operator, shift = molecules.molecular_hamiltonian(name)
    ansatz = molecules.real_ansatz(operator.num_qubits, reps)
    return Model(name, description, operator, shift, ansatz, uniform(ansatz, -np.pi, np.pi))


def ising(sites: int, layers: int, prefix: str = "") -> Model:
    """Return an open Ising chain with a circuit of its own terms."""
    ansatz = lattices.ising_ansatz(sites, layers)
    return Model(
        name=f"{prefix}ising{sites}",
        description=f"Ising chain of {sites}, open, at the critical transverse field",
        operator=lattices.ising_hamiltonian(sites),
        shift=0.0,
        ansatz=ansatz,
        start_range=uniform(ansatz, 0.0, 1.0),
    )


def heisenberg(sites: int, layers: int, prefix: str = "") -> Model:
    """Return a Heisenberg ring with a circuit of its own terms."""
    ansatz = lattices.heisenberg_ansatz(sites, layers)
    return Model(
        name=f"{prefix}heisenberg{sites}",
        description=f"Heisenberg antiferromagnet on a ring of {sites}",
        operator=lattices.heisenberg_hamiltonian(sites),
        shift=0.0,
        ansatz=ansatz,
        start_range=uniform(ansatz, 0.0, 1.0),
    )


def hubbard(sites: int, repulsion: float, layers: int) -> Model:
    """Return a Fermi-Hubbard chain with a circuit that keeps the number of electrons."""
    ansatz = lattices.hubbard_ansatz(sites, layers)
    return Model(
        name=f"hubbard{sites}",
        description=f"Fermi-Hubbard chain 1x{sites} at half filling, U/t = {repulsion:g}",
        operator=lattices.hubbard_hamiltonian(sites, repulsion),
        shift=lattices.hubbard_shift(sites, repulsion),
        ansatz=ansatz,
        start_range=uniform(ansatz, 0.0, 1.0),
    )
