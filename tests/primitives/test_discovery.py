"""The primitives behind a loss are found by a dry run, and held by one optimizer at a time."""

from __future__ import annotations

import copy
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import EvolvedOperatorAnsatz, real_amplitudes
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQD, VQE, AdaptVQE, SamplingVQE
from qiskit_algorithms.optimizers import OptimizerResult
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ShotEstimator, ShotSampler, Stop
from qiskit_arcmaes.engine.prepare import prepare
from qiskit_arcmaes.primitives import PrimitiveInUseError, PrimitiveOracle, find_primitives
from qiskit_arcmaes.primitives.control import live_primitives
from qiskit_arcmaes.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*V2.*")

H2 = SparsePauliOp(["II", "IZ", "ZI", "ZZ", "XX"], [-1.05, 0.398, -0.398, -0.011, 0.181])
ISING = SparsePauliOp(["IZZ", "ZZI", "IIZ"], [1.0, 0.5, 0.2])
ANSATZ = real_amplitudes(2, reps=1)


class Finder:
    """An optimizer that finds the primitives, evaluates three points, and returns the start."""

    def __init__(self):
        self.found = []
        self.vectorized = []

    def __call__(self, fun, x0, jac=None, bounds=None):
        primitives = live_primitives()
        before = [primitive.ledger.state for primitive in primitives]
        dry = find_primitives(fun, x0)
        assert [primitive.ledger.state for primitive in primitives] == before
        assert dry.calls == 0
        self.found.append(dry.primitives)
        oracle = PrimitiveOracle(fun, dry.primitives, x0)
        price = oracle.price(3).at(20)
        values = oracle.evaluate(np.tile(x0, (3, 1)), 20).values
        assert values.shape == (3,)
        assert (
            0
            < oracle.spent
            - sum(
                state["shots"]
                for primitive, state in zip(primitives, before, strict=True)
                if primitive in dry.primitives
            )
            <= price
        )
        self.vectorized.append(oracle.vectorized)
        result = OptimizerResult()
        result.x, result.fun, result.nfev = np.asarray(x0, dtype=float), float(values[0]), 3
        return result

    minimize = __call__


def test_vqe():
    finder, estimator, other = Finder(), ShotEstimator(seed=1), ShotEstimator(seed=1)
    VQE(estimator, ANSATZ, finder).compute_minimum_eigenvalue(H2)
    assert finder.found == [(estimator,)]
    assert finder.vectorized == [True]
    assert other.ledger.jobs == 0


def test_qaoa_whose_sampler_is_called_in_a_worker_thread():
    finder, sampler = Finder(), ShotSampler(seed=1)
    QAOA(sampler, finder, reps=1, initial_point=[0.1, 0.2]).compute_minimum_eigenvalue(ISING)
    assert finder.found == [(sampler,)]
    assert finder.vectorized == [True]


def test_sampling_vqe():
    finder, sampler = Finder(), ShotSampler(seed=1)
    ansatz = real_amplitudes(3, reps=1)
    SamplingVQE(sampler, ansatz, finder).compute_minimum_eigenvalue(ISING)
    assert finder.found == [(sampler,)]


def test_vqd_has_two_from_the_second_state_on():
    finder, estimator, sampler = Finder(), ShotEstimator(seed=1), ShotSampler(seed=1)
    start = [np.zeros(4), np.ones(4)]
    vqd = VQD(estimator, ComputeUncompute(sampler), ANSATZ, finder, k=2, initial_point=start)
    vqd.compute_eigenvalues(H2)
    assert finder.found == [(estimator,), (estimator, sampler)]


def test_adapt_vqe():
    finder, estimator = Finder(), ShotEstimator(seed=1, shots=4000)
    pool = [SparsePauliOp("XY"), SparsePauliOp("YX")]
    ansatz = EvolvedOperatorAnsatz(pool, initial_state=QuantumCircuit(2))
    vqe = VQE(estimator, ansatz, finder)
    AdaptVQE(vqe, max_iterations=2).compute_minimum_eigenvalue(H2)
    assert finder.found
    assert set(finder.found) == {(estimator,)}


