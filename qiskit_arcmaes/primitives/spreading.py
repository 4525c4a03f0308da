"""The circuits of a batch spread over the workers of an executor.

Workers simulate and return probabilities; the parent draws all shots from its one generator, in
the order in which it would have drawn them alone. So the result does not depend on the executor,
bit for bit.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray

from qiskit_arcmaes.primitives.bindings import at
from qiskit_arcmaes.primitives.states import (
    Chances,
    StateSimulator,
    points_at_once,
    probabilities,
)

Array = NDArray[np.float64]
_TRIES = 3  # of a batch, each with new workers
_AHEAD = 1  # parts that the workers simulate while the parent draws the shots of another


class LostWorkersWarning(UserWarning):
    """The workers of an executor were lost; the batch was run again.

    Example:
        >>> issubclass(LostWorkersWarning, UserWarning)
        True
    """


@dataclass(frozen=True)
class _Share:
    """What one worker gets: a circuit, some of its points, and the bases to measure in."""

    circuit: QuantumCircuit
    values: BindingsArray
    bases: tuple[str, ...]


@dataclass(frozen=True)
class _Submitted:
    """What is under way, and where."""

    executor: Executor
    futures: list[Future[Chances]]


class Spreader:
    """Simulates circuits on the workers of an executor.

    Args:
        executor: Any ``concurrent.futures.Executor`` whose workers can import this package. A
            ``ProcessPoolExecutor`` that has lost a worker is replaced by one of its kind; where
            another executor is broken for good, this process goes on alone.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> from qiskit.circuit.library import real_amplitudes
        >>> circuit = real_amplitudes(2, reps=0)
        >>> values = BindingsArray({tuple(circuit.parameters): [[0.0, 0.0], [np.pi, 0.0]]})
        >>> with ThreadPoolExecutor(2) as executor:
        ...     ((part, chances),) = Spreader(executor).parts(circuit, values, ["ZI"])
        >>> part, chances.of_bases[0][1].round(6).tolist()
        (slice(0, 2, None), [[1.0, 0.0], [0.0, 1.0]])
    """

    def __init__(self, executor: Executor) -> None:
        if not isinstance(executor, Executor):
            raise TypeError(
                f"executor must be a concurrent.futures.Executor, not {executor!r}; for a Dask "
                "client pass client.get_executor()."
            )
        self._executor: Executor | None = executor

    def parts(
        self, circuit: QuantumCircuit, values: BindingsArray, bases: Sequence[str]
    ) -> Iterator[tuple[slice, Chances]]:
        """The probabilities at the points, in the same parts as one process would take them.

        Args:
            circuit: A circuit of gates only.
            values: The parameter sets; they are flattened.
            bases: What is measured on each qubit, qubit 0 first.

        Returns:
            Yields which points, and the probabilities in each basis.
        """
        coming: deque[tuple[slice, list[_Share], _Submitted | None]] = deque()
        for part, shares in self._shares(circuit, values, bases):
            coming.append((part, shares, self._submit(shares)))
            if len(coming) > _AHEAD:
                yield self._next(coming)
        while coming:
            yield self._next(coming)

    def _shares(
        self, circuit: QuantumCircuit, values: BindingsArray, bases: Sequence[str]
    ) -> Iterator[tuple[slice, list[_Share]]]:
        """What the workers get, part by part."""
        step = points_at_once(circuit.num_qubits)
        for start in range(0, values.size, step):
            part = slice(start, min(start + step, values.size))
            cuts = np.linspace(part.start, part.stop, self._count(part) + 1).astype(int)
            yield (
                part,
                [
                    _Share(circuit, at(values, np.arange(low, high)), tuple(bases))
                    for low, high in itertools.pairwise(cuts.tolist())
                ],
            )

    def _count(self, part: slice) -> int:
        """How many shares a part is cut into: one per worker, of two points or more."""
        workers: int = getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1
        points: int = part.stop - part.start
        return max(1, min(workers, points // 2))

    def _submit(self, shares: list[_Share]) -> _Submitted | None:
        """Hand the shares of a part over; None where there are no workers any more."""
        while self._executor is not None:
            try:
                futures = [self._executor.submit(_simulate, share) for share in shares]
            except BrokenExecutor as error:
                self._replace(error)
            else:
                return _Submitted(self._executor, futures)
        return None

    def _next(
        self, coming: deque[tuple[slice, list[_Share], _Submitted | None]]
    ) -> tuple[slice, Chances]:
        part, shares, submitted = coming.popleft()
        return part, _join(self._results(shares, submitted))

    def _results(self, shares: list[_Share], submitted: _Submitted | None) -> list[Chances]:
        """Wait for the shares of a part, with new workers where they are lost."""
        for _ in range(_TRIES):
            if submitted is None:
                submitted = self._submit(shares)
            if submitted is None:
                break
            try:
                return [future.result() for future in submitted.futures]
            except BrokenExecutor as error:
                if submitted.executor is self._executor:
                    self._replace(error)
                submitted = None
        return [_simulate(share) for share in shares]

    def _replace(self, error: BrokenExecutor) -> None:
        """Take new workers where that is possible."""
        broken, self._executor = self._executor, None
        if isinstance(broken, ProcessPoolExecutor):
            inner: Any = broken
            self._executor = ProcessPoolExecutor(inner._max_workers, inner._mp_context)
        where = "new workers" if self._executor is not None else "this process"
        warnings.warn(
            f"workers of the executor were lost ({error}); the batch runs again in {where}, with "
            "the same result.",
            LostWorkersWarning,
            stacklevel=2,
        )


@cache
def _simulator() -> StateSimulator:
    """One simulator per worker; it remembers the circuits that it has translated."""
    return StateSimulator()


def _simulate(share: _Share) -> Chances:
    """In a worker: the probabilities of its points."""
    found = [
        list(probabilities(states, share.bases))
        for _, states in _simulator().states(share.circuit, share.values)
    ]
    return Chances(_stacked(found))


def _join(parts: list[Chances]) -> Chances:
    return Chances(_stacked([list(part.of_bases) for part in parts]))


def _stacked(parts: list[list[tuple[int, Array]]]) -> tuple[tuple[int, Array], ...]:
    """The rows of several parts under each other, basis by basis."""
    if len(parts) == 1:
        return tuple(parts[0])
    rows = zip(*parts, strict=True)
    return tuple((same[0][0], np.concatenate([chances for _, chances in same])) for same in rows)
