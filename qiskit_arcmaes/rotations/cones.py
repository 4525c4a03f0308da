"""Light cones: which terms of the observable a rotation or a parameter can change at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.blocks import BlockForm, Stabilisers
from qiskit_arcmaes.rotations.form import RotationForm
from qiskit_arcmaes.rotations.paulis import Bits, Paulis, parity, swap_halves

_FIRST_LOOK = 64  # rotations asked first: deep circuits reach every term from these already


def rotation_cones(blocks: BlockForm, paulis: Paulis, idle: Bits, vanishing: Bits) -> Bits:
    """Which of some Pauli strings, measured at the end, each rotation can change.

    Going back from the end, a rotation changes a term when its Pauli string anticommutes with the
    term or with a later rotation that changes it. This holds more Pauli strings than the term
    evolves into (all products of the term with those rotations), so that a True may be a slope
    that vanishes all the same; a False never is wrong. It is at least as narrow as the light cone
    of the qubits that the gates connect.

    Args:
        blocks: The circuit.
        paulis: The terms, T of them.
        idle: Rotations that change nothing, shape (rotations,).
        vanishing: Terms that are 0 at every point, shape (T,).

    Returns:
        Shape (rotations, T). Time and memory grow with the square of the number of rotations.
    """
    form = blocks.form
    anticommuting = _packed(form.paulis.anticommutes(paulis))
    every = _packed(~vanishing[None, :])[0]
    words = form.paulis.words()
    swapped = swap_halves(words)
    cones = np.zeros_like(anticommuting)
    for index in np.flatnonzero(~idle)[::-1]:
        later = index + 1 + np.flatnonzero(parity(words[index + 1 :] & swapped[index]))
        row = np.bitwise_or.reduce(cones[later[:_FIRST_LOOK]], axis=0) | anticommuting[index]
        if len(later) > _FIRST_LOOK and not np.array_equal(row & every, every):
            row |= np.bitwise_or.reduce(cones[later[_FIRST_LOOK:]], axis=0)
        cones[index] = row & every
    return np.unpackbits(cones, axis=1, count=len(paulis)).astype(bool)


def _packed(bits: Bits) -> NDArray[np.uint8]:
    return np.packbits(bits, axis=1)


def vanishing_terms(stabilisers: Stabilisers, paulis: Paulis) -> Bits:
    """Terms that are 0 at every point: they anticommute with a stabiliser of the final state."""
    if not stabilisers.after_block:
        return np.asarray(paulis.x.any(axis=1))  # the state is 0...0
    zero = np.zeros(len(paulis), dtype=bool)
    for string in stabilisers.after_block[-1]:
        where = [qubit for qubit in range(paulis.num_qubits) if string >> qubit & 1]
        zero |= paulis.x[:, where].sum(axis=1) % 2 == 1
    return zero


def parameter_cones(form: RotationForm, rotations: Bits) -> Bits:
    """Join the cones of rotations, shape (rotations, T), to those of parameters, shape (d, T)."""
    has = form.coefficients.copy()
    has.data = np.ones_like(has.data)
    return np.asarray(has.T @ rotations.astype(np.float32) > 0)


def parameter_classes(cones: Bits) -> tuple[NDArray[np.int_], ...]:
    """Classes of parameters that can be shifted in the same circuit.

    The cones of a class share no term, so that each term sees the shift of one parameter only.
    Parameters are placed greedily, those with the smallest cones first.

    Args:
        cones: The cone of each parameter, shape (d, T).

    Returns:
        The indices of each class; parameters without any term in their cone are in none.

    Example:
        >>> cones = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]], dtype=bool)
        >>> [members.tolist() for members in parameter_classes(cones)]
        [[1, 0], [2]]
    """
    sizes = cones.sum(axis=1)
    sets = [int.from_bytes(row.tobytes(), "big") for row in _packed(cones)]
    taken: list[int] = []
    members: list[list[int]] = []
    for index in np.argsort(sizes, kind="stable").tolist():
        if not sets[index]:
            continue
        free = (k for k, terms in enumerate(taken) if not terms & sets[index])
        home = next(free, len(taken))
        if home == len(taken):
            taken.append(0)
            members.append([])
        taken[home] |= sets[index]
        members[home].append(index)
    return tuple(np.array(group) for group in members)
