"""The Pauli-rotation form of a circuit: what is left when all Clifford gates stand at its end."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from qiskit_arcmaes.rotations.paulis import Paulis

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """An observable, conjugated by the Clifford gates at the end of the circuit.

    Attributes:
        paulis: One Pauli string per term; none is the identity.
        coefficients: Their coefficients, shape (terms,), with the signs of the conjugation.
        origins: Which term of the observable as it was given each of them comes from, shape
            (terms,). A projector makes several terms of one.
        identity: The coefficient of the identity.
    """

    paulis: Paulis
    coefficients: Array
    origins: NDArray[np.int_]
    identity: float

    def __len__(self) -> int:
        return len(self.paulis)


@dataclass(frozen=True, eq=False)
class RotationForm:
    """A circuit as an ordered list of Pauli rotations that act on the state 0...0.

    Rotation k is exp(-i angle_k s_k P_k / 2) with angle = offsets + coefficients @ x. The loss at
    x is the expectation of ``terms`` in the state that the rotations make, first one first.

    Attributes:
        parameters: The parameters' names, in the order of the coordinates of x.
        paulis: P, one Pauli string per rotation.
        signs: s, +1 or -1 per rotation, shape (rotations,).
        coefficients: Of each parameter in each angle, a sparse array of shape (rotations, d).
        offsets: The angles at x = 0, shape (rotations,).
        readout: Z of every qubit, conjugated as the terms are: what a sampler measures.
        terms: The observable, or None where only the circuit is known.

    Example:
        >>> form = make_form(["X", "Z", "X"], [[2.0], [0.0], [-1.0]], offsets=[0.0, 0.3, 0.0],
        ...                  observable={"Z": 1.0, "I": 0.5})
        >>> form.num_qubits, form.num_rotations, form.num_parameters
        (1, 3, 1)
        >>> form.angles([0.1])
        array([ 0.2,  0.3, -0.1])
    """

    parameters: tuple[str, ...]
    paulis: Paulis
    signs: NDArray[np.int8]
    coefficients: csr_array
    offsets: Array
    readout: Paulis
    terms: Terms | None = None

    @property
    def num_qubits(self) -> int:
        """Number of qubits."""
        return self.paulis.num_qubits

    @property
    def num_rotations(self) -> int:
        """Number of rotations, those without a parameter included."""
        return len(self.paulis)

    @property
    def num_parameters(self) -> int:
        """Number of parameters, d."""
        return len(self.parameters)

    def angles(self, points: ArrayLike) -> Array:
        """The angle of every rotation, shape (..., rotations), at points of shape (..., d)."""
        turned = np.asarray(points, dtype=float) @ self.coefficients.T
        return np.asarray(turned + self.offsets)

    def composed(self, matrix: csr_array, offset: Array) -> RotationForm:
        """The form as a function of other coordinates y, where x = matrix @ y + offset.

        Args:
            matrix: A sparse array of shape (d, coordinates).
            offset: Shape (d,).

        Example:
            >>> form = make_form(["X", "Z"], [[1.0, 0.0], [0.0, 2.0]])
            >>> form.composed(csr_array([[1.0], [3.0]]), np.array([0.0, 0.5])).angles([1.0])
            array([1., 7.])
        """
        coefficients = csr_array(self.coefficients @ matrix)
        coefficients.eliminate_zeros()
        return replace(
            self,
            parameters=tuple(f"x[{index}]" for index in range(matrix.shape[1])),
            coefficients=coefficients,
            offsets=self.offsets + self.coefficients @ offset,
        )

    def rotations_of(self, parameter: int) -> NDArray[np.int_]:
        """The rotations whose angle has the parameter of this index, in order."""
        return np.asarray(np.unique(self.coefficients[:, [parameter]].tocoo().row), dtype=int)


def make_form(
    labels: list[str],
    coefficients: ArrayLike,
    *,
    offsets: ArrayLike | None = None,
    observable: dict[str, float] | None = None,
) -> RotationForm:
    """Write a rotation form by hand, without a circuit.

    Args:
        labels: The Pauli string of each rotation, qubit 0 last; at least one.
        coefficients: Of each parameter in each angle, shape (rotations, d).
        offsets: The angles at x = 0, shape (rotations,); 0 by default.
        observable: Coefficient of each Pauli string; None where no observable is known.

    Example:
        >>> make_form(["XY"], [[1.0]], observable={"ZZ": 2.0}).terms.coefficients
        array([2.])
    """
    paulis = Paulis.from_labels(labels)
    table = np.asarray(coefficients, dtype=float)
    angles = np.zeros(len(labels)) if offsets is None else np.asarray(offsets, dtype=float)
    qubits = paulis.num_qubits
    return RotationForm(
        parameters=tuple(f"x[{index}]" for index in range(table.shape[1])),
        paulis=paulis,
        signs=np.ones(len(labels), dtype=np.int8),
        coefficients=csr_array(table),
        offsets=angles,
        readout=Paulis(np.zeros((qubits, qubits), dtype=bool), np.eye(qubits, dtype=bool)),
        terms=None if observable is None else _terms(observable, qubits),
    )


def _terms(observable: dict[str, float], qubits: int) -> Terms:
    identity = "I" * qubits
    kept = [(index, label) for index, label in enumerate(observable) if label != identity]
    return Terms(
        Paulis.from_labels([label for _, label in kept], qubits),
        np.array([observable[label] for _, label in kept], dtype=float),
        np.array([index for index, _ in kept], dtype=int),
        float(observable.get(identity, 0.0)),
    )
