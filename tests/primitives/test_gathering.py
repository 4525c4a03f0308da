"""Losses of one point: their calls become one job, each keeps its own values."""

import signal
import threading
import time

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import SparsePauliOp, Statevector

from qiskit_arcmaes import OracleError, ShotEstimator, ShotSampler, Stop, minimize
from qiskit_arcmaes.primitives import PrimitiveOracle, gathering
from qiskit_arcmaes.primitives.gathering import gather

from .service import EstimatorService

ANSATZ = real_amplitudes(2, reps=1)
OPERATOR = SparsePauliOp(["ZZ", "XI"], [1.0, 0.5])
POINTS = np.random.default_rng(5).uniform(-2, 2, (6, 4))
EXACT = [Statevector(ANSATZ.assign_parameters(p)).expectation_value(OPERATOR).real for p in POINTS]


def energy(estimator, observable=OPERATOR):
    def fun(x):
        return float(estimator.run([(ANSATZ, observable, x)]).result()[0].data.evs)

    return fun


def oracle(estimator, fun=None, **options):
    return PrimitiveOracle(fun or energy(estimator), [estimator], np.zeros(4), **options)


@pytest.mark.parametrize("make", [ShotEstimator, lambda: ShotEstimator(StatevectorEstimator())])
def test_one_job_for_a_batch_and_the_value_of_each_point(make):
    estimator = make()
    loss = oracle(estimator, vectorized=False)
    estimate = loss.evaluate(POINTS, 100_000)
    assert estimator.ledger.jobs == 1
    assert estimator.ledger.shots == loss.price(6).at(100_000)
    np.testing.assert_allclose(estimate.values, EXACT, atol=0.03)


def test_variances_are_those_of_each_point():
    estimator = ShotEstimator(seed=1)
    estimate = oracle(estimator, vectorized=False).evaluate(POINTS, 100)
    together = ShotEstimator(seed=1)
    together.shots = 100
    together.run([(ANSATZ, OPERATOR, POINTS)])
    np.testing.assert_allclose(estimate.variances, together.last_variances)


def test_arrays_of_observables_and_of_points():
    """``[hamiltonian]`` and ``[params]``, as in tutorials, and two values per call."""
    estimator = ShotEstimator(seed=1, shots=100_000)
    pair = [["ZZ"], ["XI"]]

    def both(x):
        data = estimator.run([(ANSATZ, pair, [x, -x])]).result()[0].data
        assert data.evs.shape == (2, 2)
        return data.evs

    for row, value in gather([lambda x=x: both(x) for x in POINTS], [estimator]):
        alone = ShotEstimator(seed=2, shots=100_000).run(
            [(ANSATZ, pair, [POINTS[row], -POINTS[row]])]
        )
        np.testing.assert_allclose(value, alone.result()[0].data.evs, atol=0.03)
    assert estimator.ledger.jobs == 1


def test_several_rounds_of_different_length():
    estimator = ShotEstimator(seed=1, shots=100_000)
    fun = energy(estimator)

    def repeated(x, times):
        return [fun(x) for _ in range(times)]

    calls = [
        lambda x=x, n=n: repeated(x, n) for x, n in zip(POINTS, (3, 1, 2, 1, 1, 3), strict=True)
    ]
    values = dict(gather(calls, [estimator]))
    assert estimator.ledger.jobs == 3
    for row, exact in enumerate(EXACT):
        np.testing.assert_allclose(values[row], exact, atol=0.03)


@pytest.mark.parametrize("make", [ShotSampler, lambda: ShotSampler(StatevectorSampler())])
def test_samplers(make):
    angle = Parameter("t")
    circuit = QuantumCircuit(1)
    circuit.ry(angle, 0)
    circuit.measure_all()
    sampler = make()

    def ones(x):
        counts = sampler.run([(circuit, x)]).result()[0].data.meas.get_counts()
        return counts.get("1", 0) / sum(counts.values())

    loss = PrimitiveOracle(ones, [sampler], np.zeros(1))
    angles = np.array([[0.0], [1.0], [np.pi]])
    estimate = loss.evaluate(angles, 20_000)
    np.testing.assert_allclose(estimate.values, np.sin(angles[:, 0] / 2) ** 2, atol=0.02)
    assert sampler.ledger.jobs <= 2  # the first finds out that fun takes one point


