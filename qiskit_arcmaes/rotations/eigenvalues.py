"""Joint eigenvalues of the commuting Pauli operators of one block, in the states that occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.paulis import Bits, integer_rows
from qiskit_arcmaes.rotations.rows import Row, multiply, sign_of

Signs = NDArray[np.int8]


@dataclass(frozen=True)
class JointSigns:
    """How the eigenvalues +1 and -1 of commuting Pauli operators depend on each other.

    Attributes:
        free: Which operators have free signs; all other signs follow from theirs.
        masks: For each operator, the product of which free ones it is, as bits of ``free``.
        signs: And with which sign, shape (m,).
    """

    free: tuple[int, ...]
    masks: tuple[int, ...]
    signs: Signs

    @property
    def rank(self) -> int:
        """Number of operators with free signs."""
        return len(self.free)

    def all(self) -> Signs:
        """Every joint eigenvalue, shape (2**rank, m)."""
        bits = np.arange(1 << self.rank)[:, None] >> np.arange(self.rank) & 1
        odd = (bits @ self._factors().T) & 1
        return np.asarray((1 - 2 * odd) * self.signs, dtype=np.int8)

    def allows(self, flips: Bits) -> Bits:
        """Which operators can have an expectation, by the signs that they flip.

        Args:
            flips: The signs that each operator flips, shape (n, m).
        """
        odd = (flips[:, list(self.free)].astype(int) @ self._factors().T) & 1
        return np.asarray((odd == flips).all(axis=1))

    def _factors(self) -> NDArray[np.int_]:
        """Which free operators are factors of each operator, shape (m, rank)."""
        factors = integer_rows(self.masks, self.rank)
        return factors.astype(int)


def joint_signs(rows: Sequence[Row], stabilisers: Sequence[int], num_qubits: int) -> JointSigns:
    """Find the joint signs of commuting Pauli operators on a stabilised state.

    Args:
        rows: The operators; they commute with each other and with the stabilisers.
        stabilisers: Z strings with the eigenvalue +1, as integers.
        num_qubits: Number of qubits.

    Example:
        XX and YY have a product -ZZ; on a state stabilised by ZZ their signs are opposite:

        >>> rows = [(3, 0, 0), (3, 3, 2)]
        >>> joint_signs(rows, [], 2).all().tolist()
        [[1, 1], [-1, 1], [1, -1], [-1, -1]]
        >>> joint_signs(rows, [3], 2).all().tolist()
        [[1, -1], [-1, 1]]
    """
    pivots: dict[int, tuple[Row, int]] = {}
    for z in stabilisers:
        _insert(pivots, ((0, z, 0), 0), num_qubits)
    free: list[int] = []
    masks: list[int] = []
    signs: list[int] = []
    for index, row in enumerate(rows):
        rest, mask = _reduced(pivots, (row, 0), num_qubits)
        if rest[0] or rest[1]:
            mask = 1 << len(free)
            free.append(index)
            signs.append(1)
            _insert(pivots, (row, mask), num_qubits)
        else:
            signs.append(sign_of(rest))
        masks.append(mask)
    return JointSigns(tuple(free), tuple(masks), np.array(signs, dtype=np.int8))


Entry = tuple[Row, int]
"""An operator, and which of the free operators are factors of it."""


def _reduced(pivots: dict[int, Entry], entry: Entry, num_qubits: int) -> Entry:
    """Multiply by basis operators until no pivot bit is left."""
    row, mask = entry
    bits = row[0] << num_qubits | row[1]
    while bits:
        pivot = _pivot_in(pivots, bits)
        if pivot < 0:
            break
        other, factors = pivots[pivot]
        row, mask = multiply(row, other), mask ^ factors
        bits = row[0] << num_qubits | row[1]
    return row, mask


def _pivot_in(pivots: dict[int, Entry], bits: int) -> int:
    """The highest set bit when it is a pivot; -1 otherwise."""
    top = bits.bit_length() - 1
    return top if top in pivots else -1


def _insert(pivots: dict[int, Entry], entry: Entry, num_qubits: int) -> None:
    row, mask = _reduced(pivots, entry, num_qubits)
    bits = row[0] << num_qubits | row[1]
    if bits:
        pivots[bits.bit_length() - 1] = (row, mask)
