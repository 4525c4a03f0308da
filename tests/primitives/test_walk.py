"""How far one evaluation walks through the package: few calls between modules, not deep."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

import qiskit_arcmaes
from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.primitives import PrimitiveOracle

PACKAGE = str(Path(qiskit_arcmaes.__file__).parent)
H2 = SparsePauliOp(["II", "IZ", "ZI", "ZZ", "XX"], [-1.05, 0.397, -0.397, -0.0113, 0.18])
MOST_CALLS = 12  # of the 16 that a whole evaluation may take; the engine has the rest
MOST_DEPTH = 8  # of 10


class Walk:
    """Notes every call of a function of the package from another of its modules."""

    def __init__(self):
        self.stack, self.calls, self.depth = [], [], 0

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE) or event not in ("call", "return"):
            return
        if event == "return":
            self.stack.pop()
            return
        if not self.stack or self.stack[-1] != name:
            self.calls.append(f"{Path(name).stem}.{frame.f_code.co_qualname}")
        self.stack.append(name)
        self.depth = max(self.depth, len(self.stack))


def walk(work):
    notes = Walk()
    sys.setprofile(notes)
    try:
        work()
    finally:
        sys.setprofile(None)
    return notes


def test_one_job_of_vqe():
    estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=1)
    fun = VQE(estimator, ansatz, None)._get_evaluate_energy(ansatz, H2)
    oracle = PrimitiveOracle(fun, [estimator], np.zeros(4))
    points = np.random.default_rng(1).uniform(-1, 1, (5, 4))
    oracle.evaluate(points, 10)  # what is computed once
    notes = walk(lambda: oracle.evaluate(points, 20))
    assert len(notes.calls) <= MOST_CALLS, notes.calls
    assert notes.depth <= MOST_DEPTH, notes.depth
