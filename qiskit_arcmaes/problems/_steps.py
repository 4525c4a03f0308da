"""The reversible pieces that a simulated circuit consists of.

States have shape (2**qubits, n), one column for each point; angles have shape (m, n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
States = NDArray[Any]


class Step(Protocol):
    """One reversible piece of a program; ``angles`` are all angles of the program, (m, n)."""

    @property
    def real(self) -> bool:
        """Whether the step keeps real states real."""
        ...

    def apply(self, states: States, angles: Array) -> States:
        """Run the step."""
        ...

    def undo(self, states: States, angles: Array) -> States:
        """Run the inverse of the step."""
        ...

    def slopes(self, left: States, states: States, into: Array) -> None:
        """Add ``Re <left| d/dangle |states>`` to the rows of ``into``, for states after it."""
        ...


@dataclass(frozen=True)
class Fixed:
    """A run of gates without parameters, as a sparse matrix."""

    matrix: Any

    @property
    def real(self) -> bool:
        return not np.iscomplexobj(self.matrix.data)

    def apply(self, states: States, angles: Array) -> States:
        return np.asarray(self.matrix @ states)

    def undo(self, states: States, angles: Array) -> States:
        return np.asarray(self.matrix.conj().T @ states)

    def slopes(self, left: States, states: States, into: Array) -> None:
        """Add nothing: there is no angle."""


@dataclass(frozen=True)
class Rotation:
    """exp(angle G / 2) with G = -iP: ``(G v)[k] = phases[k] * v[source[k]]``."""

    angle: int
    source: NDArray[np.intp]
    phases: States

    @property
    def real(self) -> bool:
        return not np.iscomplexobj(self.phases)

    def _turn(self, states: States, halves: Array) -> States:
        turned = states[self.source]
        turned *= self.phases[:, None]
        turned *= np.sin(halves)
        turned += states * np.cos(halves)
        return turned

    def apply(self, states: States, angles: Array) -> States:
        return self._turn(states, angles[self.angle] / 2)

    def undo(self, states: States, angles: Array) -> States:
        return self._turn(states, -angles[self.angle] / 2)

    def slopes(self, left: States, states: States, into: Array) -> None:
        generated = self.phases[:, None] * states[self.source]
        into[self.angle] += np.einsum("kn,kn->n", left.conj(), generated).real / 2


@dataclass(frozen=True)
class Phases:
    """Neighbouring rotations about strings of Z, done as one product with phases.

    ``signs[k, j]`` is the eigenvalue of the j-th string at basis state k.
    """

    angles: list[int]
    signs: Array
    real = False

    def apply(self, states: States, angles: Array) -> States:
        return np.asarray(states * np.exp(-0.5j * (self.signs @ angles[self.angles])))

    def undo(self, states: States, angles: Array) -> States:
        return np.asarray(states * np.exp(0.5j * (self.signs @ angles[self.angles])))

    def slopes(self, left: States, states: States, into: Array) -> None:
        into[self.angles] += self.signs.T @ (left.conj() * states).imag / 2
