"""What the outcomes of a measurement group tell of its terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.groups import outcomes

Array = NDArray[np.float64]

_FIRST, _SECOND = "0+r", "1-l"  # projectors on the outcomes 0 and 1


@dataclass(frozen=True, eq=False)
class TermGroups:
    """The terms of one observable, the identity left out, in qubit-wise commuting groups.

    Attributes:
        labels: Pauli strings of the terms, qubit 0 last, in the order of the observable.
        coefficients: Of the terms, shape (terms,).
        origins: Place of each term in the observable, the identity counted, shape (terms,).
        groups: The group of each term, shape (terms,).
        axes: What each group measures on each qubit, qubit 0 first: X, Y, Z, or I for nothing.
        constant: The coefficient of the identity.
    """

    labels: tuple[str, ...]
    coefficients: Array
    origins: NDArray[np.int_]
    groups: NDArray[np.int_]
    axes: tuple[str, ...]
    constant: float


class GroupOutcomes:
    """The terms of one group as functions of the outcome.

    Args:
        terms: All terms in groups.
        group: Which group.

    Attributes:
        members: Its terms, indices into ``terms``.

    Example:
        >>> axes = ("ZZ",)
        >>> terms = TermGroups(("ZZ", "I1"), np.array([2.0, 0.5]), np.arange(2), np.zeros(2, int),
        ...                    axes, 0.0)
        >>> GroupOutcomes(terms, 0).values([0, 3])
        array([[2. , 2. ],
               [0. , 0.5]])
    """

    def __init__(self, terms: TermGroups, group: int) -> None:
        self.members = np.flatnonzero(terms.groups == group)
        self._coefficients = terms.coefficients[self.members]
        self._labels = [terms.labels[term] for term in self.members]
        self._measured = [q for q, axis in enumerate(terms.axes[group]) if axis != "I"]
        letters = [[label[-1 - qubit] for qubit in self._measured] for label in self._labels]
        self._flips = _where(letters, "XYZ")
        self._wants_zero, self._wants_one = _where(letters, _FIRST), _where(letters, _SECOND)

    @cached_property
    def table(self) -> Array:
        """Coefficient times value of each term for every outcome, shape (terms, 2**measured)."""
        rows = [outcomes(label, self._measured) for label in self._labels]
        return np.asarray(self._coefficients[:, None] * np.array(rows))

    def values(self, seen: Sequence[int]) -> Array:
        """Coefficient times value of each term for some outcomes, shape (terms, outcomes).

        Args:
            seen: The outcomes. Bit k belongs to the k-th measured qubit.
        """
        width = -(-len(self._measured) // 8)
        packed = b"".join(outcome.to_bytes(width, "little") for outcome in seen)
        bytes_of = np.frombuffer(packed, dtype=np.uint8).reshape(len(seen), width)
        bits = np.unpackbits(bytes_of, axis=1, count=len(self._measured), bitorder="little")
        ones = bits.T.astype(float)
        signs = 1.0 - 2.0 * (self._flips @ ones % 2)
        excluded = self._wants_zero @ ones + self._wants_one @ (1.0 - ones)
        return np.asarray(self._coefficients[:, None] * signs * (excluded == 0))


def _where(letters: Sequence[Sequence[str]], some: str) -> Array:
    """Where terms have one of some letters, shape (terms, measured), as numbers."""
    return np.array([[float(letter in some) for letter in row] for row in letters])
