"""Other people's samplers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.primitives import SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.primitives.engines import Outcome, PubTask
from qiskit_arcmaes.primitives.ledger import Account, Cost
from qiskit_arcmaes.primitives.measuring import join_samples
from qiskit_arcmaes.primitives.merging import Merger
from qiskit_arcmaes.primitives.wrapped import PROBE_SHOTS, Wrapped

SamplerTask = PubTask[SamplerPub]


class WrappedSampler(Wrapped):
    """A V2 sampler under shot control.

    Bound circuits of the same structure are submitted as one parameterised circuit, so that a
    backend's circuit is transpiled once and not for every point.

    Args:
        sampler: The sampler.
        shared: The arguments of ``Wrapped`` after the primitive.
    """

    def __init__(self, sampler: Any, *shared: Any) -> None:
        super().__init__(sampler, *shared)
        self._merger = Merger()

    def cost(self, tasks: Sequence[SamplerTask]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        return super().cost(self._merger.merge(tasks).tasks)

    def run(self, tasks: Sequence[SamplerTask], ledger: Account) -> Outcome:
        """Run the tasks, one job after the other."""
        merged = self._merger.merge(tasks)
        return Outcome(merged.split(super().run(merged.tasks, ledger).results))

    def _can_cut(self, task: SamplerTask) -> bool:
        return True

    def _cut(self, task: SamplerTask, part: slice) -> SamplerTask:
        values = task.pub.parameter_values.ravel()[part]
        return PubTask(SamplerPub(task.pub.circuit, values), task.shots)

    def _glue(self, task: SamplerTask, parts: list[SamplerPubResult]) -> SamplerPubResult:
        return join_samples(task.pub.shape, parts)

    def _fit(self, task: SamplerTask) -> SamplerPub:
        return self._transpiler.sampler_pub(task.pub, task.shots)

    def _complaint(self, pubs: Sequence[SamplerPub], result: Any) -> str | None:
        if len(result) != len(pubs):
            return f"{len(result)} results came back for {len(pubs)} pubs"
        for pub, one in zip(pubs, result, strict=True):
            for register in pub.circuit.cregs:
                bits = getattr(one.data, register.name, None)
                if bits is None or bits.shape != pub.shape or bits.num_shots < pub.shots:
                    return (
                        f"register {register.name!r} came back as {bits} for a pub of shape "
                        f"{pub.shape} with {pub.shots} shots"
                    )
        return None

    def _pub_cost(self, pub: SamplerPub, shots: int) -> Cost:
        points = pub.parameter_values.size
        return Cost(points, points, points * shots)

    def _probe(self, points: int) -> SamplerTask:
        qubits = self._probe_qubits()
        circuit, angle = QuantumCircuit(qubits), Parameter("angle")
        for qubit in range(qubits):
            circuit.ry(angle, qubit)
        circuit.measure_all()
        values = np.full((points, 1), np.pi / 2)
        return PubTask(SamplerPub.coerce((circuit, values)), PROBE_SHOTS)

    def _noise(self, result: SamplerPubResult) -> NDArray[Any]:
        bits: NDArray[Any] = result.data.meas.array
        return bits