def test_bound_circuits():
    estimator = ShotEstimator(seed=1)

    def fun(x):
        bound = ANSATZ.assign_parameters(x)
        return estimator.run([(bound, OPERATOR)]).result()[0].data.evs

    estimate = oracle(estimator, fun, vectorized=False).evaluate(POINTS, 100_000)
    np.testing.assert_allclose(estimate.values, EXACT, atol=0.03)
    assert estimator.ledger.jobs == 1


def test_the_same_seed_gives_the_same_run():
    runs = [
        minimize(energy(ShotEstimator(seed=4)), [0.3] * 4, max_shots=4000, seed=1, vectorized=False)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)
    assert runs[0].fun == runs[1].fun


def test_many_points_in_few_threads(monkeypatch):
    monkeypatch.setattr(gathering, "MOST_THREADS", 4)
    estimator = ShotEstimator(seed=1)
    estimate = oracle(estimator, vectorized=False).evaluate(POINTS, 100_000)
    np.testing.assert_allclose(estimate.values, EXACT, atol=0.03)
    assert estimator.ledger.jobs == 2


def test_an_error_in_the_loss_comes_out_and_ends_the_threads():
    estimator = ShotEstimator(seed=1)
    fun = energy(estimator)

    def fails(x):
        value = fun(x)
        if x[0] == POINTS[2, 0]:
            raise ZeroDivisionError("a bug of the user's")
        return value

    loss = oracle(estimator, fails, vectorized=False)
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError, match="bug of the user"):
        loss.evaluate(POINTS, 10)
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert not set(threading.enumerate()) - before
    assert oracle(estimator, vectorized=False).evaluate(POINTS, 10).values.shape == (6,)


def test_a_failed_job_comes_out_of_the_run():
    estimator = ShotEstimator(EstimatorService().misbehave(), retries=0)
    fun = energy(estimator)
    loss = oracle(estimator, fun, vectorized=False)
    loss.evaluate(POINTS, 10)
    estimator._engine.primitive.misbehave("fail")
    with pytest.raises(OracleError, match="job failed"):
        loss.evaluate(POINTS, 10)


def test_a_keyboard_interrupt_abandons_the_batch():
    estimator = ShotEstimator(seed=1)
    fun = energy(estimator)
    calls = [lambda x=x: fun(x) for x in POINTS]

    def interrupt():
        raise KeyboardInterrupt

    calls.insert(3, interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(gather(calls, [estimator]))
    assert estimator.ledger.shots == 0
    assert fun(POINTS[0])


def test_threads_that_the_loss_starts_itself_run_at_once():
    from concurrent.futures import ThreadPoolExecutor

    estimator = ShotEstimator(seed=1)
    fun = energy(estimator)

    def in_a_thread(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(fun, x).result()

    estimate = oracle(estimator, in_a_thread, vectorized=False).evaluate(POINTS, 100_000)
    np.testing.assert_allclose(estimate.values, EXACT, atol=0.03)


def test_ctrl_c_while_the_loss_runs():
    """The signal comes while a thread of the batch is in the user's code."""
    estimator = ShotEstimator(seed=1)
    fun = energy(estimator)
    calls = []

    def interrupted(x):
        calls.append(1)
        if len(calls) == 40:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.2)  # the main thread gets it now
        return fun(x)

    result = minimize(
        interrupted, [0.3] * 4, max_shots=100_000, method="ar", seed=1, vectorized=False
    )
    assert result.stop is Stop.INTERRUPTED
    assert result.shots == estimator.ledger.shots
    assert np.isfinite(fun(POINTS[0]))  # the primitive runs by itself again


def test_a_call_that_does_not_end_runs_nothing_later(monkeypatch):
    monkeypatch.setattr(gathering, "_PATIENCE", 0.0)
    estimator = ShotEstimator(seed=1)
    fun = energy(estimator)
    leave = threading.Event()

    def slow(x):
        signal.raise_signal(signal.SIGINT)
        leave.wait(5)
        return fun(x)

    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        list(gather([lambda x=x: slow(x) for x in POINTS], [estimator]))
    assert np.isfinite(fun(POINTS[0]))
    leave.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert estimator.ledger.jobs == 1
