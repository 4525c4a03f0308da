"""From blocks of rotations to the frequencies of every parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from qiskit_arcmaes.rotations.blocks import BlockForm, Stabilisers
from qiskit_arcmaes.rotations.eigenvalues import joint_signs
from qiskit_arcmaes.rotations.flips import (
    Bound,
    Flips,
    Part,
    SpectrumLimits,
    block_flips,
    flip_bound,
    flip_frequencies,
)
from qiskit_arcmaes.rotations.paulis import Bits
from qiskit_arcmaes.rotations.rows import rows_of
from qiskit_arcmaes.rotations.spectrum import (
    Array,
    Spectrum,
    common_spacing,
    distinct,
    listed,
    one_frequency,
    sums,
)


def parameter_spectra(
    blocks: BlockForm,
    stabilisers: Stabilisers,
    cones: Bits,
    limits: SpectrumLimits | None = None,
) -> tuple[Spectrum, ...]:
    """Find the frequencies that the loss can have in each parameter.

    A block of commuting rotations turns an operator that flips the signs of some of their joint
    eigenvalues with the sum of those eigenvalues times the coefficients: no other frequency
    occurs. Several blocks of one parameter add or subtract their frequencies.

    Args:
        blocks: The circuit. Where it has terms, they are the loss; otherwise every function of
            the bitstrings that a sampler measures.
        stabilisers: Its stabilisers.
        cones: What each rotation can change: shape (rotations, terms), or (rotations, 1) where
            there are no terms.
        limits: How much is enumerated.

    Returns:
        A spectrum per parameter. It may hold frequencies that the loss does not have, and lacks
        none that it has.
    """
    form = blocks.form
    table = csc_array(form.coefficients * form.signs[:, None])
    work = _Work(blocks, stabilisers, cones, table, limits or SpectrumLimits())
    return tuple(_spectrum(work, index) for index in range(form.num_parameters))


@dataclass
class _Work:
    """What the frequencies of all parameters are found from, and how much was enumerated."""

    blocks: BlockForm
    stabilisers: Stabilisers
    cones: Bits
    table: csc_array
    limits: SpectrumLimits
    done: int = 0

    def blocks_of(self, parameter: int) -> list[tuple[int, Array]]:
        """The blocks that a parameter occurs in, with its coefficient in each rotation."""
        entries = slice(*self.table.indptr[parameter : parameter + 2])
        rows, values = self.table.indices[entries], self.table.data[entries]
        starts = self.blocks.starts
        homes = np.searchsorted(starts, rows, side="right") - 1
        found = []
        for number in np.unique(homes).tolist():
            weights = np.zeros(starts[number + 1] - starts[number])
            weights[rows[homes == number] - starts[number]] = values[homes == number]
            found.append((number, weights))
        return found


def _spectrum(work: _Work, parameter: int) -> Spectrum:
    """The union over the terms of the frequencies of one parameter."""
    blocks = work.blocks_of(parameter)
    if len(blocks) == 1 and len(blocks[0][1]) == 1:
        number, weights = blocks[0]
        matters = work.cones[work.blocks.starts[number]].any()
        return one_frequency(abs(float(weights[0])) if matters else 0.0)
    per_block = [_block_parts(work, *block) for block in blocks]
    products: dict[tuple[int, ...], Part] = {}
    for column in sorted(set().union(*per_block)):
        parts = [block[column] for block in per_block if column in block]
        key = tuple(map(id, parts))
        if key not in products:
            products[key] = _product(parts, work.limits.values)
    return _union(list(products.values()), work.limits.values)


def _block_parts(work: _Work, number: int, weights: Array) -> dict[int, Part]:
    """Frequencies of one block in every column that it can change."""
    first, last = work.blocks.starts[number : number + 2]
    if last - first == 1:
        single = np.array([0.0, abs(weights[0])])
        return dict.fromkeys(np.flatnonzero(work.cones[first]).tolist(), single)
    form = work.blocks.form
    measured = form.readout if form.terms is None else form.terms.paulis
    known: dict[Flips, Part] = {}
    parts = {}
    for column, flips in block_flips(work.blocks, number, measured, work.cones):
        if flips not in known:
            known[flips] = _flip_part(work, number, weights, flips)
        parts[column] = known[flips]
    return parts


def _flip_part(work: _Work, number: int, weights: Array, flips: Flips) -> Part:
    """Frequencies of a block under some flips, from the operators that they reach."""
    members = flips.reached()
    chosen = weights[list(members)]
    form = work.blocks.form
    paulis = form.paulis[work.blocks.starts[number] + np.array(members, dtype=int)]
    stabilisers = work.stabilisers.after_block[number]
    signs = joint_signs(rows_of(paulis, [1] * len(members)), stabilisers, form.num_qubits)
    size = len(flips.generators) + signs.rank
    if size > work.limits.log2_states or work.done > 1 << work.limits.log2_work:
        return flip_bound(chosen)
    work.done += 1 << size
    return flip_frequencies(signs, chosen, flips.among(members))


def _bound(part: Part) -> Bound:
    if isinstance(part, Bound):
        return part
    positive = part[part > 0]
    return Bound(float(positive[-1]), common_spacing(positive)) if len(positive) else Bound(0, 0)


def _joined(bounds: list[Bound], maximum: float) -> Bound:
    """One bound for several, given the largest frequency; constant parts have no say."""
    spacings = [bound.spacing for bound in bounds if bound.maximum > 0]
    return Bound(maximum, common_spacing(spacings) if all(spacings) else 0.0)


def _product(parts: list[Part], most: int) -> Part:
    """Frequencies of a product of blocks."""
    total = parts[0]
    for part in parts[1:]:
        if isinstance(total, Bound) or isinstance(part, Bound) or len(total) * len(part) > most**2:
            bounds = [_bound(total), _bound(part)]
            total = _joined(bounds, sum(bound.maximum for bound in bounds))
        else:
            total = sums(total, part)
    return total


def _union(parts: list[Part], most: int) -> Spectrum:
    """Frequencies of a sum of terms."""
    lists = [part for part in parts if not isinstance(part, Bound)]
    values = distinct(np.concatenate(lists)) if lists else np.zeros(0)
    if len(lists) == len(parts) and len(values) <= most + 1:
        return listed(values)
    bounds = [_bound(part) for part in parts]
    joined = _joined(bounds, max(bound.maximum for bound in bounds))
    return Spectrum(joined.maximum, joined.spacing)
