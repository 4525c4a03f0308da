"""Small molecules: stored coefficients and hardware-efficient circuits."""

from __future__ import annotations

from qiskit import QuantumCircuit
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.problems.data import read_data


def molecular_hamiltonian(name: str) -> tuple[SparsePauliOp, float]:
    """Return the stored qubit Hamiltonian of a molecule and the constant left out of it.

    Example:
        >>> operator, shift = molecular_hamiltonian("h2")
        >>> operator.num_qubits, round(shift, 3)
        (2, 0.72)
    """
    data = read_data(f"hamiltonian_{name}")
    return SparsePauliOp.from_list(list(data["terms"].items())), float(data["shift"])


def real_ansatz(num_qubits: int, reps: int) -> QuantumCircuit:
    """Return Qiskit's RealAmplitudes circuit: layers of RY with chains of CX between them.

    Example:
        >>> real_ansatz(4, 2).num_parameters
        12
    """
    return real_amplitudes(num_qubits, reps=reps)
