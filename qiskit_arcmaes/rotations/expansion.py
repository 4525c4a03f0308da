"""Exact value, slopes and Hessian of a loss at a Clifford point, without a shot.

Where every rotation's angle is a multiple of a right angle the circuit is a Clifford circuit, and
so it stays where a rotation is shifted by a right angle (Gottesman and Knill). Hartree-Fock states,
Néel states and circuits whose angles are all zero are such points. There the rotations are Clifford
gates; moved to the end of the circuit they leave rotations of angle zero, and with
U = exp(-i angle P / 2) the derivative of <T> is <i P T> where P and T anticommute, else 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations.form import RotationForm
from qiskit_arcmaes.rotations.paulis import Bits

Array = NDArray[np.float64]
Signs = NDArray[np.int8]
Keys = NDArray[np.uint64]

_RIGHT_ANGLE = math.pi / 2
_SAME = 1e-9  # radians by which an angle may miss a multiple of a right angle


@dataclass(frozen=True)
class ExpansionLimits:
    """How large a circuit may be.

    Attributes:
        work: Most rotations times rotations and terms: 5e6 take about 1 s.
    """

    work: float = 5e6


@dataclass(frozen=True, eq=False)
class Expansion:
    """A loss to second order about a point.

    Attributes:
        value: There.
        slopes: There, shape (d,).
        hessian: Second derivatives there, shape (d, d).
    """

    value: float
    slopes: Array
    hessian: Array


@dataclass(frozen=True, eq=False)
class _Signed:
    """Hermitian Pauli strings with signs, as symplectic bits."""

    x: Bits
    z: Bits
    sign: Signs

    def __getitem__(self, index: NDArray[np.int_] | slice) -> _Signed:
        return _Signed(self.x[index], self.z[index], self.sign[index])

    @property
    def ys(self) -> NDArray[np.int_]:
        return np.asarray(np.sum(self.x & self.z, axis=-1))

    def anticommutes(self, other: _Signed) -> Bits:
        """Whether strings anticommute; shapes are broadcast."""
        swaps = np.sum((self.x & other.z) ^ (self.z & other.x), axis=-1)
        return np.asarray(swaps % 2 == 1)

    def turned(self, other: _Signed) -> _Signed:
        """The string i P Q of anticommuting P (self) and Q (other); shapes are broadcast."""
        product = _Signed(self.x ^ other.x, self.z ^ other.z, np.zeros(0, np.int8))
        crossed = np.sum(self.z & other.x, axis=-1)
        power = (self.ys + other.ys - product.ys + 2 * crossed + 1) % 4  # of i: 0 or 2
        sign = np.asarray(self.sign * other.sign * (1 - power), dtype=np.int8)
        return _Signed(product.x, product.z, sign)


def expand(
    form: RotationForm, point: Array, limits: ExpansionLimits | None = None
) -> Expansion | None:
    """Expand the loss about a point; None where that is no Clifford point, or the circuit is large.

    Args:
        form: The circuit, with terms.
        point: Shape (d,).
        limits: How large the circuit may be.

    Example:
        >>> from qiskit_arcmaes.rotations.form import make_form
        >>> form = make_form(["X", "Z"], [[2.0, 0.0], [0.0, 1.0]], observable={"Z": 1.0, "Y": 0.5})
        >>> found = expand(form, np.zeros(2))
        >>> found.value, found.slopes.tolist(), found.hessian.tolist()
        (1.0, [-1.0, 0.0], [[-4.0, 0.0], [0.0, 0.0]])
    """
    bounds = limits or ExpansionLimits()
    rotations, terms = form.num_rotations, form.terms
    if terms is None or rotations * float(rotations + len(terms)) > bounds.work:
        return None
    turns = form.angles(point) / _RIGHT_ANGLE
    if not np.all(np.abs(turns - np.rint(turns)) * _RIGHT_ANGLE <= _SAME):
        return None
    quarters = np.rint(turns).astype(int) % 4
    gates, strings = _at_zero(form, quarters)
    used = np.flatnonzero(np.diff(form.coefficients.indptr))
    parameters = form.coefficients[used]
    gates, weights = gates[used], terms.coefficients * strings.sign
    diagonal = ~strings.x.any(axis=1)
    value = terms.identity + float(weights[diagonal].sum())
    slopes, hessian = _derivatives(gates, strings, terms.coefficients)
    return Expansion(
        value,
        np.asarray(parameters.T @ slopes),
        np.asarray(parameters.T @ (parameters.T @ hessian).T),
    )


def _at_zero(form: RotationForm, quarters: NDArray[np.int_]) -> tuple[_Signed, _Signed]:
    """Rotations and terms after all Clifford rotations were moved to the end of the circuit."""
    assert form.terms is not None
    gates = _Signed(form.paulis.x.copy(), form.paulis.z.copy(), form.signs.astype(np.int8))
    ones = np.ones(len(form.terms), dtype=np.int8)
    strings = _Signed(form.terms.paulis.x.copy(), form.terms.paulis.z.copy(), ones)
    fixed = _Signed(form.paulis.x, form.paulis.z, form.signs.astype(np.int8))
    for index in np.flatnonzero(quarters)[::-1]:
        gate = fixed[slice(index, index + 1)]
        for later in (gates[slice(index + 1, None)], strings):
            _conjugate(later, gate, int(quarters[index]))
    return gates, strings


def _conjugate(strings: _Signed, gate: _Signed, quarters: int) -> None:
    """Replace Q by C† Q C in place, C = exp(-i angle P / 2), the angle in right angles."""
    affected = np.flatnonzero(strings.anticommutes(gate))
    if quarters == 2:
        strings.sign[affected] *= -1
        return
    turned = gate.turned(strings[affected])
    strings.x[affected], strings.z[affected] = turned.x, turned.z
    strings.sign[affected] = turned.sign * (1 if quarters == 1 else -1)


def _derivatives(gates: _Signed, strings: _Signed, coefficients: Array) -> tuple[Array, Array]:
    """Slopes and Hessian in the angles of rotations that all are zero.

    A string has an expectation in the state 0...0 only where it has no X bit, so that for a term of
    X bits t only rotations of bits t matter to the slopes, and pairs whose bits differ by t to the
    Hessian. Such pairs are found by a hash.
    """
    count = len(gates.sign)
    slopes, hessian = np.zeros(count), np.zeros((count, count))
    gate_keys, term_keys = _hashes(gates.x, strings.x)
    finder = _Finder(gate_keys)
    for later in range(count):
        gate = gates[slice(later, later + 1)]
        meets = np.flatnonzero(gate.anticommutes(strings))
        if not len(meets):
            continue
        once, weights = gate.turned(strings[meets]), coefficients[meets]
        plain = ~strings.x[meets].any(axis=1)
        slopes[later] = weights @ (once.sign * ~once.x.any(axis=1))
        hessian[later, later] = -weights @ (strings.sign[meets] * plain)
        place, earlier = finder.pairs(term_keys[meets] ^ gate_keys[later], later)
        first, second = gates[earlier], once[place]
        twice = first.turned(second)
        known = first.anticommutes(second) & ~twice.x.any(axis=1)
        values = weights[place] * twice.sign * known
        hessian[:, later] += np.bincount(earlier, values, minlength=count)
    return slopes, hessian + np.triu(hessian, 1).T


def _hashes(*tables: Bits) -> list[Keys]:
    """A key of each row such that the key of a sum modulo 2 is the XOR of the keys."""
    rng = np.random.default_rng(0)  # any will do: whoever uses the keys checks the bits as well
    words = rng.integers(2**63, size=tables[0].shape[1], dtype=np.uint64)
    return [np.bitwise_xor.reduce(np.where(bits, words, 0), axis=1) for bits in tables]


class _Finder:
    """Finds the rotations that have a key, among those before a given one.

    Args:
        keys: Of the rotations, in order.
    """

    def __init__(self, keys: Keys) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]

    def pairs(self, wanted: Keys, later: int) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        """Places in ``wanted`` and rotations before ``later`` that have the same key."""
        low = np.searchsorted(self._sorted, wanted, side="left")
        counts = np.searchsorted(self._sorted, wanted, side="right") - low
        place = np.repeat(np.arange(len(wanted)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        found = self._order[low[place] + within]
        before = found < later
        return place[before], found[before]
