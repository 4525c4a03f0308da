"""Frequencies of one block of commuting rotations, by enumerating what an observable can flip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.blocks import BlockForm
from qiskit_arcmaes.rotations.eigenvalues import JointSigns
from qiskit_arcmaes.rotations.paulis import Bits, Paulis, Span
from qiskit_arcmaes.rotations.spectrum import Array, common_spacing, distinct


@dataclass(frozen=True)
class SpectrumLimits:
    """How much is enumerated; beyond it frequencies are bounded instead of listed.

    Attributes:
        values: Most frequencies listed per parameter: a rule for more of them is not solved for.
        log2_states: Most joint eigenvalues times sign flips per block, as a power of 2: 2**18
            numbers take some milliseconds.
        log2_work: The same for the whole circuit: 2**24 take about a second.
    """

    values: int = 64
    log2_states: int = 18
    log2_work: int = 24


@dataclass(frozen=True)
class Bound:
    """What is known of frequencies that are not listed: largest one and spacing."""

    maximum: float
    spacing: float


Part = Array | Bound
"""Frequencies of one block or one term: listed (0 may be among them) or bounded."""


@dataclass(frozen=True)
class Flips:
    """Which signs of a block's joint eigenvalues the measured operators can flip.

    These are the sums over GF(2) of ``fixed`` and any of ``generators``; bit k is operator k.
    """

    fixed: int
    generators: tuple[int, ...]

    def all(self) -> list[int]:
        """All of them, 2 to the power of the number of generators."""
        flips = [self.fixed]
        for generator in self.generators:
            flips += [flip ^ generator for flip in flips]
        return flips

    def reached(self) -> int:
        """The operators that some of them flips, as bits."""
        bits = self.fixed
        for generator in self.generators:
            bits |= generator
        return bits


def block_flips(
    blocks: BlockForm, number: int, measured: Paulis, cones: Bits
) -> Iterator[tuple[int, Flips]]:
    """The flips that each measured operator can make in a block, later rotations included.

    Args:
        blocks: The circuit.
        number: Which block.
        measured: The operators measured at the end, one per column of ``cones``; where there is
            one column for all of them, all their products are measured.
        cones: What each rotation can change, shape (rotations, columns).

    Yields:
        The column and its flips, for the columns that the block can change.
    """
    first, last = blocks.starts[number : number + 2]
    paulis = blocks.form.paulis
    members = paulis[first:last]
    later = _column_integers(members.anticommutes(paulis[last:]))
    own = _column_integers(members.anticommutes(measured))
    together = cones.shape[1] == 1 and len(measured) != 1
    for column in np.flatnonzero(cones[first:last].any(axis=0)).tolist():
        span = Span(set(later[cones[last:, column]].tolist()))
        if together:
            span = Span([*span.basis, *own])
        fixed = 0 if together else span.reduce(own[column])
        yield column, Flips(fixed, tuple(sorted(span.basis)))


def _column_integers(bits: Bits) -> NDArray[np.object_]:
    """Every column as one integer; bit k is row k."""
    packed = np.packbits(bits, axis=0, bitorder="little").T
    integers = np.empty(len(packed), dtype=object)
    integers[:] = [int.from_bytes(row.tobytes(), "little") for row in packed]
    return integers


def flip_frequencies(signs: JointSigns, weights: Array, flips: Flips) -> Array:
    """All frequencies with which a block turns the operators that make some flips.

    An operator that flips the signs of the set A turns with the sum over A of weight times sign.

    Args:
        signs: The joint eigenvalues of the block's operators.
        weights: The coefficient of the parameter in each of their angles.
        flips: The flips.

    Example:
        >>> from qiskit_arcmaes.rotations.eigenvalues import joint_signs
        >>> signs = joint_signs([(3, 0, 0), (3, 3, 2)], [], 2)  # XX and YY
        >>> flip_frequencies(signs, np.array([0.5, 0.5]), Flips(0b11, ()))
        array([0., 1.])
    """
    allowed = [flip for flip in flips.all() if signs.allows(flip)]
    if not allowed:
        return np.zeros(1)
    table = np.array([[flip >> k & 1 for k in range(len(weights))] for flip in allowed])
    return distinct(np.abs((table * weights) @ signs.all().T.astype(float)).ravel())


def flip_bound(weights: Array, flips: Flips) -> Bound:
    """A bound of the same without enumerating: the sum of all weights that are reached."""
    reached = flips.reached()
    used = [abs(w) for k, w in enumerate(weights.tolist()) if w and reached >> k & 1]
    return Bound(sum(used), common_spacing(used))
