"""Ctrl-C while a thread of the loss is at work: what it still does afterwards changes nothing.

QAOA and fidelities evaluate in a thread of their own, which no interrupt reaches. Every test stops
that thread at one moment, interrupts the main thread there, and lets the two go on in the order
that would do harm.
"""

import signal
import threading

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import BaseEstimatorV2, PrimitiveJob, StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA

from qiskit_arcmaes import CMAES, ShotEstimator, ShotSampler, Stop, minimize
from qiskit_arcmaes.engine.checkpoint import load
from qiskit_arcmaes.primitives import CalledOffError
from qiskit_arcmaes.primitives.calls import Threads

from ..runs import same

ISING = SparsePauliOp(["ZZ", "ZI", "IZ"], [1.0, 0.4, -0.3])
ANSATZ = real_amplitudes(2, reps=1)
SOON = 1.0  # seconds that a thread waits for what must not happen


@pytest.fixture(autouse=True)
def handled():
    """Tests may run in the background, where Python ignores the interrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_main():
    """Ctrl-C, from the thread of the loss."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


class Moments:
    """What the two threads wait for; ``errors`` are those of the loss's thread."""

    def __init__(self):
        self.left, self.finished, self.errors = threading.Event(), threading.Event(), []


def threaded(estimator, moments, hold=lambda: None):
    """A loss that evaluates in a thread, as QAOA does.

    Args:
        estimator: What it runs on.
        moments: Told when the main thread leaves the loss early, and when its thread is through.
        hold: Called in the main thread before it leaves the loss early.
    """

    def fun(points):
        def work():
            try:
                return estimator.run([(ANSATZ, ISING, points)]).result()[0].data.evs
            except CalledOffError as error:
                moments.errors.append(error)
                raise
            finally:
                if moments.left.is_set():
                    moments.finished.set()

        job = PrimitiveJob(work)
        job._submit()
        try:
            return job.result()
        except KeyboardInterrupt:
            moments.left.set()
            hold()
            raise

    return fun


def solve(estimator, moments, hold=lambda: None, **more):
    settings = {"method": "cma", "max_jobs": 8, "vectorized": True, **more}
    fun = threaded(estimator, moments, hold)
    return minimize(fun, [0.4] * 4, max_shots=3000, seed=3, **settings)


class Drawing(np.random.Generator):
    """Calls something before one of its draws."""

    def __init__(self, seed, at=None, do=None):
        super().__init__(np.random.PCG64(seed))
        self.left, self.do = at, do

    def multinomial(self, *arguments, **more):
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                self.do()
        return super().multinomial(*arguments, **more)


def test_a_thread_in_the_middle_of_its_job_is_waited_for_and_charges_nothing(tmp_path):
    """It would be charged after the run has found the job unpaid, and draw from its generator."""
    path, moments = tmp_path / "run", Moments()

    def interrupt():
        interrupt_main()
        moments.left.wait()

    estimator = ShotEstimator(seed=Drawing(5, at=5, do=interrupt))
    stopped = solve(estimator, moments, lambda: moments.finished.wait(SOON), checkpoint=path)
    assert moments.finished.wait()
    assert stopped.stop is Stop.INTERRUPTED
    assert len(moments.errors) == 1
    assert estimator.ledger.shots == stopped.shots == load(path)["history"]["spent"][-1]
    whole = solve(ShotEstimator(seed=Drawing(5)), Moments())
    same(solve(ShotEstimator(seed=Drawing(5)), Moments(), checkpoint=path, resume=True), whole)


def test_a_generator_is_set_back_only_after_the_thread_that_draws_from_it(tmp_path):
    path, moments, restored = tmp_path / "run", Moments(), threading.Event()

    class Restored(ShotEstimator):
        """Tells when it is set back, and gives the thread time to do harm then."""

        state = property(
            lambda self: ShotEstimator.state.fget(self),
            lambda self, state: self.set_back(state),
        )

        def set_back(self, state):
            ShotEstimator.state.fset(self, state)
            restored.set()
            assert moments.finished.wait()

    def interrupt():
        interrupt_main()
        restored.wait(SOON)

    estimator = Restored(seed=Drawing(5, at=5, do=interrupt))
    assert solve(estimator, moments, checkpoint=path).stop is Stop.INTERRUPTED
    whole = solve(ShotEstimator(seed=Drawing(5)), Moments())
    same(solve(ShotEstimator(seed=Drawing(5)), Moments(), checkpoint=path, resume=True), whole)


