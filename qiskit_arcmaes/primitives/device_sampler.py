"""The sampler on noise models and fake devices: Aer runs every shot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from qiskit.primitives import SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit_aer import AerSimulator
from qiskit_aer.primitives import SamplerV2 as AerSampler

from qiskit_arcmaes.primitives.engines import Outcome, PubTask, generator_state, restore_generator
from qiskit_arcmaes.primitives.exact_sampler import SamplerTask, sampler_cost
from qiskit_arcmaes.primitives.ledger import Account, Cost
from qiskit_arcmaes.primitives.measuring import join_samples
from qiskit_arcmaes.primitives.merging import Merger
from qiskit_arcmaes.primitives.simulators import draw_seed
from qiskit_arcmaes.primitives.transpiling import Transpiler
from qiskit_arcmaes.primitives.unrolling import can_set


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

    def run(self, tasks: Sequence[SamplerTask], ledger: Account) -> Outcome:
        """Run the tasks as one job."""
        merged = self._merger.merge(tasks)
        outcome = Outcome(merged.split(self.sample(merged.tasks)))
        cost = self.cost(tasks)
        ledger.charge(cost.circuits, cost.shots)
        return outcome

    def sample(self, tasks: Sequence[PubTask[SamplerPub]]) -> list[SamplerPubResult]:
        """Run the tasks without charging them."""
        sampler = AerSampler.from_backend(self._simulator, seed=draw_seed(self._rng))
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


def _spread(pub: SamplerPub) -> list[SamplerPub]:
    """A pub for each point where Aer could not set the parameters; otherwise the pub itself.

    A circuit without parameters at several points is run at the first of them only by Aer.
    """
    if can_set(pub.circuit) and (pub.circuit.num_parameters or pub.size == 1):
        return [pub]
    bound = pub.parameter_values.bind_all(pub.circuit).ravel()
    return [SamplerPub(circuit, shots=pub.shots) for circuit in bound]
