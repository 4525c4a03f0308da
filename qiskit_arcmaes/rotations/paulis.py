"""Pauli strings as bit arrays, and the linear algebra over GF(2) that they need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Paulis:
    """A list of Pauli strings without signs, in the symplectic form.

    Column q belongs to qubit q. X has (x, z) = (1, 0), Z has (0, 1), Y has (1, 1).

    Attributes:
        x: X bits, shape (m, qubits).
        z: Z bits, shape (m, qubits).

    Example:
        >>> strings = Paulis.from_labels(["XX", "ZI"])
        >>> len(strings), strings.num_qubits, strings.labels()
        (2, 2, ['XX', 'ZI'])
        >>> strings.anticommutes(strings).astype(int)
        array([[0, 1],
               [1, 0]])
    """

    x: Bits
    z: Bits

    @classmethod
    def from_labels(cls, labels: Iterable[str], num_qubits: int = 0) -> Paulis:
        """Read labels such as "IXYZ", qubit 0 last, as Qiskit writes them.

        Args:
            labels: The labels, all of one length.
            num_qubits: The length, needed where there is no label.
        """
        rows = [list(reversed(label)) for label in labels]
        table = np.array(rows, dtype="U1").reshape(len(rows), len(rows[0]) if rows else num_qubits)
        return cls(np.isin(table, ("X", "Y")), np.isin(table, ("Z", "Y")))

    def __len__(self) -> int:
        return len(self.x)

    @property
    def num_qubits(self) -> int:
        """Number of qubits."""
        return int(self.x.shape[1])

    def __getitem__(self, index: slice | NDArray[np.int_] | Bits) -> Paulis:
        return Paulis(self.x[index], self.z[index])

    def labels(self) -> list[str]:
        """The strings as Qiskit writes them, qubit 0 last."""
        letters = np.array(list("IZXY"))[2 * self.x + 1 * self.z]
        return ["".join(reversed(row)) for row in letters]

    def anticommutes(self, other: Paulis) -> Bits:
        """Which pairs anticommute, shape (len(self), len(other))."""
        left = np.hstack([self.x, self.z]).astype(np.float32)
        right = np.hstack([other.z, other.x]).astype(np.float32)
        return np.asarray((left @ right.T) % 2 == 1)  # sums below 2**24 are exact in float32

    def words(self) -> Words:
        """The strings packed for bitwise work: X words, then Z words, shape (m, 2 w)."""
        return np.hstack([_pack(self.x), _pack(self.z)])


def _pack(bits: Bits) -> Words:
    rows, width = bits.shape
    padded = np.zeros((rows, 64 * max(1, -(-width // 64))), dtype=bool)
    padded[:, :width] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def swap_halves(words: Words) -> Words:
    """Exchange X and Z words: ANDed with other words, the parity says what anticommutes."""
    return np.roll(words, words.shape[-1] // 2, axis=-1)


def parity(words: Words) -> Bits:
    """Whether the number of set bits is odd, over the last axis."""
    folded = np.bitwise_xor.reduce(words, axis=-1)
    for shift in (32, 16, 8, 4, 2, 1):
        folded = folded ^ (folded >> np.uint64(shift))
    return np.asarray(folded & np.uint64(1), dtype=bool)


def row_integers(bits: Bits) -> list[int]:
    """Every row as one integer; bit q is column q."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def integer_rows(rows: Iterable[int], width: int) -> Bits:
    """The inverse of ``row_integers``: shape (len(rows), width)."""
    size = max(1, -(-width // 8))
    data = b"".join(row.to_bytes(size, "little") for row in rows)
    table = np.frombuffer(data, dtype=np.uint8).reshape(-1, size)
    return np.unpackbits(table, axis=1, bitorder="little", count=width).astype(bool)


class Span:
    """A subspace of bit strings over GF(2), kept as a reduced basis.

    Example:
        >>> span = Span([0b011, 0b110])
        >>> span.reduce(0b101), span.reduce(0b111), len(span)
        (0, 1, 2)
    """

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self._pivots: dict[int, int] = {}
        for vector in vectors:
            self.add(vector)

    def __len__(self) -> int:
        return len(self._pivots)

    @property
    def basis(self) -> tuple[int, ...]:
        """A basis of the subspace."""
        return tuple(self._pivots.values())

    def reduce(self, vector: int) -> int:
        """The representative of ``vector`` modulo the subspace; 0 when it lies in it."""
        for pivot, row in self._pivots.items():
            if vector >> pivot & 1:
                vector ^= row
        return vector

    def add(self, vector: int) -> bool:
        """Enlarge the subspace by ``vector``; False when it lay in it already."""
        vector = self.reduce(vector)
        if not vector:
            return False
        pivot = vector.bit_length() - 1
        for other, row in self._pivots.items():
            if row >> pivot & 1:
                self._pivots[other] = row ^ vector
        self._pivots[pivot] = vector
        return True
