"""The estimator on noise models and fake devices: Aer runs every shot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import ClassicalRegister, QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit_aer import AerSimulator

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.allocation import Allocation
from qiskit_arcmaes.primitives.bindings import at, columns
from qiskit_arcmaes.primitives.cache import Cache, fingerprint
from qiskit_arcmaes.primitives.engines import Outcome, generator_state, restore_generator
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.groups import Plan
from qiskit_arcmaes.primitives.ledger import Account
from qiskit_arcmaes.primitives.planning import EstimatorTask, PlannedEstimator, PointSet
from qiskit_arcmaes.primitives.simulators import draw_seed
from qiskit_arcmaes.primitives.transpiling import Transpiler
from qiskit_arcmaes.primitives.unrolling import can_set

Array = NDArray[np.float64]
Bound = tuple[QuantumCircuit, dict[Any, list[float]]]
"""A circuit and its ``parameter_binds``."""


class DeviceEstimator(PlannedEstimator):
    """Runs one measured circuit for each group on a noisy simulator.

    Variances are those that the shots show, so they are unknown at one shot.

    Args:
        simulator: What runs the shots.
        rng: Where the seed of every job comes from.
        transpiler: Transpiles for the simulator.
        weighted: Whether shots go to the groups in proportion to what they scattered before.
    """

    min_shots = 2

    def __init__(
        self,
        simulator: AerSimulator,
        rng: np.random.Generator,
        transpiler: Transpiler,
        weighted: bool = True,
    ) -> None:
        super().__init__()
        self._allocation = Allocation() if weighted else None
        self._simulator = simulator
        self._rng = rng
        self._transpiler = transpiler
        self._measured: Cache[list[QuantumCircuit]] = Cache()

    def run(self, tasks: Sequence[EstimatorTask], ledger: Account) -> Outcome:
        """Run the tasks as one job."""
        outcome = super().run(tasks, ledger)
        known = min(task.shots for task in tasks) > 1
        return Outcome(outcome.results, outcome.variances if known else None)

    def _measure(self, task: EstimatorTask, some: PointSet, plan: Plan) -> tuple[Array, Array]:
        """Values and their variances, both of shape (points, observables)."""
        values = np.tile(plan.constants, (len(some.points), 1))
        variances = np.zeros_like(values)
        points = at(task.pub.parameter_values, some.points)
        bases = tuple(group.axes for group in plan.groups)
        shots = self._divide(plan, task.shots)
        scatter = np.zeros(len(bases))
        every = np.tile(shots, (len(some.points), 1))
        for row, group, outcomes, counts in self._sample(task.pub.circuit, bases, points, every):
            mean, deviation = _moments(plan.groups[group].values(outcomes), counts)
            values[row] += mean
            variances[row] += deviation / (shots[group] - 1) if task.shots > 1 else np.nan
            scatter[group] += shots[group] * deviation.sum()
        if self._allocation is not None:
            self._allocation.learn(plan, scatter, (shots - 1) * len(some.points))
        return values, variances

    def _divide(self, plan: Plan, shots: int) -> NDArray[np.int64]:
        """Shots of each group: at least two, so that the variance is known, where there are two."""
        if self._allocation is None or not plan.groups:
            return np.full(len(plan.groups), shots)
        return self._allocation.shots(plan, shots, min(shots, self.min_shots))

    def _measure_groups(self, task: GroupTask) -> GroupEstimate:
        plan, readout = task.plan, task.readout
        estimate = readout.empty(plan)
        counted = self._sample(task.circuit, readout.terms.axes, task.values, plan.shots)
        for row, group, outcomes, counts in counted:
            readout.fill_seen(estimate, plan, group, row, outcomes, counts)
        return estimate

    def _sample(
        self,
        circuit: QuantumCircuit,
        bases: tuple[str, ...],
        points: BindingsArray,
        shots: NDArray[np.int64],
    ) -> Iterator[tuple[int, int, list[int], NDArray[np.int64]]]:
        """Run Aer once for every shot count that occurs.

        Args:
            circuit: Prepares the states.
            bases: What each group measures.
            points: The parameter sets.
            shots: Of each point in each group; where it is 0 nothing is run.

        Yields:
            The point, the group, the outcomes that were seen there, and how often.
        """
        if not shots.any():
            return
        circuits, others = self._circuits(circuit, bases), circuit.num_clbits
        for count in np.unique(shots[shots > 0]).tolist():
            groups = [(g, np.flatnonzero(shots[:, g] == count)) for g in range(len(bases))]
            groups = [(group, rows) for group, rows in groups if rows.size]
            runs = [run for g, rows in groups for run in _runs(circuits[g], at(points, rows))]
            entries = iter(self._run_once(runs, count))
            for group, rows in groups:
                for row in rows.tolist():
                    seen = next(entries).data.counts
                    outcomes = [int(outcome, 16) >> others for outcome in seen]
                    yield row, group, outcomes, np.array(list(seen.values()))

    def _run_once(self, runs: Sequence[Bound], shots: int) -> list[Any]:
        """Aer's results of some circuits at some points, with a new seed."""
        result = self._simulator.run(
            [circuit for circuit, _ in runs],
            parameter_binds=[binds for _, binds in runs],
            shots=shots,
            seed_simulator=draw_seed(self._rng),
        ).result()
        if not result.success:
            raise RuntimeError(f"Aer could not run the circuits: {result.status}.")
        return list(result.results)

    def _circuits(self, circuit: QuantumCircuit, bases: tuple[str, ...]) -> list[QuantumCircuit]:
        """One transpiled circuit for each group."""
        key = (fingerprint(circuit), bases)
        known = self._measured.get(key)
        if known is None:
            circuits = [self._transpiler.circuit(measured(circuit, axes)) for axes in bases]
            known = self._measured.add(key, circuits)
        return known

    @property
    def state(self) -> dict[str, Any]:
        """The random state and what is known of the groups' scatter."""
        known = {} if self._allocation is None else self._allocation.state
        return {"rng": generator_state(self._rng), "allocation": known}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])
        if self._allocation is not None:
            self._allocation.state = state["allocation"]


def measured(circuit: QuantumCircuit, axes: str) -> QuantumCircuit:
    """The circuit with a measurement of the given axes at its end, qubit 0 first.

    Example:
        >>> measured(QuantumCircuit(2), "IX").num_clbits
        1
    """
    places = [qubit for qubit, axis in enumerate(axes) if axis != "I"]
    whole = circuit.copy()
    register = ClassicalRegister(len(places))
    whole.add_register(register)
    for bit, qubit in enumerate(places):
        if axes[qubit] == "Y":
            whole.sdg(qubit)
        if axes[qubit] in "XY":
            whole.h(qubit)
        whole.measure(qubit, register[bit])
    return whole


def _runs(circuit: QuantumCircuit, points: BindingsArray) -> list[Bound]:
    """Circuits and their ``parameter_binds`` that give one result for each point, in order."""
    values = columns(points, circuit.parameters)
    if circuit.num_parameters and can_set(circuit):
        return [(circuit, {p: values[:, i].tolist() for i, p in enumerate(circuit.parameters)})]
    return [(circuit.assign_parameters(row), {}) for row in values]


def _moments(seen: Array, counts: NDArray[np.int64]) -> tuple[Array, Array]:
    """Mean and mean squared deviation of each observable over the shots of one circuit.

    Args:
        seen: What each outcome that was seen adds to each observable.
        counts: How often it was seen.
    """
    shares = counts / counts.sum()
    mean = seen @ shares
    return mean, np.square(seen - mean[:, None]) @ shares
