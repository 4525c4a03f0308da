"""Blocks of commuting rotations that share their parameters, and what stabilises the state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.form import RotationForm
from qiskit_arcmaes.rotations.paulis import Bits, Span, parity, row_integers, swap_halves
from qiskit_arcmaes.rotations.rows import surviving


@dataclass(frozen=True)
class BlockForm:
    """A rotation form whose rotations are ordered so that they make few blocks.

    Attributes:
        form: The rotations in their new order; the state is the same at every x.
        order: The index of each rotation in the form that was given, shape (rotations,).
        starts: Where each block starts, shape (blocks + 1,); the last entry is the end.
    """

    form: RotationForm
    order: NDArray[np.int_]
    starts: NDArray[np.int_]


@dataclass
class _Block:
    key: tuple[int, ...]
    members: list[int] = field(default_factory=list)


def make_blocks(form: RotationForm) -> BlockForm:
    """Order the rotations into blocks.

    The rotations of one block commute and depend on the same parameters. A rotation joins the last
    block of its parameters where it commutes with everything from that block on.

    Example:
        >>> from qiskit_arcmaes.rotations.form import make_form
        >>> form = make_form(["ZI", "IX", "ZZ", "ZI"], [[1, 0], [0, 1], [1, 0], [1, 0]])
        >>> blocks = make_blocks(form)
        >>> blocks.order.tolist(), blocks.starts.tolist()
        ([0, 1, 2, 3], [0, 1, 2, 4])
        >>> make_blocks(make_form(["ZI", "IX", "ZI"], [[1, 0], [0, 1], [1, 0]])).order.tolist()
        [0, 2, 1]
    """
    blocks: list[_Block] = []
    latest: dict[tuple[int, ...], int] = {}
    placed = np.zeros(form.num_rotations, dtype=int)
    words = form.paulis.words()
    swapped = swap_halves(words)
    table = form.coefficients
    for index in range(form.num_rotations):
        key = tuple(table.indices[table.indptr[index] : table.indptr[index + 1]].tolist())
        home = latest.get(key)
        if home is not None:
            behind = np.flatnonzero(placed[:index] >= home)
            if parity(words[behind] & swapped[index]).any():
                home = None
        if home is None:
            home = latest[key] = len(blocks)
            blocks.append(_Block(key))
        blocks[home].members.append(index)
        placed[index] = home
    order = np.array([index for block in blocks for index in block.members], dtype=int)
    starts = np.cumsum([0, *(len(block.members) for block in blocks)])
    return BlockForm(_reordered(form, order), order, starts)


def _reordered(form: RotationForm, order: NDArray[np.int_]) -> RotationForm:
    return replace(
        form,
        paulis=form.paulis[order],
        signs=form.signs[order],
        coefficients=form.coefficients[order],
        offsets=form.offsets[order],
    )


@dataclass(frozen=True)
class Stabilisers:
    """Z strings that leave the state of a form unchanged, whatever the parameters.

    Attributes:
        after_block: Generators of the group after each block, as integers.
        idle: Which rotations only change the global phase, shape (rotations,).
    """

    after_block: tuple[tuple[int, ...], ...]
    idle: Bits


def find_stabilisers(blocks: BlockForm) -> Stabilisers:
    """Follow the stabilisers of the state 0...0 through the blocks.

    Example:
        >>> from qiskit_arcmaes.rotations.form import make_form
        >>> blocks = make_blocks(make_form(["ZI", "XX", "ZZ"], [[1], [1], [1]]))
        >>> found = find_stabilisers(blocks)
        >>> found.idle.tolist(), found.after_block[-1]
        ([True, False, True], (3,))
    """
    group = [1 << qubit for qubit in range(blocks.form.num_qubits)]
    xs, zs = row_integers(blocks.form.paulis.x), row_integers(blocks.form.paulis.z)
    idle = np.zeros(len(xs), dtype=bool)
    after = []
    for start, stop in zip(blocks.starts[:-1], blocks.starts[1:], strict=True):
        span = Span(group)
        for index in range(start, stop):
            idle[index] = xs[index] == 0 and not span.reduce(zs[index])
        for index in range(start, stop):
            group = surviving(group, xs[index]) if xs[index] else group
        after.append(tuple(group))
    return Stabilisers(tuple(after), idle)
