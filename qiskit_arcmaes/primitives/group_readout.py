"""Terms of an observable in measurement groups, and what outcomes tell of any part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import GroupEstimate, MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.primitives.cache import Cache
from qiskit_arcmaes.primitives.groups import insert_sorted, outcomes, shared_axes
from qiskit_arcmaes.rotations import Analysis

Array = NDArray[np.float64]


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


def group_terms(observable: Mapping[str, float]) -> TermGroups:
    """Divide the terms of an observable into measurement groups.

    Example:
        >>> terms = group_terms({"II": 3.0, "ZZ": 1.0, "XX": 2.0, "IZ": 0.5})
        >>> terms.labels, terms.groups.tolist(), terms.axes, terms.constant
        (('ZZ', 'XX', 'IZ'), [1, 0, 1], ('XX', 'ZZ'), 3.0)
    """
    kept = [(place, label) for place, label in enumerate(observable) if set(label) != {"I"}]
    labels = tuple(label for _, label in kept)
    sets = insert_sorted({label: abs(observable[label]) for label in labels})
    home = {label: group for group, members in enumerate(sets) for label in members}
    identity = [value for label, value in observable.items() if set(label) == {"I"}]
    return TermGroups(
        labels=labels,
        coefficients=np.array([observable[label] for label in labels], dtype=float),
        origins=np.array([place for place, _ in kept], dtype=int),
        groups=np.array([home[label] for label in labels], dtype=int),
        axes=tuple(shared_axes(members) for members in sets),
        constant=float(sum(identity)),
    )


def measured_circuit(
    analysis: Analysis, terms: TermGroups, equal_shots: bool = False
) -> MeasuredCircuit:
    """Join what the circuit tells of the terms with how they are measured.

    Args:
        analysis: Of a form with the same observable.
        terms: The terms in groups; a projector is one term here and several in the form.
        equal_shots: Whether all measurements of a job have the same shots.
    """
    assert analysis.form.terms is not None
    cones = np.zeros((len(analysis.cones), len(terms.labels)), dtype=bool)
    place = {origin: term for term, origin in enumerate(terms.origins.tolist())}
    for column, origin in enumerate(analysis.form.terms.origins.tolist()):
        cones[:, place[origin]] |= analysis.cones[:, column]
    return MeasuredCircuit(cones, terms.coefficients, terms.groups, terms.constant, equal_shots)


class GroupReadout:
    """Means and variances of parts of an observable from counted outcomes.

    Args:
        terms: The terms in groups.
    """

    def __init__(self, terms: TermGroups) -> None:
        self._members = [np.flatnonzero(terms.groups == g) for g in range(len(terms.axes))]
        self._values = []
        for members, axes in zip(self._members, terms.axes, strict=True):
            measured = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
            rows = [terms.coefficients[t] * outcomes(terms.labels[t], measured) for t in members]
            self._values.append(np.array(rows))
        self._tables: Cache[Array] = Cache(1024)

    def empty(self, plan: MeasurementPlan) -> GroupEstimate:
        """An estimate of a plan in which nothing is measured yet."""
        shape = (*plan.shots.shape, plan.num_parts)
        return GroupEstimate(np.full(shape, np.nan), np.full(shape, np.nan))

    def fill(
        self,
        estimate: GroupEstimate,
        plan: MeasurementPlan,
        group: int,
        rows: NDArray[np.int_],
        counts: NDArray[np.int64],
    ) -> None:
        """Fill in one group at some points.

        Args:
            estimate: What is filled.
            plan: The plan.
            group: The group.
            rows: The points, indices into the plan.
            counts: How often each outcome was seen at each of these points, shape
                (rows, 2**measured). Bit k of an outcome belongs to the k-th measured qubit.
        """
        shots = counts.sum(axis=1)
        shares = counts / shots[:, None]
        for partition in np.unique(plan.partition[rows]):
            chosen = np.flatnonzero(plan.partition[rows] == partition)
            table = self._table(group, plan.parts[partition], plan.num_parts)
            means = shares[chosen] @ table.T
            squares = shares[chosen] @ np.square(table).T - np.square(means)
            freedom = shots[chosen, None] - 1.0
            spread = np.divide(
                squares.clip(min=0) * shots[chosen, None],
                freedom,
                out=np.full_like(squares, np.nan),
                where=freedom > 0,
            )
            estimate.means[rows[chosen], group] = means
            estimate.variances[rows[chosen], group] = spread

    def _table(self, group: int, parts: NDArray[np.int_], num_parts: int) -> Array:
        """What each outcome adds to each part, shape (parts, 2**measured)."""
        members = self._members[group]
        key = (group, num_parts, parts[members].tobytes())
        known = self._tables.get(key)
        if known is None:
            chosen = parts[members][None, :] == np.arange(num_parts)[:, None]
            known = self._tables.add(key, chosen.astype(float) @ self._values[group])
        return known
