"""Measurement groups: which terms of observables one measurement basis serves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.quantum_info import Pauli, PauliList

Array = NDArray[np.float64]
Observable = Mapping[str, float]  # Pauli string (qubit 0 last) to coefficient

_AXIS = {"I": "I", "X": "X", "Y": "Y", "Z": "Z"} | dict(zip("01+-rl", "ZZXXYY", strict=True))
_FACTOR = dict.fromkeys("XYZ", (1.0, -1.0)) | dict.fromkeys("0+r", (1.0, 0.0))
_FACTOR |= dict.fromkeys("1-l", (0.0, 1.0))
_DIGITS = 10  # sizes that agree to so many digits are equal; their labels decide the order then


@dataclass(frozen=True)
class Group:
    """One measurement basis.

    Attributes:
        axes: What is measured on each qubit, qubit 0 first: X, Y, Z, or I where nothing is.
        table: What each outcome adds to each observable, shape (observables, 2**measured). Bit k
            of an outcome belongs to the k-th measured qubit.
        prior: Sum of the squared coefficients: the variance of one shot on a random state.
    """

    axes: str
    table: Array
    prior: float


@dataclass(frozen=True)
class Plan:
    """How several observables are measured together.

    Attributes:
        groups: The measurement bases.
        constants: The identity part of each observable; it needs no shots.
        digest: A name for these observables that is the same in every process.
    """

    groups: tuple[Group, ...]
    constants: Array
    digest: str


@dataclass(frozen=True)
class Batch:
    """Points of a pub at which the same observables are wanted.

    Attributes:
        points: Rows of the flattened parameter sets.
        observables: Indices into the flattened observables.
        where: Flat positions in the pub's result that this batch fills.
        rows: For each of them, which of ``points``.
        columns: For each of them, which of ``observables``.
    """

    points: NDArray[np.int_]
    observables: tuple[int, ...]
    where: NDArray[np.int_]
    rows: NDArray[np.int_]
    columns: NDArray[np.int_]


def make_plan(observables: Sequence[Observable]) -> Plan:
    """Group the terms of some observables by qubit-wise commutation.

    Args:
        observables: What is to be measured at the same points.

    Example:
        >>> plan = make_plan([{"ZZ": 1.0, "IZ": 0.5, "XX": 2.0, "II": 3.0}])
        >>> [group.axes for group in plan.groups], plan.constants
        (['XX', 'ZZ'], array([3.]))
    """
    labels = sorted({label for observable in observables for label in observable})
    identity = "I" * len(labels[0])
    constants = np.array([float(observable.get(identity, 0.0)) for observable in observables])
    sizes = {
        label: sum(abs(observable.get(label, 0.0)) for observable in observables)
        for label in labels
        if label != identity
    }
    groups = tuple(_make_group(members, observables) for members in insert_sorted(sizes))
    return Plan(groups, constants, _digest(observables))


def insert_sorted(sizes: Mapping[str, float]) -> list[list[str]]:
    """Divide terms into commuting sets, largest first, each into the first set that takes it.

    The large terms gather in few groups, where their fluctuations cancel near an eigenstate:
    colouring the graph of commuting terms gives no fewer groups for LiH, but 1.7 times the
    variance at the optimum.

    Args:
        sizes: How much each term weighs.

    Example:
        >>> insert_sorted({"IZ": 0.1, "XX": 3.0, "ZZ": 2.0, "IX": 0.5})
        [['XX', 'IX'], ['ZZ', 'IZ']]
    """
    groups: list[list[str]] = []
    bases: list[str] = []
    for label in sorted(sizes, key=lambda term: (-round(sizes[term], _DIGITS), term)):
        axes = "".join(_AXIS[letter] for letter in label)
        for place, basis in enumerate(bases):
            if all("I" in pair or pair[0] == pair[1] for pair in zip(axes, basis, strict=True)):
                joint = (a if b == "I" else b for a, b in zip(axes, basis, strict=True))
                bases[place] = "".join(joint)
                groups[place].append(label)
                break
        else:
            bases.append(axes)
            groups.append([label])
    return groups


def _make_group(members: Sequence[str], observables: Sequence[Observable]) -> Group:
    columns = [
        {_AXIS[letter] for letter in column} - {"I"} for column in zip(*members, strict=True)
    ]
    axes = "".join(next(iter(column), "I") for column in reversed(columns))
    measured = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
    table = np.zeros((len(observables), 2 ** len(measured)))
    for label in members:
        coefficients = np.array([observable.get(label, 0.0) for observable in observables])
        table += np.outer(coefficients, _outcomes(label, measured))
    prior = sum(observable.get(label, 0.0) ** 2 for observable in observables for label in members)
    return Group(axes, table, float(prior))


def _outcomes(label: str, measured: Sequence[int]) -> Array:
    """The value of a term for every outcome; bit k belongs to the k-th measured qubit."""
    letters = [label[-1 - qubit] for qubit in reversed(measured)]
    values = np.ones(1)
    for letter in letters:
        values = np.kron(values, np.array(_FACTOR.get(letter, (1.0, 1.0))))
    return values


def _digest(observables: Sequence[Observable]) -> str:
    text = repr([sorted((label, float(c)) for label, c in o.items()) for o in observables])
    return hashlib.sha256(text.encode()).hexdigest()


def make_batches(pub: EstimatorPub) -> list[Batch]:
    """Divide the points of a pub by the observables that are wanted there."""
    if pub.observables.size == 1:  # the common case, without a look at every point
        every = np.arange(pub.parameter_values.size)
        return [Batch(every, (0,), every, every, np.zeros_like(every))]
    points = np.arange(pub.parameter_values.size).reshape(pub.parameter_values.shape)
    observables = np.arange(pub.observables.size).reshape(pub.observables.shape)
    point_at, observable_at = (a.ravel() for a in np.broadcast_arrays(points, observables))
    wanted: dict[int, set[int]] = {}
    for point, observable in zip(point_at.tolist(), observable_at.tolist(), strict=True):
        wanted.setdefault(point, set()).add(observable)
    members: dict[tuple[int, ...], list[int]] = {}
    for point, some in wanted.items():
        members.setdefault(tuple(sorted(some)), []).append(point)
    return [_make_batch(key, some, point_at, observable_at) for key, some in members.items()]


def _make_batch(
    observables: tuple[int, ...],
    points: list[int],
    point_at: NDArray[np.int_],
    observable_at: NDArray[np.int_],
) -> Batch:
    rows_of = np.sort(np.array(points))
    where = np.flatnonzero(np.isin(point_at, rows_of))
    rows = np.searchsorted(rows_of, point_at[where])
    columns = np.searchsorted(np.array(observables), observable_at[where])
    return Batch(rows_of, observables, where, rows, columns)


def count_backend_bases(pub: EstimatorPub, grouped: bool = True) -> int:
    """Count the circuits that an estimator on a backend runs for a pub.

    It groups all terms wanted at a point, the identity among them, by qubit-wise commutation;
    this repeats its grouping term by term, because another order may give another number.

    Args:
        pub: A pub as it is submitted, laid out on the backend's qubits.
        grouped: Whether terms are grouped at all.
    """
    circuits = 0
    observables = pub.observables.ravel()
    for batch in make_batches(pub):
        labels = sorted({label for index in batch.observables for label in observables[index]})
        paulis = PauliList([Pauli("".join(_AXIS[c] for c in label)) for label in labels])
        bases = len(paulis.group_commuting(qubit_wise=True)) if grouped else len(paulis)
        circuits += len(batch.points) * bases
    return circuits
