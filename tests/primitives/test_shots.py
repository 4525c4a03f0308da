"""N shots are N shots: counted inside the backend, and charged."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from qiskit.primitives import (
    BackendEstimatorV2,
    BackendSamplerV2,
    StatevectorEstimator,
    StatevectorSampler,
)
from qiskit_aer.noise import NoiseModel, depolarizing_error
from qiskit_aer.primitives import EstimatorV2 as AerEstimator
from qiskit_aer.primitives import SamplerV2 as AerSampler
from scipy import stats

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import RecordedOnlyError
from qiskit_arcmaes.primitives.wrapped_estimator import precision_for

from .problems import BASES, CIRCUIT, OPERATOR, exact, some_points
from .service import EstimatorService, SamplerService, SpyingSimulator, line_device


def coupled_spy(**options):
    return line_device(SpyingSimulator, **options)


def runtime_primitive(module, name, backend, options=None):
    package = pytest.importorskip(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return getattr(package, name)(mode=backend, options=options)


ESTIMATORS = {
    "backend": lambda spy: BackendEstimatorV2(backend=spy),
    "ungrouped": lambda spy: BackendEstimatorV2(backend=spy, options={"abelian_grouping": False}),
    "runtime": lambda spy: runtime_primitive("qiskit_ibm_runtime", "EstimatorV2", spy),
    "executor": lambda spy: runtime_primitive(
        "qiskit_ibm_runtime.executor_estimator", "Estimator", spy, {"resilience_level": 0}
    ),
    "executor with twirling": lambda spy: runtime_primitive(
        "qiskit_ibm_runtime.executor_estimator", "Estimator", spy
    ),
}
SAMPLERS = {
    "backend": lambda spy: BackendSamplerV2(backend=spy),
    "aer": lambda spy: AerSampler.from_backend(spy),
    "runtime": lambda spy: runtime_primitive("qiskit_ibm_runtime", "SamplerV2", spy),
    "executor": lambda spy: runtime_primitive(
        "qiskit_ibm_runtime.executor_sampler", "Sampler", spy
    ),
}


def test_precision_never_rounds_to_one_shot_more():
    counts = np.concatenate([np.arange(1, 3000), 10 ** np.arange(4, 13)])
    for shots in counts.tolist():
        assert int(np.ceil(1 / precision_for(shots, gaussian=False) ** 2)) == shots


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Options")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_ledger_is_what_the_backend_counted(name):
    spy = coupled_spy()
    estimator = ShotEstimator(ESTIMATORS[name](spy))
    points = some_points(2)
    for shots in (1, 7, 100):  # 7 is one where 1/sqrt(N) gives N + 1
        estimator.shots = shots
        before = estimator.ledger.shots
        with estimator.recording() as recording:
            estimator.run([(CIRCUIT, OPERATOR, points)])
        assert estimator.ledger.shots == before
        assert spy.spied["shots"] == before
        estimator.run([(CIRCUIT, OPERATOR, points), (CIRCUIT, ["ZZZ", "XXX"], points[0])])
        bases = 5 if name == "ungrouped" else BASES
        extra = 0 if name != "executor with twirling" else recording.shots - 2 * bases * shots
        assert recording.shots == 2 * bases * shots + extra
        assert 0 <= extra <= 32 * shots  # calibration of the readout
        assert estimator.ledger.shots == spy.spied["shots"]
        if name != "executor with twirling":
            check = recording.seed_check_shots
            assert estimator.ledger.shots - before == recording.shots + 2 * shots + check


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Options")
@pytest.mark.parametrize("name", SAMPLERS)
def test_sampler_ledger_is_what_the_backend_counted(name):
    spy = coupled_spy()
    sampler = ShotSampler(SAMPLERS[name](spy))
    measured = CIRCUIT.measure_all(inplace=False)
    for shots in (1, 7, 100):
        sampler.shots = shots
        before = sampler.ledger.shots
        with sampler.recording() as recording:
            sampler.run([(measured, some_points(3))])
        data = sampler.run([(measured, some_points(3))]).result()[0].data
        assert data.meas.num_shots == shots
        assert data.meas.shape == (3,)
        assert recording.shots == 3 * shots
        assert sampler.ledger.shots == spy.spied["shots"]
        assert sampler.ledger.shots - before == 3 * shots + recording.seed_check_shots


def test_built_in_on_a_backend_charges_what_the_backend_counted():
    spy = coupled_spy()
    estimator = ShotEstimator(backend=spy, shots=11, seed=1)
    estimator.run([(CIRCUIT, OPERATOR, some_points(4))])
    assert estimator.ledger.shots == spy.spied["shots"] == 4 * BASES * 11
    spy = coupled_spy()
    sampler = ShotSampler(backend=spy, shots=11, seed=1)
    sampler.run([(CIRCUIT.measure_all(inplace=False), some_points(4))])
    assert sampler.ledger.shots == spy.spied["shots"] == 44


@pytest.mark.parametrize("estimator", [StatevectorEstimator(), AerEstimator()])
@pytest.mark.parametrize("shots", [1, 25])
def test_gaussian_estimators_get_exactly_one_over_root_n(estimator, shots):
    points = np.tile(some_points(1), (500, 1))
    wrapped = ShotEstimator(estimator, shots=shots, seed=2)
    values = wrapped.run([(CIRCUIT, OPERATOR, points)]).result()[0].data.evs
    scaled = np.sum((values - exact(CIRCUIT, OPERATOR, points[:1])) ** 2) * shots
    # chi-square with 500 degrees of freedom, fails with probability 2e-4 for a random seed
    assert 1e-4 < stats.chi2(500).cdf(scaled) < 1 - 1e-4
    assert wrapped.ledger.shots == 500 * BASES * shots
    assert wrapped.last_variances is None
    assert not wrapped.reports_variances


def test_gaussian_can_be_said():
    seen = []

    class Telling(EstimatorService):
        def run(self, pubs, *, precision=None):
            seen.extend(pub.precision for pub in pubs)
            return super().run(pubs, precision=precision)

    for gaussian in (True, False):
        service = Telling().misbehave()
        ShotEstimator(service, shots=4, gaussian=gaussian).run(
            [(CIRCUIT, OPERATOR, some_points(1))]
        )
    assert seen[2] == 1 / 2
    assert seen[5] == 1 / np.sqrt(3.5)


def test_jobs_have_one_shot_count_each():
    service = SamplerService().misbehave()
    sampler = ShotSampler(service, shots=5)
    measured = CIRCUIT.measure_all(inplace=False)
    point = some_points(1)[0]
    results = sampler.run([(measured, point), (measured, point, 9), (measured, point)]).result()
    assert [result.data.meas.num_shots for result in results] == [5, 9, 5]
    assert len(service.jobs) == 2 + 2  # the check of the seed took two


@pytest.mark.parametrize("most", [1, 2, 5, 100])
def test_points_split_over_jobs(most):
    points = some_points(5)
    service = EstimatorService().misbehave()
    estimator = ShotEstimator(service, shots=10**8, max_points_per_job=most)
    data = estimator.run([(CIRCUIT, OPERATOR, points.reshape(5, 1, -1))]).result()[0].data
    assert data.evs.shape == (5, 1)
    assert np.allclose(data.evs[:, 0], exact(CIRCUIT, OPERATOR, points), atol=1e-3)
    assert max(service.points[2:]) <= most
    assert sum(service.points[2:]) == 5
    assert estimator.ledger.jobs == len(service.jobs)
    service = SamplerService().misbehave()
    sampler = ShotSampler(service, shots=3, max_points_per_job=most)
    measured = CIRCUIT.measure_all(inplace=False)
    result = sampler.run([(measured, points), (measured, points[0])]).result()
    assert [one.data.meas.shape for one in result] == [(5,), ()]
    assert max(service.points[2:]) <= most


def test_device_noise_is_sampled_and_its_variance_seen():
    noise = NoiseModel()
    noise.add_all_qubit_quantum_error(depolarizing_error(0.05, 2), "cx")
    spy = coupled_spy(noise_model=noise)
    points = np.tile(some_points(1), (100, 1))
    estimator = ShotEstimator(backend=spy, shots=100, seed=4)
    assert estimator.reports_variances
    values = estimator.run([(CIRCUIT, OPERATOR, points)]).result()[0].data.evs
    # the mean of the reported variances is good to 2% here, the seen one has 99 degrees of
    # freedom; fails with probability 2e-4 for a random seed
    low, high = stats.chi2(99).ppf([1e-4, 1 - 1e-4]) / 99
    assert low < np.var(values, ddof=1) / np.mean(estimator.last_variances) < high
    assert abs(values.mean() - exact(CIRCUIT, OPERATOR, points[:1])[0]) > 0.005  # noise has a bias
    estimator.shots = 1
    estimator.run([(CIRCUIT, OPERATOR, points[:2])])
    assert estimator.last_variances is None  # one shot shows no scatter


def test_recording_has_no_results_and_charges_nothing():
    measured = CIRCUIT.measure_all(inplace=False)
    for primitive in (ShotSampler(shots=10), ShotSampler(StatevectorSampler(), shots=10)):
        with primitive.recording() as recording:
            job = primitive.run([(measured, some_points(2))])
        with pytest.raises(RecordedOnlyError, match="recorded, not run"):
            job.result()
        assert (recording.jobs, recording.points, recording.bases) == (1, 2, 1.0)
        assert primitive.ledger.jobs == 0
    estimator = ShotEstimator(shots=10)
    with estimator.recording() as outer:
        with estimator.recording() as inner:
            estimator.run([(CIRCUIT, OPERATOR, some_points(2))])
        assert not outer.calls
    assert inner.shots == 2 * BASES * 10
    assert estimator.ledger.state == ShotEstimator().ledger.state
