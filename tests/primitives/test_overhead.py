"""What a circuit costs beside its shots, where the primitive is one of a service."""

import warnings

import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit_aer import AerSimulator

from qiskit_arcmaes import ShotEstimator
from qiskit_arcmaes.primitives import PrimitiveOracle

ANSATZ = real_amplitudes(2, reps=1)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("qiskit_ibm_runtime", "EstimatorV2"),
        ("qiskit_ibm_runtime.executor_estimator", "Estimator"),
    ],
)
def test_around_runtime_primitives_a_circuit_has_an_overhead(module, name):
    """In local mode too, so that what is tried there is what runs on the device."""
    package = pytest.importorskip(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        primitive = getattr(package, name)(mode=AerSimulator())
    assert ShotEstimator(primitive).overhead == 100


def test_elsewhere_it_has_none():
    estimator = ShotEstimator(seed=1)
    assert estimator.overhead == 0

    def fun(points):
        return estimator.run([(ANSATZ, "ZZ", points)]).result()[0].data.evs

    oracle = PrimitiveOracle(fun, [estimator], [0.0] * 4, vectorized=True)
    assert oracle.overhead == 0


def test_the_oracle_takes_the_primitives(monkeypatch):
    monkeypatch.setattr(ShotEstimator, "overhead", 70.0)
    estimator = ShotEstimator(seed=1)

    def fun(points):
        return estimator.run([(ANSATZ, "ZZ", points)]).result()[0].data.evs

    oracle = PrimitiveOracle(fun, [estimator], [0.0] * 4, vectorized=True)
    assert oracle.overhead == 70
