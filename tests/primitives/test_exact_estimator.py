"""The built-in estimator: the statistics of real shots, and variances that are true."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.circuit.library import efficient_su2
from qiskit.primitives import BackendEstimatorV2
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator
from scipy import stats

from qiskit_arcmaes import ShotEstimator

from .problems import BASES, CIRCUIT, OPERATOR, exact, some_points


def scores(estimator, pub, truth, repeats):
    """How many standard deviations every value is off, with the reported deviations."""
    rows = []
    for _ in range(repeats):
        data = estimator.run([pub]).result()[0].data
        rows.append((data.evs - truth) / data.stds)
    return np.concatenate(rows)


@pytest.mark.parametrize("allocation", ["equal", "weighted"])
@pytest.mark.parametrize("shots", [40, 1000])
def test_values_scatter_around_the_truth_as_reported(allocation, shots):
    points = some_points(50)
    estimator = ShotEstimator(shots=shots, seed=11, allocation=allocation)
    z = scores(estimator, (CIRCUIT, OPERATOR, points), exact(CIRCUIT, OPERATOR, points), 20)
    # 1000 scores with mean 0 and variance 1; sums of bounded shots, so close to normal.
    # |mean| < 4/sqrt(1000) fails with probability 6e-5; the sum of squares has a relative
    # deviation of about sqrt(2/1000), and 5 of them fail with probability below 1e-6.
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert abs(np.mean(z**2) - 1) < 5 * np.sqrt(2 / z.size)


def test_single_shots_have_the_distribution_of_the_measurement():
    circuit = QuantumCircuit(1)
    circuit.ry(1.1, 0)
    estimator = ShotEstimator(shots=1, seed=5)
    pub = (circuit, "Z", np.empty((4000, 0)))
    values = estimator.run([pub]).result()[0].data.evs
    assert set(values) == {-1.0, 1.0}
    ups = int(np.sum(values > 0))
    # binomial test at a fixed seed, fails with probability 1e-4 for a random one
    assert stats.binomtest(ups, 4000, np.cos(0.55) ** 2).pvalue > 1e-4


@pytest.mark.parametrize("qubits", [4, 8])
def test_same_statistics_as_the_backend_estimator(qubits):
    circuit = efficient_su2(qubits, reps=1)
    terms = [(axis * 2, [q, q + 1], 1.0) for q in range(qubits - 1) for axis in "XYZ"]
    operator = SparsePauliOp.from_sparse_list(terms, qubits)
    points = np.tile(some_points(1, circuit, seed=3), (60, 1))
    built_in = ShotEstimator(shots=64, seed=1)
    backend = ShotEstimator(BackendEstimatorV2(backend=AerSimulator()), shots=64, seed=1)
    ours = np.concatenate([built_in.run([(circuit, operator, points)]).result()[0].data.evs])
    theirs = backend.run([(circuit, operator, points)]).result()[0].data.evs
    # Welch's test of the means and an F test of the variances, 60 values each: each fails with
    # probability 1e-4 for a random seed.
    assert stats.ttest_ind(ours, theirs, equal_var=False).pvalue > 1e-4
    ratio = np.var(ours, ddof=1) / np.var(theirs, ddof=1)
    tail = stats.f(59, 59).cdf(ratio)
    assert 5e-5 < tail < 1 - 5e-5
    assert built_in.ledger.shots == backend.ledger.shots == 60 * 3 * 64


def test_reported_variance_is_the_variance():
    points = np.tile(some_points(1, seed=2), (2000, 1))
    estimator = ShotEstimator(shots=10, seed=3)
    data = estimator.run([(CIRCUIT, OPERATOR, points)]).result()[0].data
    seen = np.var(data.evs, ddof=1) / data.stds[0] ** 2
    # 1999 seen/true is close to chi-square with 1999 degrees of freedom; 1e-4 each side
    low, high = stats.chi2(1999).ppf([1e-4, 1 - 1e-4]) / 1999
    assert low < seen < high
    assert np.allclose(data.stds**2, estimator.last_variances)
    assert estimator.reports_variances


def test_identity_is_constant_and_free():
    estimator = ShotEstimator(shots=100, seed=1)
    pub = (CIRCUIT, SparsePauliOp(["III"], [2.5]), some_points(4))
    data = estimator.run([pub]).result()[0].data
    assert np.array_equal(data.evs, np.full(4, 2.5))
    assert np.array_equal(data.stds, np.zeros(4))
    assert estimator.ledger.shots == 0


def test_an_eigenstate_has_no_noise():
    estimator = ShotEstimator(shots=3, seed=1)
    data = estimator.run([(QuantumCircuit(2), "ZZ")]).result()[0].data
    assert data.evs == 1.0
    assert data.stds == 0.0
    assert data.evs.shape == ()


def test_observables_and_points_broadcast():
    points = some_points(2)
    observables = [["ZZI"], ["IXX"], ["YIY"]]
    estimator = ShotEstimator(shots=200_000, seed=2)
    data = estimator.run([(CIRCUIT, observables, points)]).result()[0].data
    truth = [exact(CIRCUIT, SparsePauliOp(row), points) for row in observables]
    assert data.evs.shape == (3, 2)
    assert np.allclose(data.evs, truth, atol=5 / np.sqrt(200_000))  # 6 values, each 5 sigma
    assert estimator.ledger.circuits == 2 * 3


def test_paired_observables_measure_only_their_own_bases():
    points = some_points(3)
    estimator = ShotEstimator(shots=200_000, seed=2)
    data = estimator.run([(CIRCUIT, ["ZZI", "IXX", "ZZI"], points)]).result()[0].data
    truth = [
        exact(CIRCUIT, SparsePauliOp([label]), [point])[0]
        for label, point in zip(["ZZI", "IXX", "ZZI"], points, strict=True)
    ]
    assert np.allclose(data.evs, truth, atol=5 / np.sqrt(200_000))
    assert estimator.ledger.circuits == 3


def test_projectors_are_measured_in_their_basis():
    circuit = QuantumCircuit(2)
    circuit.h(0)
    operator = {"I+": 1.0, "0I": 0.5, "1-": 2.0}
    data = ShotEstimator(shots=10, seed=1).run([(circuit, operator)]).result()[0].data
    assert data.evs == pytest.approx(1.5)
    assert data.stds == pytest.approx(0.0)


def test_circuits_of_circuits_and_state_preparation():
    inner = QuantumCircuit(2, name="inner")
    inner.ry(Parameter("a"), 0)
    inner.cx(0, 1)
    circuit = QuantumCircuit(3)
    circuit.initialize([0, 1], 2)
    circuit.append(inner.to_gate(), [0, 1])
    estimator = ShotEstimator(shots=400_000, seed=1)
    evs = estimator.run([(circuit, ["ZII", "IZZ", "IIZ"], [[[0.7]]])]).result()[0].data.evs
    assert np.allclose(evs, [-1, 1, np.cos(0.7)], atol=5 / np.sqrt(400_000))


def test_random_circuits_are_refused():
    circuit = QuantumCircuit(1, 1)
    circuit.h(0)
    circuit.measure(0, 0)
    with pytest.raises(ValueError, match=r"'measure'.*AerSimulator"):
        ShotEstimator().run([(circuit, "Z")])
    value = ShotEstimator(shots=50, backend=AerSimulator()).run([(circuit, "Z")]).result()[0]
    assert -1 <= value.data.evs <= 1


def test_runs_repeat_and_noise_does_not():
    pub = (CIRCUIT, OPERATOR, some_points(3))
    runs = []
    for _ in range(2):
        estimator = ShotEstimator(shots=50, seed=9)
        runs.append([estimator.run([pub]).result()[0].data.evs for _ in range(2)])
    assert np.array_equal(runs[0], runs[1])
    assert not np.any(runs[0][0] == runs[0][1])


def test_a_generator_is_used_and_not_copied():
    rng = np.random.default_rng(4)
    before = rng.bit_generator.state
    ShotEstimator(shots=50, seed=rng).run([(CIRCUIT, OPERATOR, some_points(1))])
    assert rng.bit_generator.state != before


def test_precision_stands_for_shots():
    estimator = ShotEstimator(shots=7, seed=1)
    for shots in range(1, 200):
        before = estimator.ledger.shots
        estimator.run([(QuantumCircuit(1), "Z")], precision=1 / np.sqrt(shots))
        assert estimator.ledger.shots - before == shots
    estimator.run([(QuantumCircuit(1), "Z", None, 0.1)])
    assert estimator.ledger.shots == before + 199 + 100


def test_many_pubs_are_one_job():
    estimator = ShotEstimator(shots=10, seed=1)
    points = some_points(4)
    results = estimator.run([(CIRCUIT, OPERATOR, points), (CIRCUIT, "ZZZ", points[:1])]).result()
    assert [result.data.evs.shape for result in results] == [(4,), (1,)]
    assert estimator.last_variances.shape == (5,)
    assert estimator.ledger.state == {
        "jobs": 1,
        "circuits": 4 * BASES + 1,
        "shots": 10 * (4 * BASES + 1),
        "failures": 0,
    }
    assert list(estimator.run([]).result()) == []
    assert estimator.ledger.jobs == 1


def test_large_batches_are_simulated_in_parts(monkeypatch):
    monkeypatch.setattr("qiskit_arcmaes.primitives.states._AMPLITUDES", 16)
    points = some_points(5)
    data = ShotEstimator(shots=10**6, seed=1).run([(CIRCUIT, OPERATOR, points)]).result()[0].data
    truth = exact(CIRCUIT, OPERATOR, points)
    assert np.all(np.abs(data.evs - truth) < 5 * data.stds)  # 5 values: fails with 3e-6
