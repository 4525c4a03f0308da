"""Proof that a change of code changes no run: record traces before it, compare them after it.

    python tools/traces.py record FILE
    python tools/traces.py compare FILE [NAME ...]

A trace is one hash per job, of the points asked, the shots, the values told and the recommendation
after it. Hashes hold for one machine: linear algebra differs in its last bits between machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums over threads differ in their last bits

import numpy as np
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQE

from qiskit_arcmaes import (
    ARCMAES,
    GaussianOracle,
    OracleError,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    get_function,
)
from qiskit_arcmaes import minimize as package_minimize

FRUGAL: dict[str, Any] = {"method": "frugal"}
PLAIN: dict[str, Any] = {"method": "ar"}
ISING = SparsePauliOp.from_sparse_list(
    [("ZZ", [0, 1], 0.5), ("ZZ", [1, 2], 1.0), ("ZZ", [0, 3], 0.7), ("Z", [2], 0.3)], 4
)
H2 = SparsePauliOp(
    ["II", "IZ", "ZI", "ZZ", "XX"], [-1.05237325, 0.39793742, -0.39793742, -0.01128010, 0.18093120]
)


class Trace:
    """Collects one hash per job."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self._pending = hashlib.sha256()

    def evaluated(self, points: Any, shots: int, values: Any) -> None:
        """Take in a job."""
        for part in (points, [float(shots)], values):
            self._pending.update(np.ascontiguousarray(part, dtype=float).tobytes())

    def recommended(self, nfev: int, x: Any, fun: float, std: float, shots: int) -> None:
        """Take in what the method recommends after it: a callback."""
        self.evaluated(x, shots, [])
        self.close()

    def close(self) -> None:
        """End the present job."""
        self.jobs.append(self._pending.hexdigest()[:16])
        self._pending = hashlib.sha256()


class InterruptedError(Exception):
    """Ends a run in the middle."""


class TracedOracle(GaussianOracle):
    """A Gaussian oracle that is heard, and that may fail once."""

    trace: Trace
    fails_at: int | None = None
    jobs = 0

    def evaluate(self, points: Any, shots: int) -> Any:
        """As a Gaussian oracle does."""
        self.jobs += 1
        if self.jobs == self.fails_at:
            raise InterruptedError
        estimate = super().evaluate(points, shots)
        self.trace.evaluated(points, shots, estimate.values)
        return estimate


def cosines(points: Any) -> Any:
    """A loss with one frequency per angle."""
    return np.sum(1 - np.cos(points - 0.7), axis=1) + 0.3 * np.sin(points[:, 0]) * np.sin(
        points[:, -1]
    )


def frequencies(points: Any) -> Any:
    """A loss with several."""
    return np.sum(1 - np.cos(points) + 0.6 * np.cos(3 * points + 1), axis=1)


def holes(points: Any) -> Any:
    """A sphere that fails in a region."""
    values = np.sum(points**2, axis=1)
    return np.where(points[:, 0] > 2.2, np.nan, values)


def on_function(
    function: Any, dim: int, budget: int, *, tau: Any = 1.0, start: Any = 1.5, **options: Any
) -> Callable[[], list[str]]:
    """A run of ``minimize`` on a Gaussian oracle."""
    oracle_options = {k: options.pop(k) for k in ("known_noise", "relative") if k in options}
    resumed = options.pop("resumed", None)
    loss = get_function(function, dim) if isinstance(function, str) else function

    def run() -> list[str]:
        trace = Trace()

        def once(**more: Any) -> None:
            oracle = TracedOracle(loss, tau=tau, seed=3, **oracle_options)
            oracle.trace, oracle.fails_at = trace, more.pop("fails_at", None)
            package_minimize(
                oracle,
                np.full(dim, start),
                max_shots=budget,
                seed=5,
                callback=trace.recommended,
                **options,
                **more,
            )

        if resumed is None:
            once()
        else:
            with tempfile.TemporaryDirectory() as folder:
                where = {"checkpoint": Path(folder) / "run", "checkpoint_seconds": 0}
                try:
                    once(**where, fails_at=resumed)
                except OracleError as error:
                    if not isinstance(error.__cause__, InterruptedError):
                        raise
                once(**where, resume=True)
        trace.close()
        return trace.jobs

    return run


def on_circuit(kind: str, optimizer: Any, budget: int, **options: Any) -> Callable[[], list[str]]:
    """A run of an optimizer within VQE or QAOA."""

    def run() -> list[str]:
        trace = Trace()
        primitive = ShotSampler(seed=2) if kind == "qaoa" else ShotEstimator(seed=2)
        solver = optimizer(
            budget, primitive=primitive, seed=5, callback=trace.recommended, **options
        )
        if kind == "qaoa":
            start = [0.3, 0.4, 0.2, 0.5]
            QAOA(primitive, solver, reps=2, initial_point=start).compute_minimum_eigenvalue(ISING)
        else:
            ansatz = real_amplitudes(2, reps=2)
            start = np.linspace(-0.5, 0.9, ansatz.num_parameters)
            VQE(primitive, ansatz, solver, initial_point=start).compute_minimum_eigenvalue(H2)
        trace.evaluated([], 0, [primitive.ledger.shots, primitive.ledger.jobs])
        trace.close()
        return trace.jobs

    return run


