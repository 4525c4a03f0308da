"""Every engine and every wrapped primitive runs parameterised gates as they are meant.

A circuit is followed by its inverse at the point at which it is run, as one fixed matrix: every
shot must then give 0 on every qubit. An angle that is lost or taken for another shows itself in
most shots; 60 of them hide it with a chance far below 1e-9 (the worst wrong circuit here leaves
0.7 of the weight on 0), and right circuits never fail.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.primitives import (
    BackendEstimatorV2,
    BackendSamplerV2,
    StatevectorEstimator,
    StatevectorSampler,
)
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel, depolarizing_error, pauli_error
from qiskit_aer.primitives import EstimatorV2 as AerEstimator
from qiskit_aer.primitives import SamplerV2 as AerSampler

from qiskit_arcmaes import ShotEstimator, ShotSampler

from .gates import FAMILIES, POINT, echo
from .service import line_device

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Options")

SHOTS = 60
PARITIES = SparsePauliOp(["IIIZ", "IIZI", "IZII", "ZIII"], [0.4, 0.3, 0.2, 0.1])  # 1 on |0000>


def runtime_primitive(module, name, backend, options=None):
    package = pytest.importorskip(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return getattr(package, name)(mode=backend, options=options)


def executor_estimator(level):
    return lambda: ShotEstimator(
        runtime_primitive(
            "qiskit_ibm_runtime.executor_estimator",
            "Estimator",
            AerSimulator(),
            {"resilience_level": level},
        )
    )


ESTIMATORS = {
    "built-in": ShotEstimator,
    "Aer": lambda: ShotEstimator(backend=AerSimulator()),
    "a line of qubits": lambda: ShotEstimator(backend=line_device()),
    "StatevectorEstimator": lambda: ShotEstimator(StatevectorEstimator()),
    "BackendEstimatorV2": lambda: ShotEstimator(BackendEstimatorV2(backend=AerSimulator())),
    "BackendEstimatorV2 on a line": lambda: ShotEstimator(
        BackendEstimatorV2(backend=line_device())
    ),
    "Aer's EstimatorV2": lambda: ShotEstimator(AerEstimator()),
    "Aer's EstimatorV2 on a line": lambda: ShotEstimator(AerEstimator.from_backend(line_device())),
    "runtime": lambda: ShotEstimator(
        runtime_primitive("qiskit_ibm_runtime", "EstimatorV2", AerSimulator())
    ),
    "executor": executor_estimator(0),
    "executor with twirling": executor_estimator(1),
}
SAMPLERS = {
    "built-in": ShotSampler,
    "Aer": lambda: ShotSampler(backend=AerSimulator()),
    "a line of qubits": lambda: ShotSampler(backend=line_device()),
    "StatevectorSampler": lambda: ShotSampler(StatevectorSampler()),
    "BackendSamplerV2": lambda: ShotSampler(BackendSamplerV2(backend=AerSimulator())),
    "Aer's SamplerV2": lambda: ShotSampler(AerSampler()),
    "Aer's SamplerV2 on a line": lambda: ShotSampler(AerSampler.from_backend(line_device())),
    "runtime": lambda: ShotSampler(
        runtime_primitive("qiskit_ibm_runtime", "SamplerV2", AerSimulator())
    ),
    "executor": lambda: ShotSampler(
        runtime_primitive("qiskit_ibm_runtime.executor_sampler", "Sampler", AerSimulator())
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("engine", ESTIMATORS)
def test_estimators(engine, name):
    estimator = ESTIMATORS[engine]()
    gaussian = engine.startswith(("Statevector", "Aer's"))
    estimator.shots = 10**10 if gaussian else SHOTS
    circuit = echo(name).copy()
    values = estimator.run([(circuit, PARITIES, [POINT, POINT])]).result()[0].data.evs
    assert np.allclose(values, 1.0, atol=1e-4)  # ten deviations of Gaussian estimators


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("engine", SAMPLERS)
def test_samplers(engine, name):
    sampler = SAMPLERS[engine]()
    circuit = echo(name).measure_all(inplace=False)
    order = dict(zip(circuit.parameters, POINT, strict=True))
    bound = circuit.assign_parameters(order)
    pubs = [(circuit, [POINT, POINT]), bound, bound]  # the bound ones are merged
    results = sampler.run(pubs, shots=SHOTS).result()
    assert [result.data.meas.shape for result in results] == [(2,), (), ()]
    for result in results:
        assert set(result.data.meas.get_counts()) == {"0000"}


def controlled_gate():
    circuit = QuantumCircuit(2)
    circuit.x(0)
    circuit.cry(Parameter("t"), 0, 1)
    return circuit


def noisy():
    """The bit of a controlled rotation's target always flips; its parts have no noise."""
    model = NoiseModel(basis_gates=["x", "ry", "cx", "cry"])
    model.add_all_qubit_quantum_error(pauli_error([("XI", 1.0)]), ["cry"])
    return AerSimulator(noise_model=model)


def test_noise_of_a_controlled_gate_is_kept():
    circuit = controlled_gate()
    estimator = ShotEstimator(backend=noisy(), shots=20, seed=1)
    values = estimator.run([(circuit, "ZI", [[np.pi], [0.0]])]).result()[0].data.evs
    assert values.tolist() == [1.0, -1.0]
    sampler = ShotSampler(backend=noisy(), shots=20, seed=1)
    circuit.measure_all()
    bits = sampler.run([(circuit, [[np.pi], [0.0]])]).result()[0].data.meas
    assert bits.shape == (2,)
    assert [bits[k].get_counts() for k in range(2)] == [{"01": 20}, {"11": 20}]


@pytest.mark.parametrize(
    "make",
    [
        lambda backend: ShotEstimator(AerEstimator.from_backend(backend)),
        lambda backend: ShotSampler(AerSampler.from_backend(backend)),
    ],
)
def test_noise_that_a_wrapped_primitive_would_lose_is_refused_by_name(make):
    primitive = make(noisy())
    circuit = controlled_gate()
    pub = (circuit, "ZI", [[np.pi]])
    if isinstance(primitive, ShotSampler):
        circuit.measure_all()
        pub = (circuit, [[np.pi]])
    with pytest.raises(ValueError, match=r"'cry'.*noise.*backend="):
        primitive.run([pub])
    assert primitive.ledger.jobs == 0


def test_parameters_inside_control_flow():
    circuit = QuantumCircuit(2, 1)
    circuit.x(0)
    circuit.measure(0, 0)
    with circuit.if_test((circuit.clbits[0], 1)):
        circuit.ry(Parameter("t"), 1)
    circuit.measure(1, 0)
    for sampler in (ShotSampler(shots=20), ShotSampler(backend=AerSimulator(), shots=20)):
        bits = sampler.run([(circuit, [[np.pi], [0.0]])]).result()[0].data.c
        assert [bits[k].get_counts() for k in range(2)] == [{"1": 20}, {"0": 20}]


def test_uncontrolled_noise_does_not_stop_a_wrapped_primitive():
    model = NoiseModel(basis_gates=["x", "ry", "cx", "cry"])
    model.add_all_qubit_quantum_error(depolarizing_error(0.1, 1), ["x"])
    estimator = ShotEstimator(AerEstimator.from_backend(AerSimulator(noise_model=model)))
    assert estimator.run([(controlled_gate(), "ZI", [[np.pi]])]).result()[0].data.evs < 0
