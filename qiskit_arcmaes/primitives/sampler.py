"""The sampler whose shots can be controlled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from qiskit.primitives import BaseEstimatorV2, BaseSamplerV2
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.quantum_info import SparseObservable
from qiskit.quantum_info.operators.base_operator import BaseOperator
from qiskit_aer import AerSimulator

from qiskit_arcmaes import validation
from qiskit_arcmaes.primitives.arguments import check_primitive
from qiskit_arcmaes.primitives.calls import under_way
from qiskit_arcmaes.primitives.control import COUNTED, FinishedJob, ShotControl
from qiskit_arcmaes.primitives.device_sampler import DeviceSampler
from qiskit_arcmaes.primitives.engines import Engine, Outcome, PubTask
from qiskit_arcmaes.primitives.exact_sampler import ExactSampler
from qiskit_arcmaes.primitives.ledger import Account
from qiskit_arcmaes.primitives.retry import RetryPolicy
from qiskit_arcmaes.primitives.seeds import backend_of
from qiskit_arcmaes.primitives.simulators import as_simulator
from qiskit_arcmaes.primitives.stacking import stack
from qiskit_arcmaes.primitives.transpiling import Transpiler
from qiskit_arcmaes.primitives.wrapped import limits_of
from qiskit_arcmaes.primitives.wrapped_sampler import WrappedSampler


class ShotSampler(ShotControl, BaseSamplerV2):
    """A sampler whose shots can be set at any time, and that counts all it runs.

    Alone it draws every shot from the exact probabilities of the circuit; circuits that act on a
    qubit after measuring it are run shot by shot on Aer. With ``backend`` Aer runs every shot
    with the noise of that device. Around another sampler it sets the shots, transpiles the
    measured circuit to the backend, and tries failed jobs again. Bound circuits that differ only
    in their angles, as QAOA submits them, run as one parameterised circuit.

    Energies are computed from the counts outside, so variances are unknown here.

    Args:
        sampler: Any V2 sampler; None for the built-in one.
        shots: Shots for each point, an integer >= 1.
        seed: None, an integer >= 0 or a numpy ``Generator``. Runs repeat, the noise within a
            run does not. Around another sampler it is drawn anew for every job, where the sampler
            can be seeded; a seed of its own that would repeat the noise is refused.
        backend: For the built-in sampler: an ``AerSimulator`` with a noise model, or a device (a
            ``BackendV2``, real or fake) to simulate with its noise.
        pass_manager: What transpiles circuits, anything with ``run(circuit)``; None for Qiskit's
            preset for the backend. Circuits that the backend takes as they are stay as they are.
        optimization_level: The level of that preset, 0 to 3.
        retries: How often a failed job is tried again, >= 0.
        retry_delay: Seconds before the first further try, >= 0, doubled each time up to 300.
        timeout: Seconds to wait for a job whose ``result`` takes a timeout; None waits on.
        max_points_per_job: Split points over several jobs, one after the other, when a service
            limits their size; None never splits.
        max_shots_per_circuit: Run more shots than this in parts and join them, when a service
            limits the shots of a circuit; None never does.
        sleep: What waits between tries, given seconds.

    Raises:
        RepeatedNoiseError: When the wrapped sampler returns the same noise in every call.

    Example:
        >>> from qiskit import QuantumCircuit
        >>> circuit = QuantumCircuit(2)
        >>> _ = circuit.x(0)
        >>> circuit.measure_all()
        >>> sampler = ShotSampler(shots=100, seed=7)
        >>> sampler.run([circuit]).result()[0].data.meas.get_counts()
        {'01': 100}
        >>> sampler.ledger
        Ledger(jobs=1, circuits=1, shots=100, failures=0)
    """

    def __init__(
        self,
        sampler: BaseSamplerV2 | None = None,
        *,
        shots: int = 1024,
        seed: int | np.random.Generator | None = None,
        backend: Any = None,
        pass_manager: Any = None,
        optimization_level: int = 1,
        retries: int = 2,
        retry_delay: float = 1.0,
        timeout: float | None = None,
        max_points_per_job: int | None = None,
        max_shots_per_circuit: int | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if sampler is not None and backend is not None:
            raise ValueError(
                f"backend={backend!r} is for the built-in sampler; leave sampler out, or build it "
                "on that backend."
            )
        policy = RetryPolicy(retries, retry_delay, timeout, sleep)
        if max_points_per_job is not None:
            validation.integer("max_points_per_job", max_points_per_job, 1)
        if max_shots_per_circuit is not None:
            validation.integer("max_shots_per_circuit", max_shots_per_circuit, 1)
        engine: Engine
        if sampler is not None:
            check_primitive(sampler, "sampler", BaseSamplerV2, BaseEstimatorV2)
            engine = WrappedSampler(
                sampler,
                Transpiler(
                    backend_of(sampler), pass_manager, optimization_level, limits_of(sampler)
                ),
                policy,
                max_points_per_job,
                None if seed is None else validation.generator(seed),
                max_shots_per_circuit,
            )
        else:
            rng = validation.generator(seed)
            simulator = as_simulator(AerSimulator() if backend is None else backend)
            transpiler = Transpiler(simulator, pass_manager, optimization_level)
            engine = DeviceSampler(simulator, rng, transpiler)
            if backend is None:
                engine = ExactSampler(rng, dynamic=engine)
        super().__init__(engine, shots)

    def run(self, pubs: Iterable[Any], *, shots: int | None = None) -> FinishedJob:
        """Sample circuits.

        Args:
            pubs: Pubs as every V2 sampler takes them. Shots within a pub win over all others.
            shots: Shots for all pubs that do not say it; None takes ``self.shots``.

        Returns:
            A finished job.
        """
        pubs = list(pubs)
        if any(_has_observable(pub) for pub in pubs):
            raise TypeError(
                "a ShotSampler was given a circuit with an observable; VQE, AdaptVQE and VQD need "
                "a ShotEstimator."
            )
        coerced = [SamplerPub.coerce(pub, self.shots if shots is None else shots) for pub in pubs]
        tasks = [PubTask(pub, int(pub.shots)) for pub in coerced]
        watched = self._recording is not None or COUNTED.get() is not None
        if watched and (recorded := self._record(tasks)) is not None:
            return recorded
        self.last_variances = None
        with under_way(self) as ledger:
            return self._finish(self._run(tasks, ledger) if tasks else Outcome([]), tasks)

    def _run(self, tasks: list[PubTask[SamplerPub]], ledger: Account) -> Outcome:
        """Run the tasks; points of the same circuit run together."""
        stacked = stack(tasks)
        parts = stacked.split(self._engine.run(stacked.tasks, ledger))
        return Outcome([part.results[0] for part in parts])


def _has_observable(pub: Any) -> bool:
    second = pub[1] if isinstance(pub, tuple) and len(pub) > 1 else None
    return isinstance(pub, EstimatorPub) or isinstance(second, BaseOperator | SparseObservable)
