"""The cost functions of IBM's tutorials, as printed there, on a fake device in a session.

Two things are exchanged: the primitive for a shot-controlled one, and the method.
"""

import numpy as np
import pytest
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit.transpiler import generate_preset_pass_manager
from scipy.optimize import minimize

from qiskit_arcmaes import ShotEstimator, ShotSampler, scipy_method

runtime = pytest.importorskip("qiskit_ibm_runtime")
fake_provider = pytest.importorskip("qiskit_ibm_runtime.fake_provider")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

HAMILTONIAN = SparsePauliOp.from_list([("ZZ", 1.0), ("XI", 0.5)])  # lowest value -1.118
OPTIONS = {"max_shots": 1000, "seed": 3}


@pytest.fixture(scope="module")
def backend():
    return fake_provider.FakeManilaV2()


def isa(circuit, backend):
    return generate_preset_pass_manager(1, backend=backend, seed_transpiler=1).run(circuit)


def cost_func(params, ansatz, hamiltonian, estimator, log):
    """Return estimate of energy from estimator, as in IBM's tutorial on VQE."""
    pub = (ansatz, [hamiltonian], [params])
    result = estimator.run(pubs=[pub]).result()
    energy = result[0].data.evs[0]
    log.append(params)
    return energy


def test_vqe_tutorial_in_a_session(backend):
    ansatz = isa(real_amplitudes(2, reps=1), backend)
    hamiltonian = HAMILTONIAN.apply_layout(ansatz.layout)
    log = []
    with runtime.Session(backend=backend) as session:
        estimator = ShotEstimator(runtime.EstimatorV2(mode=session), seed=1)
        result = minimize(
            cost_func,
            [0.5] * 4,
            args=(ansatz, hamiltonian, estimator, log),
            method=scipy_method("frugal"),
            options=OPTIONS | {"max_jobs": 10},
        )
    assert result.shots == estimator.ledger.shots <= 1000
    assert result.success
    assert log
    assert result.fun < -0.5  # from 0.78 at the start


def test_cost_of_scalar_shape(backend):
    """``float(...)`` inside the cost function: it takes one point at a time."""
    ansatz = isa(real_amplitudes(2, reps=1), backend)
    hamiltonian = HAMILTONIAN.apply_layout(ansatz.layout)

    def cost(params, estimator):
        return float(estimator.run([(ansatz, hamiltonian, params)]).result()[0].data.evs)

    with runtime.Session(backend=backend) as session:
        estimator = ShotEstimator(runtime.EstimatorV2(mode=session), seed=1)
        result = minimize(
            cost,
            [0.5] * 4,
            args=(estimator,),
            method=scipy_method("frugal"),
            options=OPTIONS | {"max_jobs": 3},
        )
    assert result.shots == estimator.ledger.shots <= 1000
    # one job found out that it takes one point, one that it is a plain expectation value
    assert result.jobs == estimator.ledger.jobs - 2


def test_cost_from_counts(backend):
    """Sampler counts, weighed by the user: MaxCut on a triangle with p = 1."""
    edges = [(0, 1), (1, 2), (0, 2)]
    circuit = QuantumCircuit(3)
    circuit.h(range(3))
    beta, gamma = Parameter("b"), Parameter("g")
    for edge in edges:
        circuit.rzz(gamma, *edge)
    circuit.rx(2 * beta, range(3))
    circuit.measure_all()
    circuit = isa(circuit, backend)

    def cut(bits):
        return sum(bits[i] != bits[j] for i, j in edges)

    def cost(params, ansatz, sampler):
        counts = sampler.run([(ansatz, params)]).result()[0].data.meas.get_counts()
        total = sum(counts.values())
        return -sum(cut(bits) * n for bits, n in counts.items()) / total

    with runtime.Session(backend=backend) as session:
        sampler = ShotSampler(runtime.SamplerV2(mode=session), seed=1)
        result = minimize(
            cost,
            [0.3, 0.3],
            args=(circuit, sampler),
            method=scipy_method("ar"),
            options={"max_shots": 1500, "shots": 12, "seed": 3},
        )
    assert result.shots == sampler.ledger.shots <= 1500
    assert result.fun < -1.2
    assert np.isfinite(result.fun_std)
