"""The loss of an algorithm as an oracle: prices, traits, losses of one point, constant losses."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import BackendEstimatorV2, StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator
from qiskit_algorithms import VQE

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.oracles import Oracle, OracleError
from qiskit_arcmaes.primitives import JobFailedError, PrimitiveOracle
from qiskit_arcmaes.primitives.recording import causes

from .service import EstimatorService

ANSATZ = real_amplitudes(2, reps=1)
OPERATOR = SparsePauliOp(["ZZ", "XX", "II"], [1.0, 0.5, 0.2])  # two bases
X0 = np.full(4, 0.3)


def batch_loss(estimator, operator=OPERATOR):
    return lambda points: estimator.run([(ANSATZ, operator, points)]).result()[0].data.evs


def point_loss(estimator):
    """As users write it: a number out, and only for one point."""
    return lambda point: float(
        estimator.run([(ANSATZ, OPERATOR, point)]).result()[0].data.evs.item()
    )


def scipy_loss(estimator):
    """As IBM's tutorials write it."""

    def cost(params):
        result = estimator.run([(ANSATZ, [OPERATOR], [params])]).result()
        return result[0].data.evs[0]

    return cost


def strict_loss(estimator):
    """Fails before it submits anything when it is given two points."""

    def cost(params):
        (size,) = params.shape
        assert size == 4
        return estimator.run([(ANSATZ, OPERATOR, params)]).result()[0].data.evs

    return cost


def test_it_is_an_oracle_with_its_traits():
    oracle = PrimitiveOracle(batch_loss(estimator := ShotEstimator(seed=1)), [estimator], X0)
    assert isinstance(oracle, Oracle)
    assert oracle.angles
    assert oracle.few_jobs
    assert oracle.reports_variances
    assert oracle.min_shots == 1
    noisy = ShotEstimator(backend=AerSimulator())
    assert PrimitiveOracle(batch_loss(noisy), [noisy], X0).min_shots == 2
    assert not PrimitiveOracle(
        batch_loss(e := ShotEstimator(StatevectorEstimator())), [e], X0
    ).reports_variances


@pytest.mark.parametrize("loss", [batch_loss, point_loss, scipy_loss, strict_loss])
@pytest.mark.parametrize("vectorized", [None, False])
def test_every_form_of_loss_is_evaluated_at_the_price_told(loss, vectorized):
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(loss(estimator), [estimator], X0, vectorized)
    points = np.random.default_rng(1).uniform(-1, 1, (5, 4))
    for shots in (10**6, 10):
        price = oracle.price(5).at(shots)
        before = oracle.spent
        estimate = oracle.evaluate(points, shots)
        assert oracle.spent - before <= price
        assert oracle.spent == estimator.ledger.shots
        if shots == 10**6:
            truth = batch_loss(ShotEstimator(shots=10**8, seed=2))(points)
            assert np.allclose(estimate.values, truth, atol=0.02)  # 10 deviations
        assert estimate.variances.shape == (5,)
    assert oracle.price(5).at(10) == oracle.spent - before  # exact after the first job


def test_arrays_are_one_job():
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(batch_loss(estimator), [estimator], X0, vectorized=True)
    oracle.evaluate(np.tile(X0, (7, 1)), 10)
    assert estimator.ledger.jobs == 1


def test_what_is_known_of_a_loss_is_part_of_the_state():
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(point_loss(estimator), [estimator], X0)
    points = np.tile(X0, (3, 1))
    oracle.evaluate(points, 10)
    saved = oracle.state
    wanted = oracle.evaluate(points, 10).values
    other = ShotEstimator(seed=2)
    resumed = PrimitiveOracle(point_loss(other), [other], X0)
    resumed.state = saved
    assert resumed.price(3) == oracle.price(3)
    assert np.array_equal(resumed.evaluate(points, 10).values, wanted)
    assert resumed.spent == oracle.spent


def test_a_loss_that_was_said_to_take_arrays_and_does_not():
    estimator = ShotEstimator(seed=1)
    fun = lambda x: estimator.run([(ANSATZ, OPERATOR, x)]).result()[0].data.evs.sum()  # noqa: E731
    oracle = PrimitiveOracle(fun, [estimator], X0, vectorized=True)
    with pytest.raises(OracleError, match="vectorized=False"):
        oracle.evaluate(np.tile(X0, (3, 1)), 10)