def test_neural_network_classifier_takes_one_point():
    classifiers = pytest.importorskip("qiskit_machine_learning.algorithms")
    networks = pytest.importorskip("qiskit_machine_learning.neural_networks")
    finder, estimator = Finder(), ShotEstimator(seed=1)
    circuit = encoded()
    network = networks.EstimatorQNN(
        circuit=circuit,
        input_params=circuit.parameters[-2:],
        weight_params=circuit.parameters[:-2],
        estimator=estimator,
    )
    classifier = classifiers.NeuralNetworkClassifier(network, optimizer=finder)
    features = np.random.default_rng(1).uniform(-1, 1, (8, 2))
    classifier.fit(features, np.sign(features[:, 0]))
    assert finder.found == [(estimator,)]
    assert finder.vectorized == [False]


def test_variational_quantum_classifier():
    classifiers = pytest.importorskip("qiskit_machine_learning.algorithms")
    finder, sampler = Finder(), ShotSampler(seed=1)
    feature_map = QuantumCircuit(2)
    feature_map.ry(Parameter("x0"), 0)
    feature_map.ry(Parameter("x1"), 1)
    classifier = classifiers.VQC(
        num_qubits=2, feature_map=feature_map, ansatz=ANSATZ, optimizer=finder, sampler=sampler
    )
    features = np.random.default_rng(1).uniform(-1, 1, (6, 2))
    classifier.fit(features, (features[:, 0] > 0).astype(int))
    assert finder.found == [(sampler,)]
    assert finder.vectorized == [False]


def encoded():
    """Two inputs and the weights of an ansatz; the inputs come last in the order of names."""
    circuit = QuantumCircuit(2)
    circuit.ry(Parameter("x0"), 0)
    circuit.ry(Parameter("x1"), 1)
    return circuit.compose(real_amplitudes(2, reps=1, parameter_prefix="w"))


def loss_on(estimator):
    return lambda x: float(estimator.run([(ANSATZ, H2, x)]).result()[0].data.evs)


def test_a_foreign_loss_is_called_once_and_says_so():
    calls = []
    estimator = ShotEstimator()

    def fun(x):
        calls.append(x)
        return loss_on(StatevectorEstimator())(x) if x.size == 4 else 1.0

    dry = find_primitives(fun, np.zeros(4))
    assert dry.primitives == ()
    assert dry.calls == len(calls) == 1
    assert np.isfinite(dry.value)
    assert estimator.ledger.jobs == 0


def test_a_foreign_loss_that_raises_counts_too():
    keep = ShotEstimator()

    def fun(x):
        raise ZeroDivisionError

    dry = find_primitives(fun, np.zeros(4))
    assert (dry.primitives, dry.calls) == ((), 1)
    assert np.isnan(dry.value)
    assert keep.ledger.jobs == 0


def test_a_loss_that_swallows_the_error_is_found_all_the_same():
    estimator = ShotEstimator()

    def fun(x):
        try:
            return loss_on(estimator)(x)
        except Exception:
            return 0.0

    assert find_primitives(fun, np.zeros(4)).primitives == (estimator,)


@pytest.mark.parametrize("kind", [ValueError, KeyError, RuntimeError])
def test_any_wrapping_of_the_error_is_seen_through(kind):
    estimator = ShotEstimator(seed=1)

    def fun(x):
        try:
            return loss_on(estimator)(x)
        except Exception:
            raise kind("the job failed") from None

    assert find_primitives(fun, np.zeros(4)).primitives == (estimator,)
    assert PrimitiveOracle(fun, [estimator], np.zeros(4)).price(1).per_shot == 2


def test_copies_are_found():
    estimator = copy.deepcopy(ShotEstimator(seed=1))
    assert find_primitives(loss_on(estimator), np.zeros(4)).primitives == (estimator,)


def test_primitives_that_nobody_refers_to_are_forgotten():
    count = len(live_primitives())
    made = [ShotEstimator() for _ in range(3)]
    assert len(live_primitives()) == count + 3
    del made
    gc.collect()
    assert len(live_primitives()) <= count


def test_failed_constructors_leave_nothing_behind():
    with pytest.raises(ValueError, match="shots") as caught:
        ShotEstimator(shots=0)
    assert caught.traceback
    keep = ShotEstimator()
    assert find_primitives(loss_on(keep), np.zeros(4)).primitives == (keep,)


