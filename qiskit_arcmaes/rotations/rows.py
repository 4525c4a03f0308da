"""Pauli operators with phases, one at a time: integers as bit strings."""

from __future__ import annotations

from collections.abc import Iterable

from qiskit_arcmaes.rotations.paulis import Paulis, row_integers

Row = tuple[int, int, int]
"""A Pauli operator i**phase X**x Z**z: the bits x and z (bit q is qubit q) and the phase mod 4."""


def multiply(left: Row, right: Row) -> Row:
    """The product of two Pauli operators.

    Example:
        >>> x, z = (1, 0, 0), (0, 1, 0)
        >>> multiply(x, z), multiply(z, x)
        ((1, 1, 0), (1, 1, 2))
    """
    sign = 2 * (left[1] & right[0]).bit_count()
    return left[0] ^ right[0], left[1] ^ right[1], (left[2] + right[2] + sign) & 3


def sign_of(row: Row) -> int:
    """+1 or -1: the sign of a Hermitian Pauli operator, where Y counts as +1."""
    return 1 - ((row[2] - (row[0] & row[1]).bit_count()) & 3)


def rows_of(paulis: Paulis, signs: Iterable[int]) -> list[Row]:
    """The signed operators of a list of strings."""
    rows = []
    for x, z, sign in zip(row_integers(paulis.x), row_integers(paulis.z), signs, strict=True):
        rows.append((x, z, ((x & z).bit_count() + (0 if sign > 0 else 2)) & 3))
    return rows


def surviving(stabilisers: Iterable[int], x: int) -> list[int]:
    """Z strings of a group that commute with an operator of these X bits, as generators.

    A state with the stabilisers Z**s, s in the group, has these left after a rotation about that
    operator.

    Example:
        >>> surviving([0b01, 0b10], x=0b11)
        [3]
    """
    kept, first = [], 0
    for s in stabilisers:
        if not (s & x).bit_count() & 1:
            kept.append(s)
        elif first:
            kept.append(s ^ first)
        else:
            first = s
    return kept
