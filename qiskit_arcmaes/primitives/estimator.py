"""The estimator whose shots can be controlled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.primitives import BaseEstimatorV2, BaseSamplerV2
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes import validation
from qiskit_arcmaes.primitives.arguments import check_primitive
from qiskit_arcmaes.primitives.cache import Cache
from qiskit_arcmaes.primitives.calls import under_way
from qiskit_arcmaes.primitives.control import COUNTED, FinishedJob, ShotControl
from qiskit_arcmaes.primitives.device_estimator import DeviceEstimator
from qiskit_arcmaes.primitives.engines import Engine, GroupEngine, Outcome, PubTask
from qiskit_arcmaes.primitives.exact_estimator import ExactEstimator
from qiskit_arcmaes.primitives.planning import EstimatorTask
from qiskit_arcmaes.primitives.retry import RetryPolicy
from qiskit_arcmaes.primitives.seeds import backend_of
from qiskit_arcmaes.primitives.simulators import as_simulator
from qiskit_arcmaes.primitives.transpiling import Transpiler
from qiskit_arcmaes.primitives.wrapped import limits_of
from qiskit_arcmaes.primitives.wrapped_estimator import WrappedEstimator, is_gaussian


class ShotEstimator(ShotControl, BaseEstimatorV2):
    """An estimator whose shots can be set at any time, and that counts all it runs.

    Alone it is an exact simulator of shot noise: it groups the terms of an observable by
    qubit-wise commutation, simulates the states of all points at once, and draws the outcomes of
    all shots from their exact probabilities. It knows the true variance of every value it
    returns, in ``stds`` and in ``last_variances``. With ``backend`` Aer runs every shot with the
    noise of that device. Around another estimator it sets the shots, transpiles to the backend
    with the layout respected, and tries failed jobs again.

    Args:
        estimator: Any V2 estimator; None for the built-in one.
        shots: Shots for each point and measurement basis, an integer >= 1. An estimator that
            adds Gaussian noise instead of sampling gets a standard deviation of 1/sqrt(shots).
        seed: None, an integer >= 0 or a numpy ``Generator``. Runs repeat, the noise within a
            run does not. Around another estimator it is drawn anew for every job, where the
            estimator can be seeded; a seed of its own that would repeat the noise is refused.
        backend: For the built-in estimator: an ``AerSimulator`` with a noise model, or a device
            (a ``BackendV2``, real or fake) to simulate with its noise.
        allocation: ``"equal"`` gives every measurement group of an observable ``shots``.
            ``"weighted"`` deals groups x shots in proportion to the standard deviation that each
            group showed in the job before (in the first job: in proportion to the root of its
            summed squared coefficients, and never below 0.4 of that), at least one each. It has no
            bias. None takes ``"weighted"`` for the built-in estimator, with and without
            ``backend``. Other estimators run one shot count per job: ``"equal"`` there.
        gaussian: Whether the wrapped estimator adds Gaussian noise instead of sampling. None
            knows: ``StatevectorEstimator`` and Aer's do, all others sample.
        pass_manager: What transpiles circuits, anything with ``run(circuit)``; None for Qiskit's
            preset for the backend. Circuits that the backend takes as they are stay as they are.
        optimization_level: The level of that preset, 0 to 3.
        retries: How often a failed job is tried again, >= 0.
        retry_delay: Seconds before the first further try, >= 0, doubled each time up to 300.
        timeout: Seconds to wait for a job whose ``result`` takes a timeout; None waits on.
        max_points_per_job: Split the points of a single observable over several jobs, one after
            the other, when a service limits their size; None never splits.
        max_shots_per_circuit: Run more shots than this in parts and average them, when a service
            limits the shots of a circuit; None never does.
        executor: For the built-in noise-free estimator: a ``concurrent.futures.Executor``
            (processes, or ``client.get_executor()`` of a Dask cluster) over whose workers the
            circuits of a job are spread. The result is the same bit for bit whatever the
            executor; workers that are lost are replaced.
        sleep: What waits between tries, given seconds.

    Raises:
        RepeatedNoiseError: When the wrapped estimator returns the same noise in every call.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> estimator = ShotEstimator(shots=400, seed=7)
        >>> pub = (real_amplitudes(2), SparsePauliOp(["ZZ", "XX"]), [[0.1] * 8, [0.2] * 8])
        >>> result = estimator.run([pub]).result()[0]
        >>> result.data.evs.shape, estimator.ledger
        ((2,), Ledger(jobs=1, circuits=4, shots=1600, failures=0))
        >>> bool(np.allclose(result.data.stds**2, estimator.last_variances))
        True
        >>> with estimator.recording() as recording:
        ...     _ = estimator.run([pub])
        >>> recording.points, recording.bases, recording.shots, estimator.ledger.shots
        (2, 2.0, 1600, 1600)
    """

    def __init__(
        self,
        estimator: BaseEstimatorV2 | None = None,
        *,
        shots: int = 1024,
        seed: int | np.random.Generator | None = None,
        backend: Any = None,
        allocation: Literal["equal", "weighted"] | None = None,
        gaussian: bool | None = None,
        pass_manager: Any = None,
        optimization_level: int = 1,
        retries: int = 2,
        retry_delay: float = 1.0,
        timeout: float | None = None,
        max_points_per_job: int | None = None,
        max_shots_per_circuit: int | None = None,
        executor: Executor | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if executor is not None and not (estimator is None and backend is None):
            raise ValueError(
                f"executor={executor!r} is for the built-in estimator without noise; leave "
                "estimator and backend out, or leave executor out."
            )
        if allocation not in (None, "equal", "weighted"):
            raise ValueError(f"allocation must be 'equal' or 'weighted', not {allocation!r}.")
        if allocation == "weighted" and estimator is not None:
            raise ValueError(
                f"allocation='weighted' needs the built-in estimator: a {type(estimator).__name__} "
                "runs one shot count per job; leave estimator out, or allocation."
            )
        if estimator is not None and backend is not None:
            raise ValueError(
                f"backend={backend!r} is for the built-in estimator; leave estimator out, or build "
                "it on that backend."
            )
        policy = RetryPolicy(retries, retry_delay, timeout, sleep)
        if max_points_per_job is not None:
            validation.integer("max_points_per_job", max_points_per_job, 1)
        if max_shots_per_circuit is not None:
            validation.integer("max_shots_per_circuit", max_shots_per_circuit, 1)
        engine: Engine
        groups: GroupEngine | None = None
        if estimator is not None:
            check_primitive(estimator, "estimator", BaseEstimatorV2, BaseSamplerV2)
            gaussian = is_gaussian(estimator) if gaussian is None else gaussian
            engine = wrapped = WrappedEstimator(
                estimator,
                gaussian,
                Transpiler(
                    backend_of(estimator), pass_manager, optimization_level, limits_of(estimator)
                ),
                policy,
                max_points_per_job,
                None if seed is None else validation.generator(seed),
                max_shots_per_circuit,
            )
            groups = None if gaussian else wrapped
        elif backend is not None:
            simulator = as_simulator(backend)
            transpiler = Transpiler(simulator, pass_manager, optimization_level)
            rng = validation.generator(seed)
            engine = groups = DeviceEstimator(simulator, rng, transpiler, allocation != "equal")
        else:
            rng, weighted = validation.generator(seed), allocation != "equal"
            engine = groups = ExactEstimator(rng, weighted, executor)
        super().__init__(engine, shots)
        self._group_engine: GroupEngine | None = groups
        self._operators: Cache[ObservablesArray] = Cache()

    def run(self, pubs: Iterable[Any], *, precision: float | None = None) -> FinishedJob:
        """Estimate expectation values.

        Args:
            pubs: Pubs as every V2 estimator takes them. A precision within a pub stands for
                ceil(1/precision**2) shots, 0 for ``shots``.
            precision: The same for all pubs that do not say it; None takes ``shots``, and so does
                an optimizer that has set them.

        Returns:
            A finished job.
        """
        precision = None if self._imposed else precision
        tasks = [self._task(pub, precision) for pub in pubs]
        watched = self._recording is not None or COUNTED.get() is not None
        if watched and (recorded := self._record(tasks)) is not None:
            return recorded
        self.last_variances = None
        with under_way(self) as ledger:
            outcome = self._engine.run(tasks, ledger) if tasks else Outcome([])
            return self._finish(outcome, tasks)

    @property
    def group_engine(self) -> GroupEngine | None:
        """What measures single groups; None around estimators that add Gaussian noise.

        That noise is the same for every observable: neither groups nor parts mean anything there.
        """
        return self._group_engine

    def _task(self, pub: Any, precision: float | None) -> EstimatorTask:
        if _lacks_observable(pub):
            raise TypeError(
                "a ShotEstimator was given a circuit without an observable; QAOA, SamplingVQE and "
                "fidelities need a ShotSampler."
            )
        if isinstance(pub, tuple) and isinstance(pub[1], SparsePauliOp):
            pub = (pub[0], self._observables(pub[1]), *pub[2:])
        coerced = EstimatorPub.coerce(pub, precision)
        return PubTask(coerced, self._shots if not coerced.precision else _shots(coerced.precision))

    def _observables(self, operator: SparsePauliOp) -> ObservablesArray:
        """The operator as pubs hold it; algorithms submit the same one again and again."""
        paulis, coeffs = operator.paulis, operator.coeffs
        parts = (paulis.z, paulis.x, paulis.phase, coeffs)
        key = (operator.num_qubits, *(part.tobytes() for part in parts))
        known = self._operators.get(key)
        return self._operators.add(key, _convert(operator)) if known is None else known


def _shots(precision: float) -> int:
    """ceil(1/precision**2), except that rounding must not make N + 1 of 1/sqrt(N)."""
    return max(1, int(np.ceil(precision**-2 * (1 - 1e-12))))


def _lacks_observable(pub: Any) -> bool:
    bare = isinstance(pub, tuple) and len(pub) < 2
    return bare or isinstance(pub, QuantumCircuit | SamplerPub)


def _convert(operator: SparsePauliOp) -> ObservablesArray:
    worst = np.max(np.abs(np.imag(operator.coeffs)), initial=0.0)
    if worst > 1e-10:
        raise ValueError(
            f"the operator has complex coefficients (imaginary part up to {worst:.3g}), so its "
            "expectation value is no energy; take the Hermitian part, (op + op.adjoint()) / 2."
        )
    return ObservablesArray.coerce(operator)