_BOX = [(-1.0, 2.0), (None, 1.6), (0.5, None), (None, None), (-3.0, 3.0)]
_TURN = [(0.0, 2 * np.pi)]
RUNS: dict[str, Callable[[], list[str]]] = {
    "ar": on_function("sphere", 4, 20_000, **PLAIN),
    "ar overhead": on_function("ellipsoid", 4, 20_000, overhead=50.0, popsize=20, **PLAIN),
    "ar known noise": on_function("trid", 4, 20_000, known_noise=True, **PLAIN),
    **{
        name: on_function("sphere", 4, 20_000, method=name)
        for name in ("ar-paper", "ar-literal", "cma", "three-stage", "uh", "lra", "psa")
    },
    "lra bounds": on_function("ellipsoid", 5, 20_000, bounds=_BOX, shots=3, method="lra"),
    "uh periodic": on_function(cosines, 4, 20_000, bounds=_TURN * 4, method="uh"),
    "psa resumed": on_function("sphere", 4, 20_000, method="psa", resumed=12),
    "surrogate": on_function("sphere", 6, 50_000, **FRUGAL),
    "surrogate ellipsoid": on_function("rotated_ellipsoid", 5, 50_000, **FRUGAL),
    "surrogate rugged": on_function("rastrigin", 5, 200_000, sigma0=1.0, **FRUGAL),
    "surrogate kinks": on_function(
        "nesterov_f1", 8, 1_000_000, tau=0.1, start=0.3, sigma0=0.2, **FRUGAL
    ),
    "surrogate relative": on_function("sphere", 5, 50_000, relative=True, **FRUGAL),
    "surrogate known": on_function("cosine_mixture", 5, 50_000, known_noise=True, **FRUGAL),
    "surrogate bounds": on_function("ellipsoid", 5, 50_000, bounds=_BOX, **FRUGAL),
    "surrogate noiseless": on_function("sphere", 5, 3_000, tau=0.0, **FRUGAL),
    "surrogate tau": on_function("trid", 5, 30_000, **{**FRUGAL, "tau": 1.0}),
    "surrogate diagonal": on_function("hyper_ellipsoid", 45, 60_000, **FRUGAL),
    "surrogate overhead": on_function("bohachevsky", 4, 100_000, overhead=100.0, **FRUGAL),
    "surrogate holes": on_function(holes, 4, 30_000, **FRUGAL),
    "surrogate resumed": on_function("rastrigin", 4, 60_000, resumed=14, **FRUGAL),
    "surrogate kinks resumed": on_function(
        "nesterov_f1", 8, 1_000_000, tau=0.1, start=0.3, sigma0=0.2, resumed=60, **FRUGAL
    ),
    "shift": on_function(cosines, 3, 50_000, bounds=_TURN * 3, **FRUGAL),
    "shift wide": on_function(cosines, 14, 60_000, bounds=_TURN * 14, **FRUGAL),
    "shift known": on_function(cosines, 3, 50_000, periodic=True, known_noise=True, **FRUGAL),
    "shift several": on_function(frequencies, 3, 200_000, periodic=True, **FRUGAL),
    "shift overhead": on_function(cosines, 4, 50_000, periodic=True, overhead=50.0, **FRUGAL),
    "shift resumed": on_function(cosines, 3, 50_000, periodic=True, resumed=60, **FRUGAL),
    "shift several resumed": on_function(
        frequencies, 3, 200_000, periodic=True, resumed=700, **FRUGAL
    ),
    "vqe": on_circuit("vqe", ShotFrugal, 60_000),
    "vqe small": on_circuit("vqe", ShotFrugal, 3_000),
    "vqe ar": on_circuit("vqe", ARCMAES, 60_000),
    "qaoa": on_circuit("qaoa", ShotFrugal, 20_000),
}


def main(arguments: list[str]) -> int:
    """Record or compare."""
    what, file, *names = arguments
    chosen = {name: run for name, run in RUNS.items() if not names or name in names}
    warnings.simplefilter("ignore")
    found = {}
    for name, run in chosen.items():
        found[name] = run()
        print(f"{name}: {len(found[name])} jobs", flush=True)
    if what == "record":
        Path(file).write_text(json.dumps(found))
        return 0
    before = json.loads(Path(file).read_text())
    wrong = 0
    for name, jobs in found.items():
        if before[name] != jobs:
            wrong += 1
            pairs = zip(before[name], jobs, strict=False)
            first = next((i for i, (old, new) in enumerate(pairs) if old != new), len(jobs))
            print(f"DIFFERENT: {name}, from job {first} of {len(before[name])} (now {len(jobs)})")
    print(f"{len(found) - wrong} of {len(found)} traces are equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