def test_the_argument_is_a_copy():
    estimator = ShotEstimator(seed=1)

    def fun(points):
        points *= 2
        return batch_loss(estimator)(points)

    points = np.tile(X0, (3, 1))
    PrimitiveOracle(fun, [estimator], X0, vectorized=True).evaluate(points, 10)
    assert np.array_equal(points, np.tile(X0, (3, 1)))


def test_the_check_of_a_seed_is_in_the_price_of_the_first_job_only():
    estimator = ShotEstimator(EstimatorService().misbehave(), shots=5)
    oracle = PrimitiveOracle(batch_loss(estimator), [estimator], X0, vectorized=True)
    first = oracle.price(3)
    oracle.evaluate(np.tile(X0, (3, 1)), 10)
    assert oracle.spent == first.at(10)
    assert oracle.price(3).fixed == 0 < first.fixed


@pytest.mark.parametrize(
    "make",
    [
        ShotEstimator,
        lambda: ShotEstimator(StatevectorEstimator()),
        lambda: ShotEstimator(BackendEstimatorV2(backend=AerSimulator())),
    ],
)
def test_a_multiple_of_the_identity_is_refused(make):
    estimator = make()
    fun = batch_loss(estimator, SparsePauliOp(["II"], [2.5]))
    with pytest.raises(ValueError, match=r"multiple of the identity.*2\.5 everywhere"):
        PrimitiveOracle(fun, [estimator], X0)
    assert estimator.ledger.jobs == 0


def test_shots_that_cannot_be_changed_are_refused():
    sampler = ShotSampler(seed=1)
    measured = ANSATZ.measure_all(inplace=False)
    fun = lambda x: sampler.run([(measured, x, 100)]).result()[0].data.meas.expectation_values("ZZ")  # noqa: E731
    with pytest.raises(ValueError, match="its own precision or shots"):
        PrimitiveOracle(fun, [sampler], X0)


@pytest.mark.parametrize("number", [np.asarray, float])
def test_a_second_job_that_no_dry_run_shows_is_refused_with_a_way_out(number):
    """A dry run ends where the first result is asked for: the price would be too low."""
    estimator = ShotEstimator(seed=1)
    first, second = batch_loss(estimator), batch_loss(estimator, SparsePauliOp("ZZ"))
    oracle = PrimitiveOracle(lambda x: number(first(x)) + number(second(x)), [estimator], X0)
    with pytest.raises(OracleError, match=r"after a result.*one call of run"):
        oracle.evaluate(np.tile(X0, (3, 1)), 50)


def test_a_primitive_that_is_not_used():
    with pytest.raises(ValueError, match=r"not used.*dry run.*very same object"):
        PrimitiveOracle(batch_loss(ShotEstimator()), [ShotEstimator()], X0)


def test_the_original_error_of_a_failed_job_is_kept():
    service = EstimatorService().misbehave()
    estimator = ShotEstimator(service, retries=0)
    loss = VQE(estimator, ANSATZ, None)._get_evaluate_energy(ANSATZ, OPERATOR)
    oracle = PrimitiveOracle(loss, [estimator], X0)
    oracle.evaluate([X0], 10)
    service.misbehave("refuse")
    with pytest.raises(JobFailedError) as caught:
        oracle.evaluate([X0], 10)
    assert isinstance(caught.value.__cause__, ConnectionError)
    chain = list(causes(caught.value))
    assert len(chain) == len({id(error) for error in chain})
    assert caught.value.__cause__.__cause__ is None


def test_an_optimizer_wins_over_the_precision_of_a_call():
    """EstimatorQNN passes its own with every call."""
    estimator = ShotEstimator(seed=1, shots=7)
    fun = lambda x: estimator.run([(ANSATZ, OPERATOR, x)], precision=0.1).result()[0].data.evs  # noqa: E731
    oracle = PrimitiveOracle(fun, [estimator], X0, vectorized=True)
    assert estimator.shots == 7
    assert oracle.price(3).at(50) == 3 * 2 * 50
    oracle.evaluate(np.tile(X0, (3, 1)), 50)
    assert oracle.spent == 300
    estimator.shots = 7
    fun(X0)
    assert oracle.spent == 300 + 2 * 100
