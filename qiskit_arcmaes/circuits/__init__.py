"""Reads circuits: the Pauli-rotation form of a QuantumCircuit."""

from qiskit_arcmaes.circuits.own_angles import with_own_angles
from qiskit_arcmaes.circuits.reader import read
from qiskit_arcmaes.circuits.unknown import NotKnown, ReadingLimits, Reason

__all__ = ["NotKnown", "ReadingLimits", "Reason", "read", "with_own_angles"]
