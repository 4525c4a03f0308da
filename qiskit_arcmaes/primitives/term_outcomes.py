"""Terms of observables as functions of the outcome of a measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SIGN, _ZERO, _ONE = "XYZ", "0+r", "1-l"  # Pauli letters, projectors on the outcomes 0 and 1
_FACTOR = dict.fromkeys(_SIGN, (1.0, -1.0)) | dict.fromkeys(_ZERO, (1.0, 0.0))
_FACTOR |= dict.fromkeys(_ONE, (0.0, 1.0))


class TermOutcomes:
    """Terms that one basis measures.

    Args:
        labels: Their letters, qubit 0 last.
        axes: What is measured on each qubit, qubit 0 first; I where nothing is.

    Example:
        >>> terms = TermOutcomes(["ZZ", "I1"], "ZZ")
        >>> terms.values([0, 3])
        array([[1., 1.],
               [0., 1.]])
        >>> [row.tolist() for row in terms.rows()]
        [[1.0, -1.0, -1.0, 1.0], [0.0, 1.0, 0.0, 1.0]]
    """

    def __init__(self, labels: Sequence[str], axes: str) -> None:
        measured = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
        self._letters = [[label[-1 - qubit] for qubit in measured] for label in labels]
        self._width = len(measured)
        self._signs, self._zeros, self._ones = map(self._where, (_SIGN, _ZERO, _ONE))

    def rows(self) -> Iterator[Array]:
        """The value of each term for every outcome; bit k belongs to the k-th measured qubit."""
        for letters in self._letters:
            values = np.ones(1)
            for letter in reversed(letters):
                values = np.kron(values, np.array(_FACTOR.get(letter, (1.0, 1.0))))
            yield values

    def values(self, seen: Sequence[int]) -> Array:
        """The value of each term for some outcomes, shape (terms, outcomes).

        Args:
            seen: The outcomes. Bit k belongs to the k-th measured qubit.
        """
        size = -(-self._width // 8)
        packed = b"".join(outcome.to_bytes(size, "little") for outcome in seen)
        table = np.frombuffer(packed, dtype=np.uint8).reshape(len(seen), size)
        bits = np.unpackbits(table, axis=1, count=self._width, bitorder="little").T.astype(float)
        signs = 1.0 - 2.0 * (self._signs @ bits % 2)
        excluded = self._zeros @ bits + self._ones @ (1.0 - bits)
        return np.asarray(signs * (excluded == 0))

    def _where(self, some: str) -> Array:
        """Where terms have one of some letters, shape (terms, measured), as numbers."""
        rows = [[float(letter in some) for letter in letters] for letters in self._letters]
        return np.array(rows).reshape(len(rows), self._width)
