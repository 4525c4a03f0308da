"""Attacks on algorithms: kills and interrupts of VQE, QAOA, VQD, and on a noisy device."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import StatevectorEstimator
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit_aer import AerSimulator
from qiskit_algorithms import QAOA, VQD, VQE
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ShotEstimator, ShotSampler

from .cases import expect_same
from .harness import expect, promise
from .processes import call_in_child, fork, kill_after, send_after
from .services import H2, ISING, OPTIMIZERS

BUDGETS = {"vqe": 900, "wrapped": 700, "qaoa": 700, "vqd": 900, "device": 700}
Solve = Callable[..., list[Any]]


def _make(kind: str, optimizer: Any, seed: int) -> Solve:
    """A function that runs an algorithm with further settings, and returns its results."""
    budget, ansatz = BUDGETS[kind], real_amplitudes(2, reps=1)

    def solve(**more: Any) -> list[Any]:
        """The results of one run, in this process."""
        settings = {"seed": seed, "popsize": 4, "max_jobs": 12, **more}
        if kind == "qaoa":
            sampler = ShotSampler(seed=seed, shots=50)
            chosen = optimizer(budget, primitive=sampler, **settings)
            qaoa = QAOA(sampler, chosen, reps=1, initial_point=[0.3, 0.4])
            return [qaoa.compute_minimum_eigenvalue(ISING).optimizer_result]
        if kind == "vqd":
            estimator, sampler = ShotEstimator(seed=seed), ShotSampler(seed=seed)
            chosen = optimizer(budget, primitive=[estimator, sampler], **settings)
            fidelity = ComputeUncompute(sampler)
            vqd = VQD(
                estimator, fidelity, ansatz, chosen, k=2, initial_point=[0.4] * 4, betas=[3.0]
            )
            return list(vqd.compute_eigenvalues(H2).optimizer_results)
        if kind == "device":
            device = AerSimulator.from_backend(  # a pool of threads would not survive a fork
                GenericBackendV2(2, seed=3), max_parallel_threads=1
            )
            estimator = ShotEstimator(backend=device, seed=seed)
        elif kind == "wrapped":
            estimator = ShotEstimator(StatevectorEstimator(), seed=seed)
        else:
            estimator = ShotEstimator(seed=seed)
        chosen = optimizer(budget, primitive=estimator, **settings)
        vqe = VQE(estimator, ansatz, chosen, initial_point=[0.4] * 4)
        return [vqe.compute_minimum_eigenvalue(H2).optimizer_result]

    return solve


_whole: dict[tuple[str, int, int], tuple[list[Any], float]] = {}


def _draw(rng: np.random.Generator) -> tuple[Solve, list[Any], float]:
    """An algorithm with an optimizer, its results, and how long it took; some come again."""
    kind = str(rng.choice(list(BUDGETS)))
    optimizer, seed = int(rng.integers(len(OPTIMIZERS))), int(rng.integers(1, 4))
    solve = _make(kind, OPTIMIZERS[optimizer], seed)
    key = kind, optimizer, seed
    if key not in _whole:
        began = time.monotonic()
        _whole[key] = call_in_child(solve), time.monotonic() - began
    return solve, *_whole[key]


def _expect_resumed(solve: Solve, path: Path, whole: list[Any]) -> None:
    resumed = call_in_child(lambda: solve(checkpoint=path, resume=True))
    expect(len(resumed) == len(whole), f"{len(resumed)} results, not {len(whole)}")
    for one, two in zip(resumed, whole, strict=True):
        expect_same(one, two)
    left = [each.name for each in path.parent.iterdir() if "draft" in each.name]
    expect(not left, f"drafts were left: {left}")


@promise("kill-algorithm", "VQE, QAOA, VQD and runs on a noisy device resume after SIGKILL", 1.9)
def survive_kill(rng: np.random.Generator, folder: Path) -> int:
    """Killed at a random moment, saved after every job."""
    solve, whole, seconds = _draw(rng)
    path = folder / "run"
    killed = kill_after(
        lambda: solve(checkpoint=path, checkpoint_seconds=0), seconds * rng.uniform(0.1, 1.5)
    )
    _expect_resumed(solve, path, whole)
    return killed


@promise("interrupt-algorithm", "They resume after a Ctrl-C from outside, too", 1.9)
def survive_interrupt(rng: np.random.Generator, folder: Path) -> None:
    """SIGINT from another process; the algorithm ends, and its run goes on where it was."""
    solve, whole, seconds = _draw(rng)
    path = folder / "run"
    note = folder / "note"
    child = fork(lambda: _noted(lambda: solve(checkpoint=path, on_interrupt="raise"), note))
    code = send_after(child, signal.SIGINT, seconds * rng.uniform(0.0, 1.2))
    said = note.read_text()[-250:] if note.exists() else ""
    expect(code in (0, 130), f"the child ended with {code} {said}")
    expect(path.exists() or code != 0, "no checkpoint")
    _expect_resumed(solve, path, whole)


def _noted(task: Callable[[], Any], note: Path) -> None:
    """Do a task; an error, but no interrupt, is written down."""
    try:
        task()
    except Exception:
        note.write_text(traceback.format_exc())
        raise
