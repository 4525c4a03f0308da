"""The built-in sampler: exact shots for a whole batch of points at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives import DataBin, SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.primitives.cache import Cache, fingerprint
from qiskit_arcmaes.primitives.engines import Outcome, PubTask, generator_state, restore_generator
from qiskit_arcmaes.primitives.ledger import Account, Cost
from qiskit_arcmaes.primitives.measuring import Readout, pack, read_measurements
from qiskit_arcmaes.primitives.merging import Merger
from qiskit_arcmaes.primitives.states import StateSimulator, probabilities

SamplerTask = PubTask[SamplerPub]


def sampler_cost(tasks: Sequence[SamplerTask]) -> Cost:
    """Every point is one circuit."""
    sizes = [task.pub.parameter_values.size for task in tasks]
    shots = sum(size * task.shots for size, task in zip(sizes, tasks, strict=True))
    return Cost(sum(sizes), sum(sizes), shots)


class ExactSampler:
    """Simulates the states, then draws every shot from the exact probabilities.

    Args:
        rng: Where all randomness comes from.
        dynamic: Runs the circuits that measure before their end.
    """

    reports_variances = False
    min_shots = 1
    seed_check_shots = 0

    def __init__(self, rng: np.random.Generator, dynamic: Any) -> None:
        self._rng = rng
        self._dynamic = dynamic
        self._simulator = StateSimulator()
        self._readouts: Cache[Readout | None] = Cache()
        self._merger = Merger()

    def cost(self, tasks: Sequence[SamplerTask]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        return sampler_cost(tasks)

    def run(self, tasks: Sequence[SamplerTask], ledger: Account) -> Outcome:
        """Run the tasks as one job."""
        merged = self._merger.merge(tasks)
        outcome = Outcome(merged.split([self._run_task(task) for task in merged.tasks]))
        cost = self.cost(tasks)
        ledger.charge(cost.circuits, cost.shots)
        return outcome

    def _run_task(self, task: SamplerTask) -> SamplerPubResult:
        circuit = task.pub.circuit
        readout = self._readout(fingerprint(circuit), circuit)
        if readout is None:
            return self._dynamic.sample([task])[0]
        outcomes = self._draw(task, readout)
        registers = {name: pack(outcomes, bits) for name, bits in readout.registers}
        metadata = {"shots": task.shots, "circuit_metadata": circuit.metadata}
        return SamplerPubResult(DataBin(**registers, shape=task.pub.shape), metadata=metadata)

    def _readout(self, key: Hashable, circuit: QuantumCircuit) -> Readout | None:
        if key in self._readouts:
            return self._readouts[key]
        return self._readouts.add(key, read_measurements(circuit))

    def _draw(self, task: SamplerTask, readout: Readout) -> NDArray[np.int32]:
        """Outcomes, shape (*pub, shots), in the order in which they were drawn."""
        values = task.pub.parameter_values
        outcomes = np.zeros((values.size, task.shots), dtype=np.int32)
        if "Z" in readout.basis:
            for part, states in self._simulator.states(readout.unitary, values):
                _, chances = next(probabilities(states, [readout.basis]))
                for row, chance in zip(outcomes[part], chances, strict=True):
                    ladder = np.cumsum(chance)
                    row[:] = np.searchsorted(
                        ladder / ladder[-1], self._rng.random(task.shots), side="right"
                    )
        return outcomes.reshape((*values.shape, task.shots))

    @property
    def state(self) -> dict[str, Any]:
        """The random state."""
        return {"rng": generator_state(self._rng)}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        restore_generator(self._rng, state["rng"])
