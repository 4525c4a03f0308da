"""Many bound circuits as one parameterised circuit.

QAOA submits one bound circuit for each point. They differ only in their angles: taken together
they are one circuit that is translated and transpiled once, and run at many points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.primitives import DataBin, SamplerPubResult
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.primitives.cache import Cache
from qiskit_arcmaes.primitives.engines import PubTask
from qiskit_arcmaes.primitives.templates import Bound, Structure, put_together, take_apart

SamplerTask = PubTask[SamplerPub]


@dataclass(frozen=True)
class Merged:
    """Fewer tasks in the place of many.

    Attributes:
        tasks: What is to be run.
        origins: For each original task, which of ``tasks`` holds it and at which point of it, or
            None when it was left as it is.
        circuits: The original circuits.
    """

    tasks: list[SamplerTask]
    origins: list[tuple[int, int | None]]
    circuits: list[QuantumCircuit]

    def split(self, results: Sequence[SamplerPubResult]) -> list[SamplerPubResult]:
        """Give each original task its own result."""
        return [
            results[task] if point is None else _pick(results[task], point, circuit)
            for (task, point), circuit in zip(self.origins, self.circuits, strict=True)
        ]


class Merger:
    """Merges tasks with bound circuits of the same structure and the same shots."""

    def __init__(self) -> None:
        self._templates: Cache[QuantumCircuit] = Cache()

    def merge(self, tasks: Sequence[SamplerTask]) -> Merged:
        """Merge what can be merged, leave the rest as it is."""
        kept: list[SamplerTask | None] = []
        shared: dict[tuple[Structure, int], tuple[int, list[Bound]]] = {}
        origins: list[tuple[int, int | None]] = []
        for task in tasks:
            bound = take_apart(task.pub.circuit) if task.pub.shape == () else None
            if bound is None or not bound.angles.size:
                origins.append((len(kept), None))
                kept.append(task)
                continue
            key = (bound.structure, task.shots)
            if key not in shared:
                shared[key] = (len(kept), [])
                kept.append(None)
            place, members = shared[key]
            origins.append((place, len(members)))
            members.append(bound)
        joined = {p: self._join(members, key[1]) for key, (p, members) in shared.items()}
        done = [joined[place] if task is None else task for place, task in enumerate(kept)]
        return Merged(done, origins, [task.pub.circuit for task in tasks])

    def _join(self, members: list[Bound], shots: int) -> SamplerTask:
        first = members[0]
        template = self._templates.get(first.structure)
        if template is None:
            template = self._templates.add(first.structure, put_together(first))
        values = BindingsArray({tuple(template.parameters): np.stack([m.angles for m in members])})
        return PubTask(SamplerPub(template, values, shots), shots)


def _pick(result: SamplerPubResult, point: int, circuit: QuantumCircuit) -> SamplerPubResult:
    """The result of one point, with the registers of its own circuit."""
    registers = {
        register.name: result.data[f"r{place}"][point]
        for place, register in enumerate(circuit.cregs)
    }
    metadata = {**result.metadata, "circuit_metadata": circuit.metadata}
    return SamplerPubResult(DataBin(**registers, shape=()), metadata=metadata)
