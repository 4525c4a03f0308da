"""Attacks with services: estimators and samplers that fail, hang, queue, and deliver too little."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import BitArray, DataBin, PubResult
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQE, SamplingVQE

from qiskit_arcmaes import (
    ARCMAES,
    CMAES,
    LRACMAES,
    PSACMAES,
    UHCMAES,
    OracleError,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    ThreeStageCMAES,
)
from qiskit_arcmaes.engine.checkpoint import load
from qiskit_arcmaes.primitives import PrimitiveInUseError
from tests.primitives.service import EstimatorService, SamplerService

from .harness import expect, promise
from .processes import in_child

OPTIMIZERS = (ShotFrugal, ARCMAES, CMAES, ThreeStageCMAES, UHCMAES, LRACMAES, PSACMAES)
FAULTS = ("refuse", "fail", "hang", "lose a pub", "lose a point", "nothing", "empty")
ISING = SparsePauliOp(["ZZ", "ZI", "IZ"], [1.0, 0.4, -0.3])
H2 = SparsePauliOp(["ZZ", "XX", "ZI"], [0.5, 0.2, -0.4])


class Queued:
    """A job whose result comes later, as from a queue."""

    def __init__(self, job: Any, seconds: float) -> None:
        self._job, self._ready = job, time.monotonic() + seconds

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the queue, then for the job."""
        time.sleep(max(self._ready - time.monotonic(), 0))
        return self._job.result()

    def job_id(self) -> str:
        """Its name."""
        return "queued-1"


class FaultyEstimator(EstimatorService):
    """An estimator whose jobs queue."""

    seconds = 0.0

    def run(self, pubs: Any, *, precision: Any = None) -> Any:
        """Submit to the service."""
        return Queued(super().run(pubs, precision=precision), self.seconds)


class FaultySampler(SamplerService):
    """A sampler whose jobs queue, and that may deliver fewer shots than it was asked for."""

    seconds = 0.0
    short = 0

    def run(self, pubs: Any, *, shots: Any = None) -> Any:
        """Submit to the service; some jobs come back short."""
        if self.short and self.script[:1] == ["short"]:
            self.script.pop(0)
            self.short -= 1
            results = [_shorter(one) for one in self._inner.run(pubs, shots=shots).result()]
            return Queued(self._answer(pubs, results), self.seconds)
        return Queued(super().run(pubs, shots=shots), self.seconds)


def _shorter(result: Any) -> Any:
    """A result with half of its shots."""
    registers = {
        name: BitArray(bits.array[..., : bits.num_shots // 2, :], bits.num_bits)
        for name, bits in result.data.items()
    }
    return PubResult(DataBin(**registers, shape=result.data.shape), metadata=result.metadata)


def _script(rng: np.random.Generator, words: tuple[str, ...]) -> list[str]:
    rate = rng.choice([0.0, 0.1, 0.4])
    return [str(rng.choice(words)) if rng.random() < rate else "work" for _ in range(40)]


def _optimizer(rng: np.random.Generator, primitive: Any, **more: Any) -> Any:
    kind = OPTIMIZERS[int(rng.integers(len(OPTIMIZERS)))]
    settings = {"max_jobs": int(rng.integers(3, 7)), "seed": 5, "popsize": 4, **more}
    return kind(int(rng.integers(1000, 1500)), primitive=primitive, **settings)


def _expect_accounted(
    solve: Any, optimizer: Any, primitive: Any, path: Path, later: int = 0
) -> None:
    """What the ledger has is told by the result, or by that of the error, within the budget.

    An algorithm may go on after its optimizer, as QAOA samples once more: what fails there finds
    the finished run in its checkpoint.
    """
    most = optimizer.settings["max_shots"]
    try:
        result = solve().optimizer_result
    except OracleError as error:
        result, later = error.result, 0
        if result is None:
            expect(load(path)["final"] is not None, f"{error!r} carries no result")
            return
    told, taken = result.shots, primitive.ledger.shots - later
    expect(told == taken <= most, f"{told} shots told, {taken} taken, {most} allowed")
    expect(bool(np.isfinite(result.x).all()), f"x is {result.x}")


@promise("estimator", "A faulty estimator's run ends within the budget, or carries its result", 1.9)
@in_child
def survive_estimator(rng: np.random.Generator, folder: Path) -> None:
    """VQE on a service that fails, hangs, queues, loses points, and returns NaN."""
    service = FaultyEstimator(int(rng.integers(2**31)))
    service.misbehave(*_script(rng, (*FAULTS, "nan", "all nan")))
    service.seconds = float(rng.choice([0.0, 0.002]))
    estimator = ShotEstimator(
        service, retries=int(rng.integers(3)), sleep=lambda _: None, timeout=5.0
    )
    path = folder / "run"
    optimizer = _optimizer(rng, estimator, checkpoint=path)
    vqe = VQE(estimator, real_amplitudes(2, reps=1), optimizer, initial_point=[0.4] * 4)
    _expect_accounted(lambda: vqe.compute_minimum_eigenvalue(H2), optimizer, estimator, path)


@promise("sampler", "A faulty sampler's run ends within the budget, or carries its result", 1.9)
@in_child
def survive_sampler(rng: np.random.Generator, folder: Path) -> None:
    """QAOA or SamplingVQE on a service that also delivers fewer shots than it was asked for."""
    service = FaultySampler(int(rng.integers(2**31)))
    service.misbehave(*_script(rng, (*FAULTS, "short", "short")))
    service.short = 40
    service.seconds = float(rng.choice([0.0, 0.002]))
    sampler = ShotSampler(service, shots=50, retries=int(rng.integers(3)), sleep=lambda _: None)
    path = folder / "run"
    optimizer = _optimizer(rng, sampler, checkpoint=path)
    algorithm: Any
    if rng.random() < 0.5:
        algorithm = QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.4])
    else:
        ansatz = real_amplitudes(2, reps=0)
        algorithm = SamplingVQE(sampler, ansatz, optimizer, initial_point=[0.3, 0.4])
    _expect_accounted(
        lambda: algorithm.compute_minimum_eigenvalue(ISING), optimizer, sampler, path, 50
    )


@promise("threads", "Two optimizers on one primitive in threads: refused by name, or exact", 1.9)
@in_child
def share_primitive(rng: np.random.Generator, folder: Path) -> None:
    """Both may run one after the other; never both at once, and every shot is counted."""
    estimator = ShotEstimator(seed=int(rng.integers(2**31)))
    optimizers = [_optimizer(rng, estimator) for _ in range(2)]
    results: list[Any] = []
    pause = float(rng.choice([0.0, 0.01, 0.1]))

    def work(number: int) -> None:
        time.sleep(number * pause)
        ansatz = real_amplitudes(2, reps=1)
        vqe = VQE(estimator, ansatz, optimizers[number], initial_point=[0.4] * 4)
        try:
            results.append(vqe.compute_minimum_eigenvalue(H2).optimizer_result)
        except PrimitiveInUseError:
            results.append(None)
        except BaseException as error:
            results.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    wrong = [each for each in results if isinstance(each, BaseException)]
    expect(not wrong, f"{wrong!r}")
    told = sum(each.shots for each in results if each is not None)
    expect(told == estimator.ledger.shots, f"{told} shots told, {estimator.ledger.shots} taken")
    expect(any(each is not None for each in results), "both were refused")
