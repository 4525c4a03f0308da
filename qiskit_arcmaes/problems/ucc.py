"""Unitary coupled cluster from Hartree-Fock: molecules with an informed start.

The circuits are those of qiskit-nature's UCCSD in parity mapping, two qubits removed, with the
stored generators of its excitations: nothing here needs that package.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector
from qiskit.circuit.library import PauliEvolutionGate
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems.data import read_data
from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.molecules import molecular_hamiltonian


@dataclass(frozen=True)
class Space:
    """The orbitals and electrons that excitations act on, both spins alike.

    Attributes:
        orbitals: Spatial orbitals.
        electrons: Electrons, an even number.
    """

    orbitals: int
    electrons: int

    @property
    def name(self) -> str:
        """Part of the name of its data file."""
        return f"{self.electrons}e{self.orbitals}o"


SPACES = (Space(2, 2), Space(3, 2), Space(3, 4), Space(4, 4))
"""The active spaces whose excitations are stored."""


def uccsd_ansatz(space: Space) -> QuantumCircuit:
    """Return the UCCSD circuit: the Hartree-Fock state, then one evolution per excitation.

    With all parameters at 0 the state is Hartree-Fock's. The Pauli strings of one excitation
    commute, so that their product formula is exact.

    Example:
        >>> circuit = uccsd_ansatz(Space(3, 2))
        >>> circuit.num_qubits, circuit.num_parameters
        (4, 8)
    """
    data = read_data(f"excitations_{space.name}")
    generators = [SparsePauliOp.from_list(list(each.items())) for each in data["excitations"]]
    amplitudes = ParameterVector("t", len(generators))
    circuit = QuantumCircuit(generators[0].num_qubits)
    circuit.x(data["occupied"])
    for amplitude, generator in zip(amplitudes, generators, strict=True):
        gate = PauliEvolutionGate(generator, time=amplitude)
        circuit.append(gate, range(circuit.num_qubits))
    return circuit


def ucc_model(name: str, molecule: str, description: str, space: Space) -> Model:
    """Return a molecule with UCCSD; the start is Hartree-Fock, all parameters 0.

    Args:
        name: Name of the problem.
        molecule: Name of the stored Hamiltonian.
        description: The molecule in words.
        space: Its orbitals and electrons, frozen and removed ones not counted.
    """
    operator, shift = molecular_hamiltonian(molecule)
    ansatz = uccsd_ansatz(space)
    return Model(
        name=name,
        description=f"{description}, UCCSD from Hartree-Fock",
        operator=operator,
        shift=shift,
        ansatz=ansatz,
        start_range=np.zeros((ansatz.num_parameters, 2)),
    )
