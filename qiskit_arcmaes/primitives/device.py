"""Noise models and fake devices: Aer runs every shot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import ClassicalRegister, QuantumCircuit
from qiskit.primitives import SamplerPubResult
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit_aer import AerSimulator
from qiskit_aer.primitives import SamplerV2 as AerSampler

from qiskit_arcmaes.primitives.bindings import columns
from qiskit_arcmaes.primitives.cache import Cache, fingerprint
from qiskit_arcmaes.primitives.engines import Outcome, PubTask, generator_state, restore_generator
from qiskit_arcmaes.primitives.exact_sampler import SamplerTask, sampler_cost
from qiskit_arcmaes.primitives.groups import Group, Plan
from qiskit_arcmaes.primitives.ledger import Cost, Ledger
from qiskit_arcmaes.primitives.measuring import join_samples
from qiskit_arcmaes.primitives.merging import Merger
from qiskit_arcmaes.primitives.planning import EstimatorTask, PlannedEstimator, PointSet
from qiskit_arcmaes.primitives.transpiling import Transpiler
from qiskit_arcmaes.primitives.unrolling import can_set

Array = NDArray[np.float64]


def as_simulator(backend: Any) -> AerSimulator:
    """Aer's simulator of a device; a simulator is taken as it is."""
    if isinstance(backend, AerSimulator):
        return backend
    if not hasattr(backend, "target"):
        raise TypeError(
            f"backend must be an AerSimulator or a BackendV2 to simulate, not {backend!r}; pass a "
            "primitive as the first argument instead."
        )
    return AerSimulator.from_backend(backend)


def _draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 2**31 - 1))


class DeviceEstimator(PlannedEstimator):
    """Runs one measured circuit for each group on a noisy simulator.

    Variances are those that the shots show, so they are unknown at one shot.

    Args:
        simulator: What runs the shots.
        rng: Where the seed of every job comes from.
        transpiler: Transpiles for the simulator.
    """

    min_shots = 2

    def __init__(
        self, simulator: AerSimulator, rng: np.random.Generator, transpiler: Transpiler
    ) -> None:
        super().__init__()
        self._simulator = simulator
        self._rng = rng
        self._transpiler = transpiler
        self._measured: Cache[list[QuantumCircuit]] = Cache()

    def run(self, tasks: Sequence[EstimatorTask], ledger: Ledger) -> Outcome:
        """Run the tasks as one job."""
        outcome = super().run(tasks, ledger)
        known = min(task.shots for task in tasks) > 1
        return Outcome(outcome.results, outcome.variances if known else None)

    def _measure(self, task: EstimatorTask, some: PointSet, plan: Plan) -> tuple[Array, Array]:
        """Values and their variances, both of shape (points, observables)."""
        values = np.tile(plan.constants, (len(some.points), 1))
        variances = np.zeros_like(values)
        if not plan.groups:
            return values, variances
        points = task.pub.parameter_values.ravel()[some.points]
        runs = [
            run
            for circuit in self._circuits(task.pub.circuit, plan)
            for run in _runs(circuit, points)
        ]
        result = self._simulator.run(
            [circuit for circuit, _ in runs],
            parameter_binds=[binds for _, binds in runs],
            shots=task.shots,
            seed_simulator=_draw_seed(self._rng),
        ).result()
        if not result.success:
            raise RuntimeError(f"Aer could not run the circuits: {result.status}.")
        counts = iter(entry.data.counts for entry in result.results)
        others = task.pub.circuit.num_clbits
        for group in plan.groups:
            for row in range(len(some.points)):
                mean, scatter = _moments(next(counts), others, group)
                values[row] += mean
                variances[row] += scatter / (task.shots - 1) if task.shots > 1 else np.nan
        return values, variances

    def _circuits(self, circuit: QuantumCircuit, plan: Plan) -> list[QuantumCircuit]:
        """One transpiled circuit for each group."""
        key = (fingerprint(circuit), plan.digest)
        known = self._measured.get(key)
        if known is None:
            bases = [group.axes for group in plan.groups]
            circuits = [self._transpiler.circuit(measured(circuit, axes)) for axes in bases]
            known = self._measured.add(key, circuits)
        return known

    @property
    def state(self) -> dict[str, Any]:
        """The random state."""
        return {"rng": generator_state(self._rng)}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])


class DeviceSampler:
    """Lets Aer's sampler run every shot, with a new seed for every job.

    Args:
        simulator: What runs the shots.
        rng: Where the seed of every job comes from.
        transpiler: Transpiles for the simulator.
    """

    reports_variances = False
    min_shots = 1
    seed_check_shots = 0

    def __init__(
        self, simulator: AerSimulator, rng: np.random.Generator, transpiler: Transpiler
    ) -> None:
        self._simulator = simulator
        self._rng = rng
        self._transpiler = transpiler
        self._merger = Merger()

    def cost(self, tasks: Sequence[SamplerTask]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        return sampler_cost(tasks)

    def run(self, tasks: Sequence[SamplerTask], ledger: Ledger) -> Outcome:
        """Run the tasks as one job."""
        merged = self._merger.merge(tasks)
        outcome = Outcome(merged.split(self.sample(merged.tasks)))
        cost = self.cost(tasks)
        ledger.charge(cost.circuits, cost.shots)
        return outcome

    def sample(self, tasks: Sequence[PubTask[SamplerPub]]) -> list[SamplerPubResult]:
        """Run the tasks without charging them."""
        sampler = AerSampler.from_backend(self._simulator, seed=_draw_seed(self._rng))
        pubs = [self._transpiler.sampler_pub(task.pub, task.shots) for task in tasks]
        spread = [_spread(pub) for pub in pubs]
        results = iter(sampler.run([pub for some in spread for pub in some]).result())
        return [
            join_samples(pub.shape, [next(results) for _ in some])
            for pub, some in zip(pubs, spread, strict=True)
        ]

    @property
    def state(self) -> dict[str, Any]:
        """The random state."""
        return {"rng": generator_state(self._rng)}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])


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


def _runs(
    circuit: QuantumCircuit, points: BindingsArray
) -> list[tuple[QuantumCircuit, dict[Any, list[float]]]]:
    """Circuits and their ``parameter_binds`` that give one result for each point, in order."""
    values = columns(points, circuit.parameters)
    if circuit.num_parameters and can_set(circuit):
        return [(circuit, {p: values[:, i].tolist() for i, p in enumerate(circuit.parameters)})]
    return [(circuit.assign_parameters(row), {}) for row in values]


def _spread(pub: SamplerPub) -> list[SamplerPub]:
    """A pub for each point where Aer could not set the parameters; otherwise the pub itself."""
    if can_set(pub.circuit):
        return [pub]
    bound = pub.parameter_values.bind_all(pub.circuit).ravel()
    return [SamplerPub(circuit, shots=pub.shots) for circuit in bound]


def _moments(counts: Mapping[str, int], others: int, group: Group) -> tuple[Array, Array]:
    """Mean and mean squared deviation of each observable over the shots of one circuit.

    The group was measured into the last bits, after ``others`` of the circuit's own.
    """
    outcomes = [int(outcome, 16) >> others for outcome in counts]
    shares = np.array(list(counts.values()), dtype=float)
    shares /= shares.sum()
    seen = group.at(outcomes)
    mean = seen @ shares
    return mean, np.square(seen - mean[:, None]) @ shares