def test_jobs_of_other_threads_are_run_while_a_dry_run_lasts():
    mine, theirs = ShotEstimator(seed=1, shots=10), ShotEstimator(seed=1, shots=10)
    inside, done = threading.Event(), threading.Event()
    values = []

    def other():
        inside.wait(30)
        values.append(loss_on(theirs)(np.zeros(4)))
        values.append(loss_on(mine)(np.zeros(4)))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def fun(x):
        inside.set()
        assert done.wait(30)
        return loss_on(mine)(x)

    assert find_primitives(fun, np.zeros(4)).primitives == (mine,)
    thread.join()
    assert np.isfinite(values).all()
    assert mine.ledger.jobs == theirs.ledger.jobs == 1  # those of the other thread


def test_dry_runs_wait_for_each_other():
    estimators = [ShotEstimator(seed=k) for k in range(4)]
    gate = threading.Barrier(4)

    def find(estimator):
        gate.wait(30)
        return [find_primitives(loss_on(estimator), np.zeros(4)).primitives for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(find, estimators))
    assert found == [[(estimator,)] * 20 for estimator in estimators]
    assert all(estimator.ledger.jobs == 0 for estimator in estimators)


def test_a_primitive_held_by_another_thread_is_not_recorded():
    held, free = ShotEstimator(seed=1, shots=10), ShotEstimator(seed=1, shots=10)
    holding, leave = threading.Event(), threading.Event()

    def hold():
        with held.leased():
            holding.set()
            assert leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(30)
    fun = lambda x: loss_on(held)(x) + loss_on(free)(x)  # noqa: E731
    assert find_primitives(fun, np.zeros(4)).primitives == (free,)
    leave.set()
    thread.join()
    assert held.ledger.jobs == 1  # fun really ran it


def test_work_in_a_thread_that_was_there_before_is_not_taken_for_foreign():
    estimator = ShotEstimator(seed=1, shots=10)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # the worker is there now
        fun = lambda x: pool.submit(loss_on(estimator), x).result()  # noqa: E731
        with pytest.raises(RuntimeError, match=r"ShotEstimator ran 20 shots.*primitive="):
            find_primitives(fun, np.zeros(4))
        oracle = PrimitiveOracle(fun, [estimator], np.zeros(4))  # what it says helps
        assert oracle.price(1).per_shot == 2


def test_a_second_optimizer_in_another_thread_is_refused_by_name():
    sampler = ShotSampler()
    with sampler.leased(), ThreadPoolExecutor(1) as pool:

        def use():
            with sampler.leased():
                return "used"

        with pytest.raises(PrimitiveInUseError, match=r"ShotSampler is in use.*primitive of its"):
            pool.submit(use).result()
        assert use() == "used"  # nested, in the same thread
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(use).result() == "used"


def test_a_dry_run_does_not_touch_a_primitive_that_another_thread_holds():
    """It would set its shots while the other one's job is prepared."""
    estimator = ShotEstimator(shots=77)
    seen = []

    def loss(points):
        seen.append(estimator.shots)
        return estimator.run([(ANSATZ, "ZZ", points)]).result()[0].data.evs

    def build():
        return PrimitiveOracle(loss, [estimator], np.zeros(ANSATZ.num_parameters))

    with estimator.leased(), ThreadPoolExecutor() as pool:
        assert isinstance(pool.submit(build).exception(), PrimitiveInUseError)
    assert (seen, estimator.shots) == ([], 77)


def test_what_others_run_before_a_run_begins_is_not_its_own():
    estimator = ShotEstimator(seed=1)

    def loss(points):
        return estimator.run([(ANSATZ, "ZZ", points)]).result()[0].data.evs

    start = np.full(ANSATZ.num_parameters, 0.3)
    oracle = PrimitiveOracle(loss, [estimator], start, vectorized=True)
    run = prepare(oracle, start, Settings(max_shots=2000, method="cma", seed=1))
    estimator.run([(ANSATZ, "ZZ", start)])
    before = estimator.ledger.shots
    result = run.run()
    assert result.shots == estimator.ledger.shots - before <= 2000
    assert result.stop is Stop.BUDGET
