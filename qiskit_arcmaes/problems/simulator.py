"""A small statevector simulator that runs one circuit at many points at once.

A circuit becomes a *program*: a start state and a list of steps, where every parameterised gate
is a rotation ``exp(-i angle P / 2)`` about a Pauli string P and all angles together are one linear
map of the parameters, ``angles = slopes @ parameters + offsets``. States are arrays of shape
(2**qubits, n) with one column for each point. Circuits that stay real are run in real numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from qiskit.quantum_info import SparsePauliOp
from scipy.sparse import csr_array

from qiskit_arcmaes.problems._steps import Array, States, Step

_ROUNDING = 1e-14


@dataclass(frozen=True)
class Program:
    """A circuit made ready to run at many points.

    Attributes:
        start: The state before the first step, shape (2**qubits,).
        steps: What is done to it, in order.
        angle_slopes: How every angle depends on the parameters, shape (m, d).
        angle_offsets: The angles where all parameters are 0, shape (m,).
    """

    start: States
    steps: tuple[Step, ...]
    angle_slopes: Array
    angle_offsets: Array

    def states(self, points: Array) -> States:
        """Return the final states, shape (2**qubits, n), for points of shape (n, d)."""
        return self._run(self._angles(points))

    def energies(self, points: Array, observable: Any) -> Array:
        """Return the expectation of a Hermitian sparse matrix at every point."""
        states = self.states(points)
        return overlaps(states, observable @ states)

    def gradients(self, points: Array, observable: Any) -> tuple[Array, Array]:
        """Return energies (n,) and their gradients (n, d), by running the program backwards."""
        angles = self._angles(points)
        states = self._run(angles)
        left = observable @ states
        energies = overlaps(states, left)
        slopes = np.zeros_like(angles)
        for step in reversed(self.steps):
            step.slopes(left, states, slopes)
            left, states = step.undo(left, angles), step.undo(states, angles)
        return energies, 2 * slopes.T @ self.angle_slopes

    def _angles(self, points: Array) -> Array:
        return np.asarray(self.angle_slopes @ points.T + self.angle_offsets[:, None])

    def _run(self, angles: Array) -> States:
        states = np.repeat(self.start[:, None], angles.shape[1], axis=1)
        for step in self.steps:
            states = step.apply(states, angles)
        return states


def overlaps(left: States, right: States) -> Array:
    """Return the real part of the inner product of each pair of columns."""
    return np.asarray(np.einsum("kn,kn->n", left.conj(), right).real)


def sparse_matrix(operator: SparsePauliOp) -> Any:
    """Return the matrix of an observable, with real entries where they all are.

    Example:
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> sparse_matrix(SparsePauliOp(["Z"])).toarray()
        array([[ 1.,  0.],
               [ 0., -1.]])
    """
    matrix = csr_array(operator.to_matrix(sparse=True))
    matrix.data = simplified(matrix.data)
    matrix.eliminate_zeros()
    return matrix


def simplified(values: States) -> States:
    """Drop rounding dust, and the imaginary part when it is all dust.

    Example:
        >>> import numpy as np
        >>> simplified(np.array([1 + 1e-17j, 1e-17]))
        array([1., 0.])
    """
    values = np.where(np.abs(values.real) < _ROUNDING, 0, values.real) + 1j * np.where(
        np.abs(values.imag) < _ROUNDING, 0, values.imag
    )
    return values if values.imag.any() else values.real
