"""Which losses may be measured around ``fun``: those that return what their estimator delivers."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQD, VQE
from qiskit_algorithms.optimizers import OptimizerResult
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ShotEstimator, ShotSampler, minimize
from qiskit_arcmaes.oracles import MeasurementPlan, NotPlainError, OracleError
from qiskit_arcmaes.primitives import PrimitiveOracle

from .service import EstimatorService

ANSATZ = real_amplitudes(2, reps=1)
OPERATOR = SparsePauliOp(["ZZ", "XX", "II"], [1.0, 0.5, 0.2])
OTHER = SparsePauliOp(["ZZ", "XX", "II"], [1.0, 0.6, 0.2])
POINTS = np.random.default_rng(1).uniform(-3, 3, (4, 4))
PLAN = MeasurementPlan(POINTS, np.full((4, 2), 5), np.zeros(4, int), np.zeros((1, 2), int))


def run(estimator, points, operator=OPERATOR):
    return estimator.run([(ANSATZ, operator, points)]).result()[0].data.evs


def vqe(estimator):
    return VQE(estimator, ANSATZ, None)._get_evaluate_energy(ANSATZ, OPERATOR)


def optimization_vqe(estimator):
    package = pytest.importorskip("qiskit_optimization.minimum_eigensolvers")
    return package.VQE(estimator, ANSATZ, None)._get_evaluate_energy(ANSATZ, OPERATOR)


def a_pub_for_each_point(estimator):
    def fun(points):
        pubs = [(ANSATZ, OPERATOR, point) for point in np.atleast_2d(points)]
        return np.array([result.data.evs for result in estimator.run(pubs).result()])

    return fun


def of_one_point(estimator):
    return lambda point: float(run(estimator, point).item())


def scipy_style(estimator):
    def cost(params):
        return estimator.run([(ANSATZ, [OPERATOR], [params])]).result()[0].data.evs[0]

    return cost


def of_bound_circuits(estimator):
    def cost(params):
        bound = ANSATZ.assign_parameters(params)
        return float(estimator.run([(bound, OPERATOR)]).result()[0].data.evs)

    return cost


PLAIN = {
    "VQE": vqe,
    "VQE of qiskit-optimization": optimization_vqe,
    "arrays": lambda e: lambda x: run(e, x),
    "a pub for each point": a_pub_for_each_point,
    "one point": of_one_point,
    "scipy": scipy_style,
    "bound circuits": of_bound_circuits,
    "other angles": lambda e: lambda x: run(e, 2 * np.asarray(x)[..., ::-1] + 0.3),
}
pytestmark = pytest.mark.filterwarnings("ignore:Using Estimator V2:UserWarning")


@pytest.mark.parametrize("loss", PLAIN.values(), ids=PLAIN.keys())
def test_plain_losses_are_measured_at_the_price_told(loss, recwarn):
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(loss(estimator), [estimator], POINTS[0])
    assert oracle.circuit is not None
    recwarn.clear()
    price = oracle.price_plan(PLAN)
    oracle.measure(PLAN)
    assert oracle.spent <= price <= PLAN.total + 5 * 2
    before = oracle.spent
    assert oracle.price_plan(PLAN) == PLAN.total
    many = MeasurementPlan(POINTS, np.full((4, 2), 10**6), PLAN.partition, PLAN.parts)
    means = oracle.measure(many).means
    assert oracle.spent - before == many.total
    assert oracle.circuit is not None
    values = oracle.evaluate(POINTS, 10**6).values
    sums = means.sum(axis=(1, 2)) + oracle.circuit.constant
    assert np.all(np.abs(values - sums) < 6 * np.sqrt(2 * 1.25 / 10**6))  # 6 deviations
    assert not recwarn.list


def changing_observable(estimator):
    """As a loss of random batches: another observable from call to call."""
    turns = itertools.cycle([OPERATOR, OTHER])
    return lambda x: run(estimator, x, next(turns))


def second_job(estimator):
    """Returns the second of two values; a dry run shows the first alone."""

    def fun(points):
        run(estimator, points)
        return run(estimator, points)

    return fun


TRANSFORMED = {
    "scaled": lambda e: lambda x: 2 * run(e, x),
    "slightly scaled": lambda e: lambda x: (1 + 1e-11) * run(e, x),
    "shifted": lambda e: lambda x: run(e, x) - 1,
    "squared": lambda e: lambda x: run(e, x) ** 2,
    "penalised": lambda e: lambda x: run(e, x) + 0.1 * np.sum(np.square(x), axis=-1),
    "another observable each time": changing_observable,
}


@pytest.mark.parametrize("loss", TRANSFORMED.values(), ids=TRANSFORMED.keys())
def test_transformed_values_end_planned_measurement(loss, recwarn):
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(loss(estimator), [estimator], POINTS[0], vectorized=True)
    assert oracle.circuit is not None
    price = oracle.price_plan(PLAN)
    with (
        pytest.warns(UserWarning, match="other values than its estimator delivered"),
        pytest.raises(NotPlainError),
    ):
        oracle.measure(PLAN)
    assert 0 < oracle.spent < price
    assert oracle.circuit is oracle.spectra is oracle.mean_loss is None
    assert np.array_equal(oracle.circuit_frequencies, np.ones(4))
    recwarn.clear()
    for question in (oracle.measure, oracle.price_plan):
        with pytest.raises(NotPlainError):
            question(PLAN)
    oracle.evaluate(POINTS, 10)
    assert not recwarn.list
    other = ShotEstimator(seed=1)
    resumed = PrimitiveOracle(loss(other), [other], POINTS[0], vectorized=True)
    resumed.state = json.loads(json.dumps(oracle.state))
    assert resumed.circuit is resumed.spectra is resumed.mean_loss is None


def test_the_second_of_two_jobs_is_never_measured_by_plan():
    """No dry run shows that job, so no price includes it: the loss is refused before the plan."""
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(second_job(estimator), [estimator], POINTS[0], vectorized=True)
    price = oracle.price_plan(PLAN)
    with pytest.raises(OracleError, match="submits a further job after a result"):
        oracle.measure(PLAN)
    assert 0 < oracle.spent < price


def test_a_loss_that_is_transformed_later():
    estimator, factor = ShotEstimator(seed=1), [1.0]
    oracle = PrimitiveOracle(
        lambda x: factor[0] * run(estimator, x), [estimator], POINTS[0], vectorized=True
    )
    oracle.measure(PLAN)
    factor[0] = 1.5
    with pytest.warns(UserWarning, match="other values"):
        values = oracle.evaluate(POINTS, 10).values
    assert np.isfinite(values).all()
    with pytest.raises(NotPlainError):
        oracle.measure(PLAN)


def test_evaluations_at_three_distinct_points_are_the_proof():
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(vqe(estimator), [estimator], POINTS[0])
    groups, total = 2, PLAN.total
    assert oracle.price_plan(PLAN) == total + 3 * groups
    oracle.evaluate(np.tile(POINTS[0], (5, 1)), 1)
    assert oracle.price_plan(PLAN) == total + 2 * groups
    oracle.evaluate(POINTS[:2], 1)
    saved = json.loads(json.dumps(oracle.state))
    assert oracle.price_plan(PLAN) == total + groups
    oracle.measure(PLAN)
    assert oracle.price_plan(PLAN) == total
    other = ShotEstimator(seed=1)
    resumed = PrimitiveOracle(vqe(other), [other], POINTS[0])
    resumed.state = saved
    assert resumed.price_plan(PLAN) == total + groups


def test_values_that_failed_prove_nothing():
    estimator = ShotEstimator(EstimatorService().misbehave())
    oracle = PrimitiveOracle(lambda x: run(estimator, x), [estimator], POINTS[0], vectorized=True)
    oracle.evaluate(POINTS[:3], 1)  # the check of the seed among it
    assert oracle.price_plan(PLAN) == PLAN.total
    service = EstimatorService().misbehave("work", "work", "nan")
    estimator = ShotEstimator(service)
    oracle = PrimitiveOracle(lambda x: run(estimator, x), [estimator], POINTS[0], vectorized=True)
    oracle.evaluate(POINTS[:3], 1)
    assert oracle.price_plan(PLAN) == PLAN.total + 2


def test_points_without_shots_prove_nothing():
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(vqe(estimator), [estimator], POINTS[0])
    shots = np.array([[5, 5], [0, 0], [0, 0], [5, 0]])
    plan = MeasurementPlan(POINTS, shots, PLAN.partition, PLAN.parts)
    assert oracle.price_plan(plan) == 15 + 2 * 2
    oracle.measure(plan)
    assert oracle.spent == 19


def two_observables(estimator):
    def fun(x):
        pub = (ANSATZ, [[OPERATOR], [OTHER]], x)
        return estimator.run([pub]).result()[0].data.evs.sum(axis=0)

    return fun


def two_pubs(estimator):
    def fun(x):
        results = estimator.run([(ANSATZ, OPERATOR, x), (ANSATZ, OTHER, x)]).result()
        return results[0].data.evs + results[1].data.evs

    return fun


def two_states(estimator):
    """As a classifier: the same weights for two inputs."""

    def fun(x):
        rows = np.atleast_2d(x)
        both = run(estimator, np.concatenate([rows, rows + np.array([0.3, 0, 0, 0])]))
        return both.reshape(2, -1).mean(axis=0)

    return fun


def points_in_another_order(estimator):
    return lambda x: run(estimator, x) if np.ndim(x) == 1 else run(estimator, x[::-1])


@pytest.mark.parametrize("loss", [two_observables, two_pubs, two_states, points_in_another_order])
def test_losses_of_other_values_have_no_circuit(loss):
    estimator = ShotEstimator(seed=1)
    oracle = PrimitiveOracle(loss(estimator), [estimator], POINTS[0], vectorized=True)
    assert oracle.circuit is oracle.spectra is oracle.mean_loss is None
    assert np.array_equal(oracle.circuit_frequencies, np.ones(4))
    with pytest.raises(NotImplementedError):
        oracle.price_plan(PLAN)


def test_the_penalties_of_vqd():
    estimator, sampler = ShotEstimator(seed=1, shots=10), ShotSampler(seed=1, shots=10)
    oracles = []

    def keep(fun, x0, jac=None, bounds=None):
        oracles.append(PrimitiveOracle(fun, [estimator, sampler][: len(oracles) + 1], x0))
        result = OptimizerResult()
        result.x, result.fun, result.nfev = np.array(x0), float(fun(x0)), 1
        return result

    fidelity = ComputeUncompute(sampler)
    VQD(estimator, fidelity, ANSATZ, keep, k=2, initial_point=POINTS[0]).compute_eigenvalues(
        OPERATOR
    )
    first, second = oracles
    assert first.circuit is not None
    assert second.circuit is second.spectra is None
    assert np.array_equal(second.circuit_frequencies, np.ones(4))


@pytest.mark.filterwarnings("default:fun returned other values")
def test_a_loss_that_changes_during_a_run_ends_its_plans():
    """The screening of starts goes through ``fun``, which is not plain from there on."""
    estimator, calls = ShotEstimator(seed=1), itertools.count()

    def fun(points):
        return run(estimator, points) + (0.1 if next(calls) > 1 else 0.0)

    with pytest.warns(UserWarning, match="other values than its estimator delivered"):
        result = minimize(fun, POINTS[0], max_shots=20_000, restarts=2, seed=1)
    phases = result.history["phase"].tolist()
    assert phases.count("inspection of x0") == 2  # what was planned is dropped, and begun again
    assert result.shots == estimator.ledger.shots <= 20_000
    assert result.fun < -1.0
