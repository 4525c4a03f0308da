"""Remembering what was computed for a circuit, under keys that no other circuit shares."""

from __future__ import annotations

from collections.abc import Hashable
from operator import attrgetter
from typing import Any, TypeVar

from qiskit.circuit import Parameter, ParameterExpression, QuantumCircuit

Value = TypeVar("Value")

_PLAIN = ("measure", "barrier", "reset")  # instructions that their name describes fully


class Cache(dict[Hashable, Value]):
    """A bounded dictionary that forgets its oldest entry.

    Args:
        size: How many entries are kept, >= 1.

    Example:
        >>> cache = Cache(size=1)
        >>> cache.add("a", 1), cache.get("a"), cache.add("b", 2), cache.get("a")
        (1, 1, 2, None)
        >>> cache.misses
        2
    """

    def __init__(self, size: int = 64) -> None:
        self.misses = 0
        self._size = size

    def add(self, key: Hashable, value: Value) -> Value:
        """Enter a value that was not there, and return it."""
        self.misses += 1
        self[key] = value
        if len(self) > self._size:
            del self[next(iter(self))]
        return value


class Same:
    """Equal only to itself; holds the object, so that its identity cannot be given away again."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)


def fingerprint(circuit: QuantumCircuit) -> Hashable:
    """Make a cache key that two circuits share only when they do the same.

    A circuit changed in place gets another key. Standard gates are compared by name and
    parameters, all other instructions by identity.

    Example:
        >>> a, b = QuantumCircuit(1), QuantumCircuit(1)
        >>> a.rx(0.5, 0) and b.rx(0.5, 0) and (fingerprint(a) == fingerprint(b))
        True
        >>> a.h(0) and (fingerprint(a) == fingerprint(b))
        False
    """
    qubits = dict(zip(circuit.qubits, range(circuit.num_qubits), strict=True))
    clbits = dict(zip(circuit.clbits, range(circuit.num_clbits), strict=True))
    steps = []
    for step in circuit.data:
        plain = step.is_standard_gate() or step.name in _PLAIN
        params = tuple(step.params) if plain else ()
        try:
            hash(params)
        except OverflowError:
            params = tuple(map(settle, params))
        steps.append(
            (
                step.name if plain else Same(step.operation),
                params,
                tuple(map(qubits.__getitem__, step.qubits)),
                tuple(map(clbits.__getitem__, step.clbits)),
            )
        )
    return (
        circuit.num_qubits,
        tuple(map(attrgetter("name", "size"), circuit.cregs)),
        circuit.num_clbits,
        tuple(circuit.parameters),
        Same(circuit.layout) if circuit.layout is not None else None,
        tuple(steps),
    )


def settle(value: Any) -> Any:
    """An angle, as a number where it names parameters, is a negative constant, and has no hash.

    Args:
        value: Any parameter of an instruction.

    Example:
        >>> t = Parameter("t")
        >>> settle(0 * t - 0.5), settle(t)
        (-0.5, Parameter(t))
    """
    if not isinstance(value, ParameterExpression) or isinstance(value, Parameter):
        return value
    try:
        hash(value)
    except OverflowError:
        return float(value.bind(dict.fromkeys(value.parameters, 0.0)))
    return value
