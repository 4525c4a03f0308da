"""The terms of an observable in groups, as functions of what each group measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.term_outcomes import TermOutcomes

Array = NDArray[np.float64]

_LARGEST_TABLE = 2**16  # numbers: half a megabyte


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
    """

    def __init__(self, terms: TermGroups, group: int) -> None:
        self.members = np.flatnonzero(terms.groups == group)
        self._coefficients = terms.coefficients[self.members][:, None]
        axes = terms.axes[group]
        self._terms = TermOutcomes([terms.labels[t] for t in self.members], axes)
        outcomes = 2 ** (len(axes) - axes.count("I"))
        self._has_table = len(self.members) * outcomes <= _LARGEST_TABLE

    @cached_property
    def table(self) -> Array:
        """Coefficient times value of each term for every outcome, shape (terms, 2**measured)."""
        return np.asarray(self._coefficients * np.array(list(self._terms.rows())))

    def values(self, seen: Sequence[int]) -> Array:
        """Coefficient times value of each term for some outcomes, shape (terms, outcomes)."""
        if self._has_table:
            return self.table[:, seen]
        return np.asarray(self._coefficients * self._terms.values(seen))
