"""Exact states of a circuit at many points, and outcome probabilities in any Pauli basis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.transpiler import TranspilerError, generate_preset_pass_manager
from qiskit_aer import AerSimulator

from qiskit_arcmaes.primitives.bindings import columns
from qiskit_arcmaes.primitives.cache import Cache, fingerprint
from qiskit_arcmaes.primitives.constant_angles import settle_angles
from qiskit_arcmaes.primitives.groups import Plan
from qiskit_arcmaes.primitives.unrolling import expand_lookalikes, unroll_free

Array = NDArray[np.float64]
States = NDArray[np.complex128]

_AMPLITUDES = 2**20  # simulated at once: 16 MB, and as much again for each qubit
_STARTERS = ("reset", "initialize")  # do nothing random on a qubit that is still in |0>


@dataclass(frozen=True)
class DrawnMeans:
    """Means of observables over shots.

    Attributes:
        values: The means, shape (points, observables).
        variances: Their true variances, of the same shape.
        scatter: Sums of squared deviations of single shots from their point's mean, one for each
            group.
    """

    values: Array
    variances: Array
    scatter: Array


@dataclass(frozen=True)
class Chances:
    """Outcome probabilities that were computed elsewhere, in the place of states.

    Attributes:
        of_bases: As ``probabilities`` yields them: the index of a basis, and an array of shape
            (points, 2**measured).
    """

    of_bases: tuple[tuple[int, Array], ...]


def points_at_once(qubits: int) -> int:
    """How many points of a circuit are simulated at once.

    Example:
        >>> points_at_once(4), points_at_once(30)
        (65536, 1)
    """
    return max(1, _AMPLITUDES >> qubits)


class StateSimulator:
    """Simulates a circuit without noise at many points in one go.

    One thread: for small circuits Aer's threads cost more than they bring.
    """

    def __init__(self) -> None:
        self._simulator = AerSimulator(method="statevector", max_parallel_threads=1)
        self._prepared: Cache[QuantumCircuit] = Cache()

    @cached_property
    def _translate(self) -> Any:
        """Made when it is needed: it loads every plugin of the transpiler."""
        return generate_preset_pass_manager(0, backend=self._simulator)

    def states(
        self, circuit: QuantumCircuit, values: BindingsArray
    ) -> Iterator[tuple[slice, States]]:
        """The states at the points, a part of them at a time.

        Args:
            circuit: A circuit of gates only.
            values: The parameter sets; they are flattened.

        Returns:
            Yields which points, and their states, shape (points, 2**qubits).
        """
        key = fingerprint(circuit)
        prepared = self._prepared.get(key) or self._prepared.add(key, self._prepare(circuit))
        return self._run(prepared, columns(values, prepared.parameters))

    def _run(self, prepared: QuantumCircuit, points: Array) -> Iterator[tuple[slice, States]]:
        step = points_at_once(prepared.num_qubits)
        for start in range(0, len(points), step):
            part = slice(start, min(start + step, len(points)))
            binds = dict(zip(prepared.parameters, points[part].T.tolist(), strict=True))
            result = self._simulator.run([prepared], parameter_binds=[binds], shots=1).result()
            if not result.success:
                raise RuntimeError(
                    f"Aer could not simulate the circuit: {result.status}. Wide shallow circuits "
                    "run with backend=AerSimulator(method='matrix_product_state')."
                )
            states = np.empty((len(result.results), 2**prepared.num_qubits), dtype=complex)
            for row, entry in zip(states, result.results, strict=True):
                row[:] = entry.data.state
            shape = (part.stop - start, states.shape[1])
            yield part, np.broadcast_to(states, shape) if not binds else states

    def _prepare(self, circuit: QuantumCircuit) -> QuantumCircuit:
        prepared = self._known(expand_lookalikes(circuit))
        check_gates_only(prepared)
        prepared = settle_angles(unroll_free(prepared))
        prepared = prepared.copy() if prepared is circuit else prepared
        prepared.global_phase = 0
        prepared.save_statevector(label="state")
        return prepared

    def _known(self, circuit: QuantumCircuit) -> QuantumCircuit:
        """The circuit out of instructions that Aer knows."""
        target = self._simulator.target
        unknown = [s.name for s in circuit.data if not target.instruction_supported(s.name)]
        if not unknown:
            return circuit
        try:
            return self._translate.run(circuit)
        except TranspilerError as error:
            raise ValueError(
                f"the circuit contains {', '.join(map(repr, dict.fromkeys(unknown)))}, which the "
                "built-in simulator cannot run; give every instruction a definition made of "
                "Qiskit's standard gates."
            ) from error


def draw_means(
    parts: Iterable[tuple[slice, States | Chances]],
    points: int,
    plan: Plan,
    shots: NDArray[np.int64],
    rng: np.random.Generator,
) -> DrawnMeans:
    """Draw the means of observables over shots, from exact probabilities.

    Args:
        parts: Which points, and their states or probabilities.
        points: How many points there are.
        plan: How the observables are measured.
        shots: Shots of each group.
        rng: Where the randomness comes from.
    """
    means = np.tile(plan.constants, (points, 1))
    variances, scatter = np.zeros(means.shape), np.zeros(len(plan.groups))
    bases = [group.axes for group in plan.groups]
    for part, states in parts if bases else ():
        for index, chances in chances_in(states, bases):
            table, drawn = plan.groups[index].table.T, int(shots[index])
            shares = rng.multinomial(drawn, chances) / drawn
            mean = shares @ table
            means[part] += mean
            expected = chances @ table
            variances[part] += (chances @ table**2 - expected**2).clip(min=0) / drawn
            scatter[index] += drawn * (shares @ table**2 - mean**2).clip(min=0).sum()
    return DrawnMeans(means, variances, scatter)


def check_gates_only(circuit: QuantumCircuit) -> None:
    """Refuse a circuit whose final state is random."""
    touched: set[object] = set()
    for step in circuit.data:
        starts = step.name in _STARTERS and touched.isdisjoint(step.qubits)
        if (
            step.is_control_flow()
            or step.name == "measure"
            or (step.name in _STARTERS and not starts)
        ):
            raise ValueError(
                f"the circuit contains {step.name!r}, and the built-in estimator takes circuits "
                "of gates only; remove it, or pass backend=AerSimulator() to sample the circuit."
            )
        touched.update(step.qubits)


def probabilities(states: States, bases: Sequence[str]) -> Iterator[tuple[int, Array]]:
    """Yield the outcome probabilities of the states in several measurement bases.

    Neighbouring bases share their rotations, so that each costs little more than the last qubits
    in which it differs.

    Args:
        states: Shape (points, 2**qubits).
        bases: What is measured on each qubit, qubit 0 first: X, Y, Z, or I for nothing.

    Yields:
        The index of the basis and an array of shape (points, 2**measured), normalised. Bit k of an
        outcome belongs to the k-th measured qubit.

    Example:
        >>> plus = np.array([[1, 1]]) / np.sqrt(2)
        >>> [(i, p.round(6).tolist()) for i, p in probabilities(plus + 0j, ["X", "Z"])]
        [(1, [[0.5, 0.5]]), (0, [[1.0, 0.0]])]
    """
    qubits = len(bases[0]) if bases else 0
    rotated: list[States] = [states] * (qubits + 1)
    turns = [axes.replace("I", "Z") for axes in bases]
    before = "Z" * qubits
    for index in sorted(range(len(bases)), key=turns.__getitem__, reverse=True):
        axes = turns[index]
        same = next((q for q in range(qubits) if axes[q] != before[q]), qubits)
        for qubit in range(same, qubits):
            rotated[qubit + 1] = _rotate(rotated[qubit], qubit, axes[qubit])
        before = axes
        weights = np.square(rotated[-1].real) + np.square(rotated[-1].imag)
        yield index, _marginal(weights, bases[index])


def chances_in(states: States | Chances, bases: Sequence[str]) -> Iterable[tuple[int, Array]]:
    """Outcome probabilities in several bases, as ``probabilities`` yields them, where not known."""
    return states.of_bases if isinstance(states, Chances) else probabilities(states, bases)


def _rotate(states: States, qubit: int, axis: str) -> States:
    """Turn a Pauli axis of one qubit into Z."""
    if axis not in "XY":
        return states
    split = states.reshape(len(states), -1, 2, 2**qubit)
    zero, one = split[:, :, 0], split[:, :, 1]
    if axis == "Y":
        one = -1j * one
    turned = np.empty_like(split)
    np.add(zero, one, out=turned[:, :, 0])
    np.subtract(zero, one, out=turned[:, :, 1])
    turned *= np.sqrt(0.5)
    return turned.reshape(states.shape)


def _marginal(weights: Array, axes: str) -> Array:
    """Sum over the qubits that are not measured, and normalise away rounding."""
    qubits = len(axes)
    cube = weights.reshape((len(weights),) + (2,) * qubits)
    unmeasured = []
    for qubit, axis in enumerate(axes):
        if axis == "I":
            unmeasured.append(qubits - qubit)
    flat = cube.sum(axis=tuple(unmeasured)).reshape(len(weights), -1)
    total: Array = flat / flat.sum(axis=1, keepdims=True)
    return total
