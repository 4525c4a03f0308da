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

from qiskit_arcmaes import OracleError, ShotEstimator, ShotSampler, scipy_method

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
        estimator.options.default_shots = 5000  # a line of the tutorial: the optimizer decides
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


def test_options_are_those_of_the_primitive_inside(backend):
    inner = runtime.EstimatorV2(mode=backend)
    estimator = ShotEstimator(inner)
    estimator.options.dynamical_decoupling.enable = True
    assert inner.options.dynamical_decoupling.enable is True
    with pytest.raises(AttributeError, match=r"built-in ShotSampler has no options: say shots="):
        ShotSampler().options.default_shots = 10


def test_lists_and_counters_of_the_tutorial():
    """Its ``cost_history_dict``: one number and one point per call, as with scipy's methods."""
    kept = {"prev_vector": None, "iters": 0, "cost_history": []}

    def cost(params, ansatz, hamiltonian, estimator):
        energy = estimator.run(pubs=[(ansatz, [hamiltonian], [params])]).result()[0].data.evs[0]
        kept["iters"] += 1
        kept["prev_vector"] = params
        kept["cost_history"].append(energy)
        return energy

    estimator = ShotEstimator(seed=1)
    ansatz = real_amplitudes(2, reps=1)
    seen = []
    result = minimize(
        cost,
        [0.5] * 4,
        args=(ansatz, HAMILTONIAN, estimator),
        method=scipy_method("frugal"),
        callback=lambda intermediate_result: seen.append(intermediate_result.fun),
        options={"max_shots": 3000, "seed": 3},
    )
    assert all(np.ndim(energy) == 0 for energy in kept["cost_history"])
    assert len(kept["cost_history"]) == kept["iters"] > 0
    assert kept["prev_vector"].shape == (4,)
    # what the jobs that went to the estimator directly found, too
    assert seen == result.history["value"].tolist()
    assert result.shots == estimator.ledger.shots <= 3000


@pytest.mark.parametrize("spends", [True, False])
def test_an_estimator_and_a_sampler(spends):
    """One after the other they could not be counted, and are refused before a shot."""
    estimator, sampler = ShotEstimator(seed=1), ShotSampler(seed=2)
    ansatz = real_amplitudes(2, reps=1)
    measured = ansatz.measure_all(inplace=False)

    def cost(params, estimator, sampler):
        estimated = estimator.run([(ansatz, HAMILTONIAN, params)])
        energy = None if spends else estimated.result()[0].data.evs
        counts = sampler.run([(measured, params)]).result()[0].data.meas.get_counts()
        energy = estimated.result()[0].data.evs if spends else energy
        return energy + counts.get("11", 0) / sum(counts.values())

    def run():
        return minimize(
            cost, [0.5] * 4, args=(estimator, sampler), method=scipy_method("frugal"),
            options={"max_shots": 3000, "seed": 3},
        )  # fmt: skip

    if spends:
        assert run().shots == estimator.ledger.shots + sampler.ledger.shots <= 3000
    else:
        with pytest.raises(OracleError, match="is given a ShotSampler"):
            run()
        assert estimator.ledger.shots == sampler.ledger.shots == 0


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
    # one job more found out that it is a plain expectation value
    assert result.jobs == estimator.ledger.jobs - 1


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
