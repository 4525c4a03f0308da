"""Services that fail, hang, lose results and return NaN."""

from __future__ import annotations

import numpy as np
import pytest

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import JobFailedError

from .problems import BASES, CIRCUIT, OPERATOR, exact, some_points
from .service import EstimatorService, SamplerService

POINTS = some_points(4)
PUB = (CIRCUIT, OPERATOR, POINTS)
TROUBLES = ("refuse", "fail", "hang", "lose a pub", "lose a point", "nothing", "empty")


def calm(service, **options):
    """A wrapper whose seed check is done, and a record of how long it slept."""
    slept = []
    options = {"shots": 10**8, "sleep": slept.append, **options}
    estimator = ShotEstimator(service.misbehave(), **options)
    estimator.run([(CIRCUIT, OPERATOR, POINTS[:1])])
    return estimator, slept


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_failed_job_is_tried_again(trouble):
    service = EstimatorService()
    estimator, slept = calm(service, retries=3, retry_delay=2.0, timeout=60.0)
    before = estimator.ledger.state
    service.misbehave(trouble, trouble, trouble)
    values = estimator.run([PUB]).result()[0].data.evs
    assert np.allclose(values, exact(CIRCUIT, OPERATOR, POINTS), atol=1e-3)
    assert slept == [2.0, 4.0, 8.0]
    after = estimator.ledger
    assert after.failures == 3
    assert after.jobs == before["jobs"] + 1
    assert after.shots == before["shots"] + 4 * BASES * 10**8
    assert all(job.waited == 60.0 for job in service.jobs)
    if trouble == "hang":
        assert [job.cancelled for job in service.jobs] == [True, True, True, False]


def test_only_then_is_it_raised():
    service = EstimatorService()
    estimator, slept = calm(service, retries=1, retry_delay=0.5)
    service.misbehave("refuse", "fail")
    with pytest.raises(JobFailedError, match=r"failed 2 times.*job failed.*retries") as caught:
        estimator.run([PUB])
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert slept == [0.5]
    assert estimator.run([PUB]).result()[0].data.evs.shape == (4,)  # and it goes on


def test_delays_have_an_end():
    service = EstimatorService()
    estimator, slept = calm(service, retries=4, retry_delay=100.0)
    service.misbehave(*["fail"] * 4)
    estimator.run([PUB])
    assert slept == [100.0, 200.0, 300.0, 300.0]


def test_nan_is_passed_on():
    service = EstimatorService()
    estimator, slept = calm(service)
    service.misbehave("nan")
    values = estimator.run([PUB]).result()[0].data.evs
    assert np.isnan(values).tolist() == [True, False, False, False]
    assert not slept


def test_only_the_part_that_failed_is_run_again():
    service = EstimatorService()
    estimator, _ = calm(service, max_points_per_job=2)
    service.misbehave("work", "fail", "work")
    values = estimator.run([PUB]).result()[0].data.evs
    assert np.allclose(values, exact(CIRCUIT, OPERATOR, POINTS), atol=1e-3)
    assert service.points == [2, 2, 2]


def test_wrong_input_is_not_tried_again():
    service = EstimatorService()
    estimator, slept = calm(service)

    def refuse(pubs, *, precision=None):
        raise ValueError("no such circuit")

    service.run = refuse
    with pytest.raises(ValueError, match="no such circuit"):
        estimator.run([PUB])
    assert not slept


@pytest.mark.parametrize("trouble", TROUBLES)
def test_samplers_are_as_patient(trouble):
    slept = []
    service = SamplerService().misbehave()
    sampler = ShotSampler(service, shots=5, sleep=slept.append)
    measured = CIRCUIT.measure_all(inplace=False)
    sampler.run([(measured, POINTS)])
    service.misbehave(trouble)
    data = sampler.run([(measured, POINTS)]).result()[0].data
    assert data.meas.shape == (4,)
    assert slept == [1.0]
    assert sampler.ledger.failures == 1


def test_a_service_that_returns_no_number_is_not_blamed_on_its_seed():
    service = EstimatorService().misbehave("all nan", "all nan")
    estimator = ShotEstimator(service, shots=5)
    with pytest.raises(JobFailedError, match=r"no number.*check of its seed"):
        estimator.run([PUB])
    assert estimator.run([PUB]).result()[0].data.evs.shape == (4,)  # checked again, and well


def test_a_check_of_the_seed_with_gaps_is_made_again():
    service = EstimatorService().misbehave("nan", "nan")
    estimator = ShotEstimator(service, shots=5)
    estimator.run([PUB])
    first = estimator.ledger.jobs
    estimator.run([PUB])
    assert (first, estimator.ledger.jobs) == (3, 4)  # the values that came back differ: well


def test_what_a_failed_job_was_raised_from_has_no_cycle():
    service = EstimatorService()
    estimator, _ = calm(service, retries=1)
    service.misbehave("fail", "refuse")
    with pytest.raises(JobFailedError) as caught:
        estimator.run([PUB])
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert caught.value.__cause__.__cause__ is None
