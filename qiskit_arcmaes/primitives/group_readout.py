"""Terms of an observable in measurement groups, and what outcomes tell of any part of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import GroupEstimate, MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.primitives.cache import Cache
from qiskit_arcmaes.primitives.group_outcomes import GroupOutcomes, TermGroups
from qiskit_arcmaes.primitives.groups import insert_sorted, shared_axes
from qiskit_arcmaes.rotations import Analysis

__all__ = ["GroupReadout", "TermGroups", "group_terms", "measured_circuit"]

Array = NDArray[np.float64]

_LARGEST_TABLE = 2**16  # numbers: half a megabyte


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
    return MeasuredCircuit(
        cones, terms.coefficients, terms.groups, terms.constant, equal_shots, analysis.form
    )


class GroupReadout:
    """Means and variances of parts of an observable from counted outcomes.

    Small groups are read out by tables over all outcomes, large ones by the outcomes that were
    seen, so that nothing grows with 2 to the power of many qubits.

    Args:
        terms: The terms in groups.

    Attributes:
        terms: The same.
    """

    def __init__(self, terms: TermGroups) -> None:
        self.terms = terms
        self._outcomes = [GroupOutcomes(terms, group) for group in range(len(terms.axes))]
        self._tables: Cache[Array] = Cache(256)

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
        if not len(rows):
            return
        parts = plan.num_parts
        if plan.parts.shape[0] * parts * counts.shape[1] > _LARGEST_TABLE:
            for row, counted in zip(rows.tolist(), counts, strict=True):
                seen = np.flatnonzero(counted)
                self.fill_seen(estimate, plan, group, row, seen.tolist(), counted[seen])
            return
        shots = counts.sum(axis=1)
        shares = counts / shots[:, None]
        table = self._table(group, plan.parts, parts)
        own = plan.partition[rows]
        means = _of_partition(shares @ table.T, own, parts)
        squares = _of_partition(shares @ np.square(table).T, own, parts)
        estimate.means[rows, group] = means
        estimate.variances[rows, group] = _sample_variances(means, squares, shots[:, None])

    def fill_seen(
        self,
        estimate: GroupEstimate,
        plan: MeasurementPlan,
        group: int,
        row: int,
        seen: Sequence[int],
        counts: NDArray[np.int64],
    ) -> None:
        """Fill in one group at one point from the outcomes that were seen there.

        Args:
            estimate: What is filled.
            plan: The plan.
            group: The group.
            row: The point, an index into the plan.
            seen: Different outcomes. Bit k belongs to the k-th measured qubit.
            counts: How often each of them was seen, of the same length.
        """
        own = self._outcomes[group]
        chosen = _indicators(plan.parts[plan.partition[row], own.members], plan.num_parts)
        values = chosen @ own.values(seen)
        shots = counts.sum()
        means, squares = (values @ counts) / shots, (np.square(values) @ counts) / shots
        estimate.means[row, group] = means
        estimate.variances[row, group] = _sample_variances(means, squares, shots)

    def _table(self, group: int, every: NDArray[np.int_], num_parts: int) -> Array:
        """What each outcome adds to each part, shape (partitions * parts, 2**measured)."""
        own = self._outcomes[group]
        parts = every[:, own.members]
        key = (group, num_parts, parts.shape, parts.tobytes())
        known = self._tables.get(key)
        if known is None:
            chosen = _indicators(parts, num_parts).reshape(-1, len(own.members))
            known = self._tables.add(key, chosen @ own.table)
        return known


def _indicators(parts: NDArray[np.int_], num_parts: int) -> Array:
    """Which terms each part has, shape (..., parts, terms), from parts of shape (..., terms)."""
    return np.asarray(parts[..., None, :] == np.arange(num_parts)[:, None], dtype=float)


def _of_partition(every: Array, partition: NDArray[np.int_], num_parts: int) -> Array:
    """The parts of each point's own partition, shape (rows, parts), from those of all of them."""
    split = every.reshape(len(every), -1, num_parts)
    return np.asarray(split[np.arange(len(every)), partition])


def _sample_variances(means: Array, squares: Array, shots: NDArray[np.int64]) -> Array:
    """Variances of one shot from means of values and squares; NaN with fewer than two shots."""
    spread = (squares - np.square(means)).clip(min=0) * shots
    freedom = np.broadcast_to(shots - 1.0, spread.shape)
    return np.divide(spread, freedom, out=np.full_like(spread, np.nan), where=freedom > 0)