def test_a_thread_that_comes_to_its_job_later_is_refused(tmp_path):
    """Also after the end of the run, when nobody waits for it any more."""
    path, left, finished = tmp_path / "run", threading.Event(), threading.Event()
    errors = []

    class Late(ShotSampler):
        calls = 0

        def run(self, pubs, *, shots=None):
            if self._recording is not None:
                return super().run(pubs, shots=shots)
            self.calls += 1
            if self.calls != 3:
                return super().run(pubs, shots=shots)
            interrupt_main()
            left.wait()
            try:
                return super().run(pubs, shots=shots)
            except CalledOffError as error:
                errors.append(error)
                raise
            finally:
                finished.set()

    def compute(sampler, **more):
        optimizer = CMAES(700, primitive=sampler, seed=2, max_jobs=8, **more)
        qaoa = QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.4])
        return qaoa.compute_minimum_eigenvalue(ISING).optimizer_result

    sampler = Late(seed=4, shots=50)
    with pytest.raises(KeyboardInterrupt) as stopped:
        compute(sampler, checkpoint=path, on_interrupt="raise")
    saved = sampler.state
    left.set()
    assert finished.wait()
    assert len(errors) == 1
    assert sampler.state == saved
    assert sampler.ledger.shots == stopped.value.result.shots
    same(
        compute(ShotSampler(seed=4, shots=50), checkpoint=path, resume=True),
        compute(ShotSampler(seed=4, shots=50)),
    )


def test_the_primitive_serves_the_same_process_again(tmp_path):
    """Its other threads, too: only the one that was left behind is refused."""
    moments = Moments()

    def interrupt():
        interrupt_main()
        moments.left.wait()

    path, estimator = tmp_path / "run", ShotEstimator(seed=Drawing(5, at=5, do=interrupt))
    assert solve(estimator, moments, checkpoint=path).stop is Stop.INTERRUPTED
    resumed = solve(estimator, Moments(), checkpoint=path, resume=True)
    same(resumed, solve(ShotEstimator(seed=Drawing(5)), Moments()))
    assert resumed.shots == estimator.ledger.shots


class QueuedJob:
    """A job that waits in a queue until that is open."""

    def __init__(self, job, queue):
        self.job, self.queue = job, queue

    def result(self):
        self.queue.arrive()
        self.queue.open.wait()
        return self.job.result()


class Queue(BaseEstimatorV2):
    """An estimator whose fifth job waits in a queue."""

    def __init__(self, arrive):
        self._inner = StatevectorEstimator(seed=np.random.default_rng(1))
        self.jobs, self.arrive, self.open = 0, arrive, threading.Event()

    def run(self, pubs, *, precision=None):
        self.jobs += 1
        job = self._inner.run(pubs, precision=precision)
        return QueuedJob(job, self) if self.jobs == 5 else job


def test_a_thread_that_waits_for_a_service_is_not_waited_for_and_not_charged(tmp_path):
    """A queue may take hours: Ctrl-C works at once, and what comes later is not wanted."""
    path, moments, service = tmp_path / "run", Moments(), Queue(interrupt_main)
    estimator = ShotEstimator(service)
    stopped = solve(estimator, moments, checkpoint=path)
    assert stopped.stop is Stop.INTERRUPTED
    saved = estimator.state
    service.open.set()
    assert moments.finished.wait()
    assert len(moments.errors) == 1
    assert estimator.state == saved
    assert estimator.ledger.shots == stopped.shots


def test_an_interrupt_in_the_main_thread_stays_an_interrupt(tmp_path):
    """Where the loss has no thread of its own, it comes while the service is waited for."""
    path, service = tmp_path / "run", Queue(interrupt_main)

    def solve_here(estimator, **more):
        def fun(points):
            return estimator.run([(ANSATZ, ISING, points)]).result()[0].data.evs

        settings = {"method": "cma", "seed": 3, "max_jobs": 8, "vectorized": True, **more}
        return minimize(fun, [0.4] * 4, max_shots=3000, checkpoint=path, **settings)

    estimator = ShotEstimator(service)
    assert solve_here(estimator).stop is Stop.INTERRUPTED
    assert estimator.ledger.failures == 0
    estimator = ShotEstimator(service)
    resumed = solve_here(estimator, resume=True)
    assert resumed.success
    assert resumed.shots == estimator.ledger.shots


def test_an_interrupted_dry_run_leaves_no_thread_that_runs_in_earnest():
    """The recording is over when the thread comes to its job."""
    left, finished, errors = threading.Event(), threading.Event(), []
    estimator = ShotEstimator(seed=1)

    def fun(points):
        def work():
            interrupt_main()
            left.wait()
            try:
                return estimator.run([(ANSATZ, ISING, points)]).result()[0].data.evs
            except CalledOffError as error:
                errors.append(error)
                raise
            finally:
                finished.set()

        job = PrimitiveJob(work)
        job._submit()
        return job.result()

    with pytest.raises(KeyboardInterrupt):
        minimize(fun, [0.4] * 4, max_shots=3000, seed=3)
    left.set()
    assert finished.wait()
    assert len(errors) == 1
    assert estimator.ledger.shots == 0


def test_a_thread_left_behind_on_one_primitive_may_use_another():
    """It may be another optimizer's, started at the same time."""
    one, other, pub = ShotEstimator(shots=10), ShotEstimator(shots=10), (ANSATZ, "ZZ", [0.4] * 4)
    threads, left, told = Threads(), threading.Event(), []

    def work():
        left.wait()
        other.run([pub])
        try:
            one.run([pub])
        except CalledOffError as error:
            told.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    threads.leave_behind([one])
    left.set()
    thread.join()
    one.run([pub])
    assert (one.ledger.shots, other.ledger.shots) == (10, 10)
    assert "made anew" in told[0]
