"""Frequencies of one block of commuting rotations, by enumerating what an observable can flip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.rotations.blocks import BlockForm
from qiskit_arcmaes.rotations.eigenvalues import JointSigns
from qiskit_arcmaes.rotations.paulis import Bits, Paulis, Span, integer_rows
from qiskit_arcmaes.rotations.spectrum import Array, common_spacing, distinct


@dataclass(frozen=True)
class SpectrumLimits:
    """How much is enumerated; beyond it frequencies are bounded instead of listed.

    Attributes:
        values: Most frequencies listed per parameter: a rule for more of them is not solved for.
        log2_states: Most joint eigenvalues times sign flips per block, as a power of 2: 2**16
            numbers take some milliseconds.
        log2_work: The same for the whole circuit: 2**22 take less than a second.
    """

    values: int = 64
    log2_states: int = 16
    log2_work: int = 22


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

    def all(self, count: int) -> Bits:
        """All flips of ``count`` operators, shape (2**generators, count)."""
        generators = integer_rows(self.generators, count).astype(int)
        chosen = np.arange(1 << len(generators))[:, None] >> np.arange(len(generators)) & 1
        return np.asarray((chosen @ generators + integer_rows([self.fixed], count)) % 2 == 1)

    def reached(self) -> tuple[int, ...]:
        """The indices of the operators that some of them flips."""
        bits = self.fixed
        for generator in self.generators:
            bits |= generator
        return tuple(index for index in range(bits.bit_length()) if bits >> index & 1)

    def among(self, indices: tuple[int, ...]) -> Flips:
        """The same for some of the operators, which get the numbers 0, 1 and so on."""

        def chosen(bits: int) -> int:
            return sum((bits >> index & 1) << place for place, index in enumerate(indices))

        return Flips(chosen(self.fixed), tuple(map(chosen, self.generators)))


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
    own = _column_integers(members.anticommutes(measured))
    kinds, present = _later_flips(members, paulis[last:], cones[last:])
    together = cones.shape[1] == 1 and len(measured) != 1
    spans: dict[bytes, Span] = {}
    for column in np.flatnonzero(cones[first:last].any(axis=0)).tolist():
        key = present[column].tobytes()
        if key not in spans:
            reached = [flip for flip, there in zip(kinds, present[column], strict=True) if there]
            spans[key] = Span(reached + own if together else reached)
        fixed = 0 if together else spans[key].reduce(own[column])
        yield column, Flips(fixed, tuple(sorted(spans[key].basis)))


def _later_flips(members: Paulis, later: Paulis, cones: Bits) -> tuple[list[int], Bits]:
    """The distinct flips by later rotations, and which occur for each column of the cones."""
    places: dict[int, list[int]] = {}
    for index, flip in enumerate(_column_integers(members.anticommutes(later))):
        places.setdefault(flip, []).append(index)
    places.pop(0, None)
    present = np.zeros((cones.shape[1], len(places)), dtype=bool)
    for kind, rotations in enumerate(places.values()):
        present[:, kind] = cones[rotations].any(axis=0)
    return list(places), present


def _column_integers(bits: Bits) -> list[int]:
    """Every column as one integer; bit k is row k."""
    packed = np.packbits(bits, axis=0, bitorder="little").T
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


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
    table = flips.all(len(weights))
    table = table[signs.allows(table)]
    if not len(table):
        return np.zeros(1)
    return distinct(np.abs((table * weights) @ signs.all().T.astype(float)).ravel())


def flip_bound(weights: Array) -> Bound:
    """A bound of the same without enumerating, for any flips."""
    used = np.abs(weights[weights != 0]).tolist()
    return Bound(sum(used), common_spacing(used))
