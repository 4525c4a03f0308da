"""Pubs that differ only in their parameter values, as one pub with more points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import DataBin, PubResult, SamplerPubResult
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.primitives.engines import Outcome, PubTask

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stack:
    """Fewer tasks in the place of many.

    Attributes:
        tasks: What is to be run.
        places: For each original task, which of ``tasks`` holds it, and in which row of it, or
            None where it was left as it is.
        pubs: The original pubs.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> circuit = real_amplitudes(2, reps=0)
        >>> pubs = [EstimatorPub.coerce((circuit, "ZZ", [t, t])) for t in (0.0, 0.1, 0.2)]
        >>> stacked = stack([PubTask(pub, 100) for pub in pubs])
        >>> stacked.tasks[0].pub.shape, stacked.places
        ((3,), [(0, 0), (0, 1), (0, 2)])
    """

    tasks: list[PubTask[Any]]
    places: list[tuple[int, int | None]]
    pubs: list[Any]

    def split(self, outcome: Outcome) -> list[Outcome]:
        """Give each original task an outcome of its own."""
        counts = Counter(task for task, _ in self.places)
        variances = _by_row(self.tasks, counts, outcome.variances)
        split = []
        for (task, row), pub in zip(self.places, self.pubs, strict=True):
            result = outcome.results[task]
            result = result if row is None else _pick(result, row, pub)
            spread = None if variances is None else variances[task][row or 0]
            split.append(Outcome([result], spread))
        return split


def stack(tasks: Sequence[PubTask[Any]]) -> Stack:
    """Join the tasks that differ only in their parameter values; the others stay alone.

    Args:
        tasks: Tasks of an estimator or of a sampler, not both.
    """
    members: dict[Hashable, list[int]] = {}
    labels = _Observables()
    for index, task in enumerate(tasks):
        pub, values = task.pub, task.pub.parameter_values
        alone = None if values.num_parameters else index  # bound: there is nothing to join
        seen = labels.number(pub) if isinstance(pub, EstimatorPub) else None
        key = (id(pub.circuit), seen, tuple(values.data), values.shape, task.shots, alone)
        members.setdefault(key, []).append(index)
    places: dict[int, tuple[int, int | None]] = {}
    for place, mates in enumerate(members.values()):
        single = len(mates) == 1
        places |= {index: (place, None if single else row) for row, index in enumerate(mates)}
    joined = [_join([tasks[index] for index in mates]) for mates in members.values()]
    return Stack(joined, [places[i] for i in range(len(tasks))], [task.pub for task in tasks])


class _Observables:
    """Numbers arrays of observables, the same number for equal ones."""

    def __init__(self) -> None:
        self._known: list[tuple[Any, Any]] = []

    def number(self, pub: EstimatorPub) -> int:
        for number, (array, _) in enumerate(self._known):
            if array is pub.observables:
                return number
        listed = pub.observables.tolist()
        for number, (_, content) in enumerate(self._known):
            if content == listed:
                return number
        self._known.append((pub.observables, listed))
        return len(self._known) - 1


def _join(mates: list[PubTask[Any]]) -> PubTask[Any]:
    """One task with a row for each of several."""
    first = mates[0]
    if len(mates) == 1:
        return first
    ndim = len(first.pub.shape)
    rows = {
        names: np.stack([_padded(mate.pub.parameter_values.data[names], ndim) for mate in mates])
        for names in first.pub.parameter_values.data
    }
    shape = (len(mates), *_padded_shape(first.pub.parameter_values.shape, ndim))
    values = BindingsArray(rows, shape=shape)
    if isinstance(first.pub, SamplerPub):
        return PubTask(SamplerPub(first.pub.circuit, values, first.pub.shots), first.shots)
    pub = EstimatorPub(first.pub.circuit, first.pub.observables, values, first.pub.precision)
    return PubTask(pub, first.shots)


def _padded(values: Array, ndim: int) -> Array:
    """Values of shape (*points, parameters) with as many axes of points as the pub has."""
    return values.reshape((*_padded_shape(values.shape[:-1], ndim), values.shape[-1]))


def _padded_shape(shape: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    return (1,) * (ndim - len(shape)) + shape


def _by_row(
    tasks: Sequence[PubTask[Any]], counts: Mapping[int, int], variances: Array | None
) -> list[Array] | None:
    """The variances of each row of each task, given how many rows it has."""
    if variances is None:
        return None
    sizes = [int(np.prod(task.pub.shape)) for task in tasks]
    parts = np.split(variances, np.cumsum(sizes)[:-1])
    rows = [counts.get(place, 1) for place in range(len(tasks))]
    return [part.reshape(count, -1) for part, count in zip(parts, rows, strict=True)]


def _pick(result: Any, row: int, pub: Any) -> Any:
    """The result of one row, in the shape of its own pub."""
    data = {name: result.data[name][row] for name in result.data}
    kind = SamplerPubResult if isinstance(pub, SamplerPub) else PubResult
    return kind(DataBin(**data, shape=pub.shape), metadata=dict(result.metadata))
