"""A Clifford tableau that is cheap to extend by one gate: integers as bit strings, with signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qiskit_arcmaes.rotations.rows import Row, multiply


class Tableau:
    """The images C† P C of Pauli operators under a Clifford circuit C that grows at its end.

    A rotation about P that follows C equals a rotation about C† P C that precedes it, so that this
    is all that pushing Clifford gates to the end of a circuit needs.

    Args:
        num_qubits: Number of qubits; C is the identity at first.

    Example:
        >>> tableau = Tableau(2)
        >>> tableau.append("h", [0])
        >>> tableau.append("cx", [0, 1])
        >>> tableau.image("ZZ", [0, 1])
        (0, 2, 0)
    """

    def __init__(self, num_qubits: int) -> None:
        self._x: list[Row] = [(1 << q, 0, 0) for q in range(num_qubits)]
        self._z: list[Row] = [(0, 1 << q, 0) for q in range(num_qubits)]

    def append(self, name: str, qubits: Sequence[int]) -> None:
        """Extend C by a gate of ``CLIFFORD_GATES``."""
        CLIFFORD_GATES[name](self, *qubits)

    def image(self, pauli: str, qubits: Sequence[int]) -> Row:
        """C† P C, where letter k of ``pauli`` (I, X, Y or Z) acts on ``qubits[k]``."""
        row: Row = (0, 0, 0)
        for letter, qubit in zip(pauli, qubits, strict=True):
            row = multiply(row, self._letter(letter, qubit))
        return row

    def _letter(self, letter: str, qubit: int) -> Row:
        if letter == "X":
            return self._x[qubit]
        if letter == "Z":
            return self._z[qubit]
        return self._y(qubit) if letter == "Y" else (0, 0, 0)

    def _y(self, qubit: int) -> Row:
        x, z, phase = multiply(self._x[qubit], self._z[qubit])
        return x, z, (phase + 1) & 3

    def append_rotation(self, pauli: str, qubits: Sequence[int], quarters: int) -> None:
        """Extend C by exp(-i angle P / 2) with an angle of ``quarters`` times pi / 2."""
        turns = quarters % 4
        if turns == 0:
            return
        image = self.image(pauli, qubits)
        for letter, qubit in zip(pauli, qubits, strict=True):
            if letter in "YZ":
                self._x[qubit] = _turned(self._x[qubit], image, turns)
            if letter in "XY":
                self._z[qubit] = _turned(self._z[qubit], image, turns)

    def _h(self, q: int) -> None:
        self._x[q], self._z[q] = self._z[q], self._x[q]

    def _s(self, q: int) -> None:
        self._x[q] = _negative(self._y(q))  # S† X S = -Y

    def _sdg(self, q: int) -> None:
        self._x[q] = self._y(q)

    def _pauli_x(self, q: int) -> None:
        self._z[q] = _negative(self._z[q])

    def _pauli_z(self, q: int) -> None:
        self._x[q] = _negative(self._x[q])

    def _cx(self, control: int, target: int) -> None:
        self._x[control] = multiply(self._x[control], self._x[target])
        self._z[target] = multiply(self._z[control], self._z[target])

    def _swap(self, a: int, b: int) -> None:
        self._x[a], self._x[b] = self._x[b], self._x[a]
        self._z[a], self._z[b] = self._z[b], self._z[a]


def _negative(row: Row) -> Row:
    return row[0], row[1], (row[2] + 2) & 3


def _turned(row: Row, image: Row, turns: int) -> Row:
    """The image of an operator that anticommutes with P after a quarter, half, three quarters."""
    if turns == 2:
        return _negative(row)
    x, z, phase = multiply(image, row)  # a quarter turns Q into i P Q
    return x, z, (phase + turns) & 3


def _chain(*steps: tuple[str, tuple[int, ...]]) -> Callable[..., None]:
    """A gate that is a sequence of others; the numbers are positions among its qubits."""

    def apply(tableau: Tableau, *qubits: int) -> None:
        for name, places in steps:
            CLIFFORD_GATES[name](tableau, *(qubits[place] for place in places))

    return apply


CLIFFORD_GATES: dict[str, Callable[..., None]] = {
    "id": lambda tableau, q: None,
    "h": Tableau._h,
    "s": Tableau._s,
    "sdg": Tableau._sdg,
    "x": Tableau._pauli_x,
    "z": Tableau._pauli_z,
    "y": _chain(("x", (0,)), ("z", (0,))),
    "sx": _chain(("h", (0,)), ("s", (0,)), ("h", (0,))),
    "sxdg": _chain(("h", (0,)), ("sdg", (0,)), ("h", (0,))),
    "cx": Tableau._cx,
    "cz": _chain(("h", (1,)), ("cx", (0, 1)), ("h", (1,))),
    "cy": _chain(("sdg", (1,)), ("cx", (0, 1)), ("s", (1,))),
    "swap": Tableau._swap,
    "dcx": _chain(("cx", (0, 1)), ("cx", (1, 0))),
    "ecr": _chain(("s", (0,)), ("sx", (1,)), ("cx", (0, 1)), ("x", (0,))),
    "iswap": _chain(("swap", (0, 1)), ("cz", (0, 1)), ("s", (0,)), ("s", (1,))),
}
"""The Clifford gates of Qiskit's library by name, up to a global phase."""
