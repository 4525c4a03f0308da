"""One VQE evaluation, walked from VQE to the primitive and back: few calls, not deep."""

import sys
from pathlib import Path

import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

import qiskit_arcmaes
from qiskit_arcmaes import ShotEstimator, ShotFrugal
from qiskit_arcmaes.engine.run import Run

PACKAGE = Path(qiskit_arcmaes.__file__).parent
PAGE = PACKAGE.parent / "docs" / "project" / "architecture.md"
H2 = SparsePauliOp(["II", "IZ", "ZI", "ZZ", "XX"], [-1.05, 0.397, -0.397, -0.0113, 0.18])
MOST_CALLS, MOST_DEPTH = 26, 10
ABOVE = 2  # ShotOptimizer.minimize and Run.run are on the stack when a job is evaluated
JOB = 20  # by then everything that is computed once has been computed; the next without a plan


class Walk:
    """Notes every call of a function of the package from another of its modules, and the depth."""

    def __init__(self):
        self.stack, self.calls, self.depth = [], [], 0

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if not name.startswith(str(PACKAGE)) or event not in ("call", "return"):
            return
        if event == "return":
            self.stack.pop()
            return
        if not self.stack or self.stack[-1] != name:
            module = Path(name).relative_to(PACKAGE).as_posix()
            self.calls.append((len(self.stack) + 1 + ABOVE, module, frame.f_code.co_qualname))
        self.stack.append(name)
        self.depth = max(self.depth, len(self.stack) + ABOVE)


@pytest.fixture(scope="module")
def walk():
    """The calls of one job, from the engine to the primitive and back."""
    notes, jobs, evaluate = Walk(), [], Run.evaluate

    def watched(run, batch):
        jobs.append(batch)
        if len(jobs) < JOB or batch.plan is not None or notes.calls:
            return evaluate(run, batch)
        sys.setprofile(notes)
        try:
            return evaluate(run, batch)
        finally:
            sys.setprofile(None)

    ansatz, estimator = real_amplitudes(2, reps=1), ShotEstimator(seed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "evaluate", watched)
        solver = VQE(estimator, ansatz, ShotFrugal(50_000, seed=3), initial_point=[0.3] * 4)
        solver.compute_minimum_eigenvalue(H2)
    return notes


def test_few_calls_between_modules(walk):
    assert len(walk.calls) <= MOST_CALLS, walk.calls


def test_not_deep(walk):
    assert walk.depth <= MOST_DEPTH


def test_the_architecture_page_lists_exactly_these_calls(walk):
    listed = [f"{depth:>2}  {module:<32} {name}" for depth, module, name in walk.calls]
    assert "\n".join(listed) in PAGE.read_text()
