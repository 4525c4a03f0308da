"""Planned measurement keeps its contract on every engine.

Means are compared with exact expectation values within 6 standard deviations: a fair engine fails
one comparison with a chance below 1e-8, and all engines but the runtime's have fixed seeds.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector
from qiskit.primitives import BackendEstimatorV2, StatevectorEstimator
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.quantum_info import Pauli, SparsePauliOp, Statevector
from qiskit_aer import AerSimulator
from qiskit_algorithms import VQE

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.oracles import MeasurementPlan
from qiskit_arcmaes.primitives import PrimitiveOracle

from .problems import CIRCUIT, OPERATOR, exact, some_points
from .service import EstimatorService, SpyingSimulator, line_device

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


def runtime(seed):
    package = pytest.importorskip("qiskit_ibm_runtime")
    return ShotEstimator(package.EstimatorV2(mode=line_device()), seed=seed)


def foreign(seed, **options):
    return ShotEstimator(BackendEstimatorV2(backend=AerSimulator()), seed=seed, **options)


ENGINES = {
    "exact": lambda seed: ShotEstimator(seed=seed),
    "backend": lambda seed: ShotEstimator(seed=seed, backend=AerSimulator()),
    "backend with a layout": lambda seed: ShotEstimator(seed=seed, backend=line_device()),
    "BackendEstimatorV2": foreign,
    "jobs of 7 points": lambda seed: foreign(seed, max_points_per_job=7),
    "runtime": runtime,
}
every_engine = pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES.keys())

POINTS = some_points(4)
SHOTS = np.array([[400, 200, 0], [0, 0, 0], [100, 400, 200], [400, 300, 400]])
PARTITION = np.array([0, 1, 1, 0])
PARTS = np.array([[0, 1, 0, -1], [0, 0, 0, 0]])
PLAN = MeasurementPlan(POINTS, SHOTS, PARTITION, PARTS)
LABELS = [
    label
    for label in EstimatorPub.coerce((CIRCUIT, OPERATOR, POINTS)).observables.tolist()
    if set(label) != {"I"}
]  # the terms in the order of the pub


def oracle_of(estimator, x0=POINTS[0]):
    fun = lambda x: estimator.run([(CIRCUIT, OPERATOR, x)]).result()[0].data.evs  # noqa: E731
    return PrimitiveOracle(fun, [estimator], x0, vectorized=True)


def part_operator(circuit, parts, group, part):
    """The terms of one group and part as an operator."""
    chosen = np.flatnonzero((circuit.groups == group) & (parts == part))
    terms = [(LABELS[term], circuit.coefficients[term]) for term in chosen]
    return SparsePauliOp.from_list(terms or [("I" * 3, 0.0)])


def moments(circuit, plan, row, group, part):
    """Exact mean and variance of one shot."""
    operator = part_operator(circuit, plan.parts[plan.partition[row]], group, part)
    state = Statevector(CIRCUIT.assign_parameters(plan.points[row]))
    mean = state.expectation_value(operator).real
    return mean, state.expectation_value((operator @ operator).simplify()).real - mean**2


def assert_means(circuit, plan, estimate):
    for row, group in np.ndindex(plan.shots.shape):
        for part in range(plan.num_parts):
            got, shots = estimate.means[row, group, part], plan.shots[row, group]
            if not shots:
                assert np.isnan(got)
                assert np.isnan(estimate.variances[row, group, part])
                continue
            mean, variance = moments(circuit, plan, row, group, part)
            assert abs(got - mean) <= 6 * np.sqrt(max(variance, 0) / shots) + 1e-9


@every_engine
def test_means_and_charges(make):
    estimator = make(1)
    oracle = oracle_of(estimator)
    assert oracle.circuit.num_groups == 3
    assert oracle.circuit.constant == 2.0
    price = oracle.price_plan(PLAN)
    estimate = oracle.measure(PLAN)
    assert oracle.spent == price
    assert estimate.failures == 0
    assert_means(oracle.circuit, PLAN, estimate)
    before = estimator.ledger.state
    assert oracle.price_plan(PLAN) == PLAN.total == price - 3 * 3 * oracle.min_shots
    again = oracle.measure(PLAN)
    assert estimator.ledger.shots - before["shots"] == PLAN.total
    assert_means(oracle.circuit, PLAN, again)
    assert not np.array_equal(again.means, estimate.means, equal_nan=True)


def assert_sums(oracle):
    """All parts of all groups make the loss; (sum of |c|)^2 over the groups is below 2."""
    whole = MeasurementPlan(POINTS, np.full((4, 3), 500), np.ones(4, int), PARTS)
    sums = np.nansum(oracle.measure(whole).means, axis=(1, 2)) + oracle.circuit.constant
    assert np.all(np.abs(sums - exact(CIRCUIT, OPERATOR, POINTS)) < 6 * np.sqrt(2 / 500))


@every_engine
def test_parts_add_up_to_the_loss(make):
    assert_sums(oracle_of(make(2)))


@pytest.mark.parametrize("name", ["exact", "backend", "backend with a layout"])
def test_variances_of_shots(name):
    """20,000 shots: their sample variance is off by 2% (kurtosis below 9), here 10% are allowed."""
    oracle = oracle_of(ENGINES[name](3))
    plan = MeasurementPlan(POINTS[:1], np.full((1, 3), 20_000), np.zeros(1, int), PARTS)
    estimate = oracle.measure(plan)
    for group, part in np.ndindex(3, 2):
        _, variance = moments(oracle.circuit, plan, 0, group, part)
        assert estimate.variances[0, group, part] == pytest.approx(variance, rel=0.1, abs=1e-9)
    single = MeasurementPlan(POINTS[:1], np.array([[1, 2, 0]]), np.zeros(1, int), PARTS)
    unknown = np.isnan(oracle.measure(single).variances[0])
    assert unknown.all(axis=1).tolist() == [True, False, True]


@pytest.mark.parametrize("name", ["BackendEstimatorV2", "jobs of 7 points", "runtime"])
def test_variances_of_repeated_rows(name):
    """Of 40 rows: chi-squared over 39 lies in 0.3 to 2.5 but for a chance of 2e-6."""
    oracle = oracle_of(ENGINES[name](3))
    assert oracle.circuit.equal_shots
    plan = MeasurementPlan(POINTS[:1], np.array([[2000, 2000, 50]]), np.zeros(1, int), PARTS)
    estimate = oracle.measure(plan)
    for group, part in ((0, 0), (1, 0), (1, 1)):
        _, variance = moments(oracle.circuit, plan, 0, group, part)
        if variance > 1e-9:
            assert 0.3 < estimate.variances[0, group, part] / variance < 2.5
    assert np.isnan(estimate.variances[0, 2]).all()  # a single row
    assert np.isfinite(estimate.means[0, 2]).all()


def test_built_in_engines_take_any_shots():
    assert not oracle_of(ShotEstimator()).circuit.equal_shots
    assert not oracle_of(ShotEstimator(backend=AerSimulator())).circuit.equal_shots


@pytest.mark.parametrize(
    "make",
    [
        lambda spy: ShotEstimator(backend=spy, seed=1),
        lambda spy: ShotEstimator(BackendEstimatorV2(backend=spy), seed=1),
    ],
)
def test_the_ledger_counts_what_runs(make):
    spy = SpyingSimulator()
    estimator = make(spy)
    oracle = oracle_of(estimator)
    oracle.measure(PLAN)
    assert spy.spied["shots"] == estimator.ledger.shots == oracle.spent
    assert spy.spied["circuits"] == estimator.ledger.circuits


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "runtime"])
def test_seeds_and_resuming(name):
    make = ENGINES[name]
    oracle, same = oracle_of(make(5)), oracle_of(make(5))
    first = oracle.measure(PLAN)
    assert np.array_equal(same.measure(PLAN).means, first.means, equal_nan=True)
    saved = json.dumps(oracle.state)
    wanted = oracle.measure(PLAN)
    resumed = oracle_of(make(6))
    resumed.state = json.loads(saved)
    assert resumed.price_plan(PLAN) == PLAN.total
    got = resumed.measure(PLAN)
    assert np.array_equal(got.means, wanted.means, equal_nan=True)
    assert np.array_equal(got.variances, wanted.variances, equal_nan=True)
    assert resumed.spent == oracle.spent


def test_an_ansatz_that_was_transpiled_by_the_algorithm():
    from qiskit import generate_preset_pass_manager

    manager = generate_preset_pass_manager(
        1, backend=line_device(), initial_layout=[4, 2, 3], seed_transpiler=1
    )
    estimator = ShotEstimator(seed=1)
    oracles = []

    def keep(fun, x0, jac=None, bounds=None):
        oracles.append(PrimitiveOracle(fun, [estimator], x0))
        raise StopIteration

    with pytest.raises(StopIteration):
        VQE(estimator, CIRCUIT, keep, transpiler=manager).compute_minimum_eigenvalue(OPERATOR)
    assert_sums(oracles[0])


def test_estimators_with_gaussian_noise_and_samplers_measure_no_groups():
    gaussian = ShotEstimator(StatevectorEstimator(), seed=1)
    assert oracle_of(gaussian).circuit is None
    assert oracle_of(ShotEstimator(BackendEstimatorV2(backend=AerSimulator()))).circuit is not None
    sampler, measured = ShotSampler(seed=1), CIRCUIT.measure_all(inplace=False)
    fun = lambda x: sampler.run([(measured, x)]).result()[0].data.meas.expectation_values("ZZZ")  # noqa: E731
    oracle = PrimitiveOracle(fun, [sampler], POINTS[0], vectorized=True)
    assert oracle.circuit is None
    with pytest.raises(NotImplementedError, match="no circuit"):
        oracle.measure(PLAN)


def test_a_service_that_fails_is_tried_again_and_lost_rows_are_counted():
    service = EstimatorService().misbehave()
    estimator = ShotEstimator(service, sleep=lambda seconds: None)
    oracle = oracle_of(estimator)
    price = oracle.price_plan(PLAN)
    oracle.measure(PLAN)
    assert oracle.spent == price  # the check of the seed included
    service.misbehave("fail", "nan")
    estimate = oracle.measure(PLAN)
    assert estimator.ledger.failures == 1
    assert estimate.failures == 1
    assert np.isfinite(estimate.means[0, 0]).all()  # three more rows
    service.misbehave("all nan")
    estimate = oracle.measure(PLAN)
    assert np.isnan(estimate.means[:, 0]).all()
    assert estimate.failures == (SHOTS[:, 0] // 100).sum()


def test_the_calibration_of_an_executor_is_in_the_price():
    package = pytest.importorskip("qiskit_ibm_runtime.executor_estimator")
    estimator = ShotEstimator(package.Estimator(mode=line_device()))
    oracle = oracle_of(estimator)
    plan = MeasurementPlan(POINTS[:3], SHOTS[[0, 1, 3]] // 100, PARTITION[:3], PARTS)
    price = oracle.price_plan(plan)
    oracle.measure(plan)
    assert oracle.spent == price
    before = oracle.spent
    assert oracle.price_plan(plan) > plan.total
    oracle.measure(plan)
    assert oracle.spent - before == oracle.price_plan(plan)


@pytest.mark.parametrize(
    "plan",
    [
        MeasurementPlan(POINTS[:, :2], SHOTS, PARTITION, PARTS),
        MeasurementPlan(POINTS, SHOTS[:, :2], PARTITION, PARTS),
        MeasurementPlan(POINTS, SHOTS, PARTITION, PARTS[:, :2]),
        MeasurementPlan(POINTS, -SHOTS, PARTITION, PARTS),
    ],
)
def test_plans_that_do_not_fit_are_refused(plan):
    oracle = oracle_of(ShotEstimator(seed=1))
    with pytest.raises(ValueError, match="the plan has"):
        oracle.measure(plan)
    assert oracle.spent == 0


def test_the_cones_are_those_of_the_terms():
    """The last rotation of qubit 1 changes no term on qubits 0 and 2."""
    circuit = oracle_of(ShotEstimator(seed=1)).circuit
    for cone, parameter in zip(circuit.cones, CIRCUIT.parameters, strict=True):
        for term, label in enumerate(LABELS):
            slope = [
                Statevector(CIRCUIT.assign_parameters(x)).expectation_value(Pauli(label)).real
                for x in _shifted(parameter)
            ]
            if not cone[term]:
                assert slope[0] == pytest.approx(slope[1], abs=1e-12)
    assert not circuit.cones.all()


def _shifted(parameter):
    place = list(CIRCUIT.parameters).index(parameter)
    unit = np.eye(len(CIRCUIT.parameters))[place]
    return POINTS[0] + 0.7 * unit, POINTS[0] - 0.7 * unit


def test_thirty_qubits_on_a_backend():
    """Nothing has the size of all outcomes; the links have no noise in these states."""
    qubits = 30
    circuit, angles = QuantumCircuit(qubits), ParameterVector("t", 2)
    circuit.ry(angles[0], 0)
    circuit.ry(angles[1], qubits - 1)
    links = [("ZZ", [q, q + 1], 1.0) for q in range(qubits - 1)]
    operator = SparsePauliOp.from_sparse_list([*links, ("X", [0], 2.0)], qubits)
    estimator = ShotEstimator(backend=AerSimulator(method="matrix_product_state"), seed=1)
    fun = lambda x: estimator.run([(circuit, operator, x)]).result()[0].data.evs  # noqa: E731
    oracle = PrimitiveOracle(fun, [estimator], np.zeros(2), vectorized=True)
    plan = MeasurementPlan(
        np.array([[0.0, 0.0], [np.pi, 0.0], [0.0, np.pi]]),
        np.full((3, 2), 3),
        np.zeros(3, int),
        np.where(oracle.circuit.coefficients == 2.0, -1, 0)[None],
    )
    means = oracle.measure(plan).means
    assert means.sum(axis=(1, 2)) == pytest.approx([29, 27, 27])
