"""What is saved is enough to go on bit for bit, also in another process."""

from __future__ import annotations

import json

import numpy as np
import pytest
from qiskit.primitives import BackendEstimatorV2, StatevectorEstimator, StatevectorSampler
from qiskit_aer import AerSimulator

from qiskit_arcmaes import ShotEstimator, ShotSampler

from .problems import CIRCUIT, OPERATOR, some_points
from .service import EstimatorService

PUB = (CIRCUIT, OPERATOR, some_points(3))
MEASURED = (CIRCUIT.measure_all(inplace=False), some_points(3))

ESTIMATORS = [
    lambda seed: ShotEstimator(seed=seed),
    lambda seed: ShotEstimator(seed=seed, allocation="weighted"),
    lambda seed: ShotEstimator(seed=seed, backend=AerSimulator()),
    lambda seed: ShotEstimator(StatevectorEstimator(), seed=seed),
    lambda seed: ShotEstimator(BackendEstimatorV2(backend=AerSimulator()), seed=seed),
]


@pytest.mark.parametrize("make", ESTIMATORS)
def test_estimators_go_on_where_they_were(make):
    estimator = make(1)
    estimator.shots = 77
    estimator.run([PUB])
    saved = json.dumps(estimator.state)
    wanted = estimator.run([PUB]).result()[0].data.evs
    other = make(2)
    other.state = json.loads(saved)
    assert other.shots == 77
    assert np.array_equal(other.run([PUB]).result()[0].data.evs, wanted)
    assert other.ledger == estimator.ledger


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: ShotSampler(seed=seed),
        lambda seed: ShotSampler(seed=seed, backend=AerSimulator()),
        lambda seed: ShotSampler(StatevectorSampler(), seed=seed),
    ],
)
def test_samplers_go_on_where_they_were(make):
    sampler = make(1)
    sampler.run([MEASURED])
    saved = json.dumps(sampler.state)
    wanted = sampler.run([MEASURED]).result()[0].data.meas
    other = make(2)
    other.state = json.loads(saved)
    assert other.run([MEASURED]).result()[0].data.meas == wanted
    assert other.ledger == sampler.ledger


def test_unseeded_wrappers_save_their_ledger():
    estimator = ShotEstimator(StatevectorEstimator(), shots=5)
    estimator.run([PUB])
    other = ShotEstimator(StatevectorEstimator())
    other.state = json.loads(json.dumps(estimator.state))
    assert other.ledger == estimator.ledger
    assert other.shots == 5


def test_a_resumed_run_does_not_pay_for_the_check_again():
    estimator = ShotEstimator(EstimatorService().misbehave(), shots=5)
    estimator.run([PUB])
    other = ShotEstimator(EstimatorService().misbehave())
    other.state = json.loads(json.dumps(estimator.state))
    other.run([PUB])
    assert other.ledger.shots - estimator.ledger.shots == 3 * 3 * 5


def test_a_state_that_does_not_fit_is_refused():
    seeded = ShotEstimator(StatevectorEstimator(), seed=1)
    with pytest.raises(ValueError, match="seed must be given exactly when"):
        ShotEstimator(StatevectorEstimator()).state = seeded.state
    other = ShotEstimator(seed=np.random.Generator(np.random.MT19937(1)))
    with pytest.raises(ValueError, match=r"PCG64.*MT19937"):
        ShotEstimator(seed=1).state = other.state
