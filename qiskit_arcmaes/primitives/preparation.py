"""How a loss prepares its states: one circuit, and its angles as functions of the point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray

from qiskit_arcmaes.primitives.cache import fingerprint
from qiskit_arcmaes.primitives.linear_map import LinearMap, UnknownLossError, find_linear_map
from qiskit_arcmaes.primitives.templates import Bound, put_together, take_apart

Array = NDArray[np.float64]
DryRun = Callable[[Array], Sequence[Any]]
"""Takes points of shape (n, d) and returns the pubs that the loss would run at them."""

_SAME_ANGLE = 1e-9  # relative to the largest: angles that differ by rounding alone


@dataclass(frozen=True, eq=False)
class Preparation:
    """A circuit whose parameters are linear in the point.

    Attributes:
        circuit: A circuit with free parameters.
        parameters: Its parameters, in the order of the map's rows.
        values: The map from the point to their values.
        read: Reads these values from pubs, shape (n, parameters); raises ``UnknownLossError``
            where pubs hold another circuit.
    """

    circuit: QuantumCircuit
    parameters: tuple[Parameter, ...]
    values: LinearMap
    read: Callable[[Sequence[Any]], Array]

    def bind(self, points: Array) -> BindingsArray:
        """The parameters at points of shape (n, d)."""
        return BindingsArray({self.parameters: self.values.at(points)}, shape=(len(points),))

    def made(self, pubs: Sequence[Any], points: Array) -> bool:
        """Whether pubs prepare the states of some points, in order."""
        try:
            seen = self.read(pubs)
        except UnknownLossError:
            return False
        wanted = self.values.at(points)
        scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
        return seen.shape == wanted.shape and np.allclose(
            seen, wanted, rtol=0.0, atol=_SAME_ANGLE * scale
        )


def find_preparation(
    dry_run: DryRun, x0: Array, most_parameters: Callable[[int], int]
) -> Preparation:
    """Find out how the states are prepared, by looking at what the loss would run.

    Args:
        dry_run: What it would run.
        x0: Where to look, shape (d,).
        most_parameters: The largest d for which one more circuit per parameter may be looked at,
            given the number of gates of a bound circuit; 0 gates stand for a circuit with free
            parameters.

    Raises:
        UnknownLossError: When it runs different circuits, or angles are not linear in the point.
    """
    first = dry_run(x0[None])[0].circuit
    if first.num_parameters:
        read = _parameter_reader(first)
        found = find_linear_map(_numbers(dry_run, read), x0, most_parameters(0))
        return Preparation(first, tuple(first.parameters), found, read)
    return _from_bound(_taken_apart([first])[0], dry_run, x0, most_parameters)


def _from_bound(
    first: Bound, dry_run: DryRun, x0: Array, most_parameters: Callable[[int], int]
) -> Preparation:
    """Bound circuits differ in their angles: those that vary become parameters."""

    def every(pubs: Sequence[Any]) -> Array:
        bound = _taken_apart([pub.circuit for pub in pubs])
        if any(one.structure != first.structure for one in bound):
            raise UnknownLossError("bound circuits that differ in more than their angles")
        return np.array([one.angles for one in bound])

    most = most_parameters(len(first.structure.steps))
    found = find_linear_map(_numbers(dry_run, every), x0, most)
    varies = np.diff(found.matrix.indptr) > 0
    if not varies.any():
        raise UnknownLossError("circuits that do not depend on the point")
    template = put_together(first)
    angles = list(template.parameters)
    template.assign_parameters(
        {a: v for a, v, free in zip(angles, first.angles, varies, strict=True) if not free},
        inplace=True,
    )
    constants = first.angles[~varies]

    def read(pubs: Sequence[Any]) -> Array:
        seen = every(pubs)
        if not np.array_equal(seen[:, ~varies], np.tile(constants, (len(seen), 1))):
            raise UnknownLossError("bound circuits with other constants")
        return np.asarray(seen[:, varies])

    free = tuple(angle for angle, is_free in zip(angles, varies, strict=True) if is_free)
    return Preparation(template, free, LinearMap(found.matrix[varies], found.offset[varies]), read)


def _numbers(dry_run: DryRun, read: Callable[[Sequence[Any]], Array]) -> Callable[[Array], Array]:
    def numbers(points: Array) -> Array:
        seen = read(dry_run(points))
        if len(seen) != len(points):
            raise UnknownLossError(f"{len(seen)} states for {len(points)} points")
        return seen

    return numbers


def _parameter_reader(circuit: QuantumCircuit) -> Callable[[Sequence[Any]], Array]:
    parameters, key = list(circuit.parameters), fingerprint(circuit)

    def read(pubs: Sequence[Any]) -> Array:
        for pub in pubs:
            if pub.circuit is not circuit and fingerprint(pub.circuit) != key:
                raise UnknownLossError("several circuits")
        arrays = [pub.parameter_values.as_array(parameters) for pub in pubs]
        return np.concatenate([np.reshape(array, (-1, len(parameters))) for array in arrays])

    return read


def _taken_apart(circuits: Sequence[QuantumCircuit]) -> list[Bound]:
    bound = [take_apart(circuit) for circuit in circuits]
    known = [one for one in bound if one is not None]
    if len(known) != len(bound):
        raise UnknownLossError("a circuit of more than standard gates")
    return known
