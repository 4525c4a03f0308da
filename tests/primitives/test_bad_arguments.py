"""Errors that name the argument, the value and the way out, before anything is charged."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator

from qiskit_arcmaes import ShotEstimator, ShotSampler


class V1:
    """Looks like a V1 primitive."""

    def run(self, circuits, observables):
        return None


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ShotEstimator(V1()), TypeError, "estimator must be a BaseEstimatorV2.*V1 prim"),
        (lambda: ShotEstimator("aer"), TypeError, "estimator must be.*'aer'"),
        (lambda: ShotEstimator(StatevectorEstimator), TypeError, "pass an instance"),
        (lambda: ShotEstimator(StatevectorSampler()), TypeError, "wrap it in a ShotSampler"),
        (lambda: ShotSampler(StatevectorEstimator()), TypeError, "wrap it in a ShotEstimator"),
        (lambda: ShotEstimator(ShotEstimator()), TypeError, "under shot control already"),
        (lambda: ShotEstimator(shots=0), ValueError, "shots must be an integer >= 1, not 0"),
        (lambda: ShotEstimator(shots=1.5), ValueError, "shots must be an integer.*1.5"),
        (lambda: ShotSampler(shots=True), ValueError, "shots must be an integer"),
        (lambda: ShotEstimator(seed=-1), ValueError, "seed must be.*-1"),
        (lambda: ShotEstimator(seed="x"), ValueError, "seed must be.*'x'"),
        (lambda: ShotEstimator(allocation="best"), ValueError, "'equal' or 'weighted', not 'best'"),
        (
            lambda: ShotEstimator(StatevectorEstimator(), allocation="weighted"),
            ValueError,
            "weighted' needs the built-in",
        ),
        (
            lambda: ShotEstimator(StatevectorEstimator(), backend=AerSimulator()),
            ValueError,
            "is for the built-in",
        ),
        (
            lambda: ShotSampler(StatevectorSampler(), backend=AerSimulator()),
            ValueError,
            "is for the built-in",
        ),
        (lambda: ShotEstimator(backend="manila"), TypeError, "backend must be.*'manila'"),
        (lambda: ShotEstimator(retries=-1), ValueError, "retries must be.*-1"),
        (lambda: ShotEstimator(retry_delay=-2.0), ValueError, "retry_delay must be.*-2.0"),
        (lambda: ShotSampler(timeout=0), ValueError, "timeout must be.*0"),
        (lambda: ShotSampler(max_points_per_job=0), ValueError, "max_points_per_job must.*0"),
    ],
)
def test_constructors(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_shots_set_later_are_checked_too():
    estimator = ShotEstimator()
    with pytest.raises(ValueError, match="shots must be an integer >= 1, not -3"):
        estimator.shots = -3
    estimator.shots = np.int64(12)
    assert type(estimator.shots) is int


@pytest.mark.parametrize("estimator", [ShotEstimator(), ShotEstimator(StatevectorEstimator())])
def test_operators_that_are_not_hermitian(estimator):
    circuit = QuantumCircuit(1)
    circuit.h(0)
    pub = (circuit, SparsePauliOp(["X", "Y"], [1.0, 0.25j]))
    with pytest.raises(ValueError, match=r"complex coefficients.*0\.25.*adjoint"):
        estimator.run([pub])
    with estimator.recording(), pytest.raises(ValueError, match="complex coefficients"):
        estimator.run([pub])
    assert estimator.ledger.jobs == 0


def test_circuits_without_parameters_are_fine():
    circuit = QuantumCircuit(1)
    circuit.x(0)
    assert ShotEstimator(shots=2).run([(circuit, "Z")]).result()[0].data.evs == -1.0


def test_a_failed_run_leaves_no_old_variances():
    estimator = ShotEstimator(shots=5, seed=1)
    estimator.run([(QuantumCircuit(1), "X")])
    assert estimator.last_variances is not None
    measured = QuantumCircuit(1, 1)
    measured.measure(0, 0)
    with pytest.raises(ValueError, match="measure"):
        estimator.run([(measured, "X")])
    assert estimator.last_variances is None
